import { Fault, type UpstreamRequest } from '#kit';
import type { Ready } from './approvals/clearance.ts';
import type { Calling } from './calling.ts';
import type { Besides } from './record.ts';

const pollMs = 50;
const longestMs = 5_000;

const busy = (): Fault =>
  new Fault('conflict', 'A draft of this mailbox is being sent at this moment, so none is changed. Try again.', {
    retryAfterMs: 1_000,
  });

const unsettled = (): Fault =>
  new Fault('conflict', 'A draft of this mailbox is being changed at this moment. Nothing was sent; try again.', {
    retryAfterMs: 1_000,
  });

/** Keeps what is stored with the service, from the look at it until it leaves, from being changed through us. */
export const undisturbedFor = ({ records, clock, work, signal, writeDeadlineMs }: Calling) => {
  const { step } = work;
  const { showing } = step.integration.upstream;
  const requestOf = ({ method, path, request }: Besides) => ({ ...request, method, path }) as UpstreamRequest;
  const letsLeave = (request: UpstreamRequest): boolean => showing?.letsLeave?.(request) === true;
  const alters = (request: UpstreamRequest): boolean => showing?.alters?.(request) === true;

  /** Once it is intended: whoever intends a change from now on meets it, and whoever did before is met here. */
  const beforeLeaving = async (id: string, lookedSince: number, ready: Ready): Promise<void> => {
    const begun = performance.now();
    for (;;) {
      const withinMs = performance.now() - lookedSince + writeDeadlineMs;
      const others = (await records.besides(work, id, withinMs)).filter((each) => alters(requestOf(each)));
      if (others.length === 0) return undefined;
      // What they have changed since it was looked at is seen by another look.
      if (others.every(({ state }) => state !== 'intended')) return ready();
      if (performance.now() - begun > longestMs) throw unsettled();
      await clock.sleep(pollMs, signal);
    }
  };

  return {
    letsLeave,
    /** What must hold once a write is intended. `lookedSince`: when it was begun to find out what would leave. */
    check: async (request: UpstreamRequest, id: string, lookedSince: number, ready: Ready): Promise<void> => {
      if (letsLeave(request)) return beforeLeaving(id, lookedSince, ready);
      // Steps of ours change only drafts that they made themselves.
      if (!step.passThrough || !alters(request)) return undefined;
      const others = await records.besides(work, id, writeDeadlineMs);
      if (others.some((each) => each.state === 'intended' && letsLeave(requestOf(each)))) throw busy();
    },
  };
};
