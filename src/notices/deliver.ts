import { z } from 'zod';
import type { Clock } from '#clock';
import { defineJob, type JobDefinition } from '#jobs';
import type { Log } from '#log';
import type { Claimed, Claims } from './claims.ts';
import type { Announce, Waiting } from './emit.ts';
import type { Payload } from './notice-types.ts';
import type { Receiver } from './receiver.ts';
import { signedHeaders } from './signing.ts';

/** After this a webhook with much to take goes to the end of the line. */
const turnMs = 8_000;
const places = 100;
/** However slow its receivers are, a workspace leaves places to the others. */
const ofOneWorkspace = 25;
const crowdedMs = 1_000;

export const payloadOf = (notice: { type: string; data: unknown; createdAt: Date }): Payload => ({
  type: notice.type,
  timestamp: notice.createdAt.toISOString(),
  data: notice.data,
});

/** "This webhook has something waiting": brings it there, a few at a time, until nothing is due. */
export const deliverJob = (options: {
  claims: Claims;
  receiver: Receiver;
  announce: Announce;
  clock: Clock;
  log: Log;
}): JobDefinition<Waiting> => {
  const { claims, receiver, announce, clock, log } = options;

  const bring = async (claimed: Claimed, signal: AbortSignal): Promise<void> => {
    const { notice, at, secrets, url, id, webhookId } = claimed;
    const body = JSON.stringify(payloadOf(notice));
    const began = clock.now().getTime();
    try {
      const reception = await receiver.post(url, signedHeaders({ id: notice.id, at, body, secrets }), body, signal);
      // The address itself may hold a secret, so the log knows the webhook by its id.
      log.debug({ webhookId, deliveryId: id, status: reception.status }, 'a notice was brought');
      await claims.settle(claimed, reception, clock.now().getTime() - began);
    } catch (error) {
      if (signal.aborted) await claims.giveBack(claimed);
      throw error;
    }
  };

  const bringAll = async (waiting: Waiting, signal: AbortSignal): Promise<void> => {
    const until = clock.now().getTime() + turnMs;
    for (;;) {
      const claimed = await claims.take(waiting);
      if (claimed.length === 0) break;
      const brought = await Promise.allSettled(claimed.map((each) => bring(each, signal)));
      for (const each of brought) if (each.status === 'rejected') throw each.reason;
      if (clock.now().getTime() > until) return announce([waiting]);
    }
    const afterMs = await claims.freeAfterMs(waiting);
    if (afterMs !== undefined) await announce([{ ...waiting, afterMs, key: `${waiting.webhookId} freed` }]);
  };

  /** How many places each workspace has taken here. */
  const taken = new Map<string, number>();

  return defineJob({
    name: 'notices.deliver',
    data: z.object({ workspaceId: z.string(), webhookId: z.string() }),
    // Waiting for receivers costs little, and each that is slow holds a place.
    concurrency: places,
    expireSeconds: 60,
    async handle(waiting, { signal }) {
      const { workspaceId, webhookId } = waiting;
      const before = taken.get(workspaceId) ?? 0;
      if (before >= ofOneWorkspace) return announce([{ ...waiting, afterMs: crowdedMs, key: `${webhookId} crowded` }]);
      taken.set(workspaceId, before + 1);
      try {
        await bringAll(waiting, signal);
      } finally {
        const left = (taken.get(workspaceId) ?? 1) - 1;
        if (left === 0) taken.delete(workspaceId);
        else taken.set(workspaceId, left);
      }
    },
  });
};
