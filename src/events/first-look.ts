import { type Clock, orLate } from '#clock';
import type { Log } from '#log';
import type { Looks } from './looks.ts';
import type { Registrar } from './registrar.ts';
import type { HeldWatch, Place, WatchRecords } from './watch-records.ts';

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
  /** Those that have not begun yet: whoever asks until then is seen by them, too. */
  const coming = new Map<string, Promise<void>>();

  /** Whoever holds the watch just now may have begun before there was this trigger. */
  const inTurn = async (place: Place, work: (held: HeldWatch) => Promise<void>): Promise<void> => {
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += turnMs) {
      const held = await records.claimOne(place);
      if (held !== undefined) return records.holding(held, () => work(held));
      await clock.sleep(turnMs);
    }
  };

  const begin = (place: Place): Promise<void> => {
    const { watchId } = place;
    const over = (): void => {
      if (coming.get(watchId) === begun) coming.delete(watchId);
    };
    const look = async (): Promise<void> => {
      await inTurn(place, (held) => {
        over();
        return looks.look(held);
      });
      await inTurn(place, registrar.tend);
    };
    const begun: Promise<void> = look()
      .catch((error: unknown) => log.warn({ err: error }, 'a watch could not be started now; it is tried again'))
      .finally(over);
    coming.set(watchId, begun);
    return begun;
  };

  return async (workspaceId, watchIds) => {
    const begun = watchIds.map((watchId) => coming.get(watchId) ?? begin({ workspaceId, watchId }));
    await orLate(clock, Promise.all(begun), patienceMs, undefined);
  };
};
