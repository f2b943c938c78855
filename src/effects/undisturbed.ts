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
  const leaving = (request: UpstreamRequest) => showing?.letsLeave?.(request) ?? [];
  const altered = (request: UpstreamRequest) => showing?.alters?.(request) ?? [];

  /** A thing may have several ids. One that its own run has made is known by the one that it was given then. */
  const concerns = (ids: readonly string[], others: readonly string[], { made }: Besides): boolean =>
    others.some((each) => ids.includes(each) || !made.includes(each));

  /** Once it is intended: whoever intends a change from now on meets it, and whoever did before is met here. */
  const beforeLeaving = async (ids: readonly string[], lookedSince: number, ready: Ready): Promise<void> => {
    const begun = performance.now();
    for (;;) {
      const withinMs = performance.now() - lookedSince + writeDeadlineMs;
      const besides = await records.besides(work, withinMs);
      const others = besides.filter((each) => concerns(ids, altered(requestOf(each)), each));
      if (others.length === 0) return undefined;
      // What they have changed since it was looked at is seen by another look.
      if (others.every(({ state }) => state !== 'intended')) return ready();
      if (performance.now() - begun > longestMs) throw unsettled();
      await clock.sleep(pollMs, signal);
    }
  };

  return {
    /** Whether something leaves that was looked at: what nobody has seen, nobody can find changed. */
    isHeld: (request: UpstreamRequest, held: boolean): boolean => held && leaving(request).length > 0,

    /** What must hold once a write is intended. `lookedSince`: when it was begun to find out what would leave. */
    check: async (request: UpstreamRequest, held: boolean, lookedSince: number, ready: Ready): Promise<void> => {
      const ids = leaving(request);
      if (ids.length > 0) return held ? beforeLeaving(ids, lookedSince, ready) : undefined;
      const changed = altered(request);
      // Steps of ours change only drafts that they made themselves.
      if (!step.passThrough || changed.length === 0) return undefined;
      const others = await records.besides(work, writeDeadlineMs);
      const isMet = (each: Besides) => each.state === 'intended' && concerns(changed, leaving(requestOf(each)), each);
      if (others.some(isMet)) throw busy();
    },
  };
};
