import { type Clock, orLate } from '#clock';
import type { Log } from '#log';
import type { Looks } from './looks.ts';
import type { Registrar } from './registrar.ts';
import type { HeldWatch, WatchRecords } from './watch-records.ts';

/**
 * Looks through what a trigger is new to, and registers it, at once: the first event comes within seconds, and what is
 * there when the trigger is answered is known, so that whatever changes after that is seen to have changed.
 */
export type FirstLook = (workspaceId: string, watchIds: readonly string[]) => Promise<void>;

/** How long making a trigger waits for that; after it, it goes on in the background. */
const patienceMs = 8_000;
const turnMs = 50;

export const createFirstLook = (options: {
  clock: Clock;
  log: Log;
  records: Pick<WatchRecords, 'claimOne' | 'holding'>;
  looks: Looks;
  registrar: Pick<Registrar, 'tend'>;
}): FirstLook => {
  const { clock, log, records, looks, registrar } = options;
  return async (workspaceId, watchIds) => {
    const patience = new AbortController();
    /** Whoever holds the watch just now may have begun before there was this trigger. */
    const inTurn = async (watchId: string, work: (held: HeldWatch) => Promise<void>): Promise<void> => {
      while (!patience.signal.aborted) {
        const held = await records.claimOne({ workspaceId, watchId });
        if (held !== undefined) return records.holding(held, () => work(held));
        await clock.sleep(turnMs, patience.signal);
      }
    };
    const started = Promise.all(
      watchIds.map(async (watchId) => {
        await inTurn(watchId, looks.look);
        await inTurn(watchId, registrar.tend);
      }),
    ).catch((error: unknown) => log.warn({ err: error }, 'a watch could not be started now; it is tried again'));
    await orLate(clock, started, patienceMs, undefined);
    patience.abort();
  };
};
