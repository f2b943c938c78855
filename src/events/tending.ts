import { type Clock, type Intervals, orLate } from '#clock';
import { Fault } from '#kit';
import type { Log } from '#log';
import type { Arrivals } from './arrivals.ts';
import type { LookAround } from './look-around.ts';
import type { Looks } from './looks.ts';
import type { Registrar } from './registrar.ts';
import type { Retries } from './retries.ts';
import type { WatchReader } from './watch-reader.ts';
import type { WatchRecords } from './watch-records.ts';

/** Looks again and again for watches, occurrences and events whose time has come. Every worker does, each takes its own. */
export type Tending = {
  /** Something is due now: does not wait for the next round. */
  poke(): void;
  stop(): Promise<void>;
};

// A look waits for the service almost all of its time.
const atOnce = 32;
const mostSlow = 8;

export const createTending = (options: {
  clock: Clock;
  intervals: Intervals;
  log: Log;
  reader: WatchReader;
  records: WatchRecords;
  registrar: Registrar;
  looks: Looks;
  arrivals: Arrivals;
  retries: Retries;
  lookAround: Pick<LookAround, 'resync'>;
  works: boolean;
}): Tending => {
  const { clock, intervals, log, reader, records, registrar, looks, arrivals, retries, lookAround, works } = options;
  const ending = new AbortController();
  const sleepers = new Set<AbortController>();
  const wake = (): void => {
    for (const sleeper of sleepers) sleeper.abort();
  };
  const underWay = new Set<Promise<void>>();
  const heldUp = new Set<Promise<void>>();

  const leave = (among: Set<Promise<void>>, work: Promise<unknown>): Promise<void> => {
    const tracked = work
      .then(() => {})
      .catch((error: unknown) => log.warn({ err: error }, 'a watch could not be tended now'))
      .finally(() => {
        among.delete(tracked);
        wake();
      });
    among.add(tracked);
    return tracked;
  };

  /** One slow account keeps only its own place. */
  const takeWatches = async (): Promise<void> => {
    if (underWay.size >= atOnce) return;
    for (const held of await records.claimChecks(atOnce - underWay.size))
      void leave(
        underWay,
        records.holding(held, () => registrar.tend(held)),
      );
    if (underWay.size >= atOnce) return;
    for (const held of await records.claimLooks(atOnce - underWay.size))
      void leave(
        underWay,
        records.holding(held, () => looks.look(held)),
      );
    if (underWay.size >= atOnce) return;
    for (const held of await records.claimGlances(atOnce - underWay.size))
      void leave(
        underWay,
        records.holding(held, () => looks.glance(held)),
      );
  };

  const removeUnneeded = async (): Promise<void> => {
    for (const { id, workspace_id: workspaceId } of await records.unneeded(20)) {
      const watch = await reader.byId(id);
      // Gone from here first: a trigger that needs it again makes one of its own, with a registration of its own.
      if (watch === undefined || !(await records.remove({ workspaceId, watchId: id }))) continue;
      if (watch.account_state === 'connected') {
        await registrar.dismiss(watch).catch((error: unknown) => {
          const reason = error instanceof Fault ? error.message : 'a defect';
          log.warn({ watchId: id, reason }, 'a registration could not be removed; it is swept later');
        });
      }
    }
  };

  /** Takes batch after batch. One in which somebody is slow goes on by itself: nobody else waits for it. */
  const inBatches = (take: (limit: number) => Promise<number>) => {
    const slow = new Set<Promise<void>>();
    return async (): Promise<void> => {
      while (slow.size < mostSlow && !ending.signal.aborted) {
        const batch = take(atOnce);
        const taken = await orLate(clock, batch, intervals.tickMs, undefined);
        if (taken === undefined) void leave(heldUp, leave(slow, batch));
        else if (taken < atOnce) return;
      }
    };
  };

  let buriedAt = Number.NEGATIVE_INFINITY;
  const buryNowAndThen = async (): Promise<void> => {
    if (performance.now() - buriedAt < intervals.sweepMs) return;
    buriedAt = performance.now();
    await retries.buryHints();
  };

  const tend = async (round: () => Promise<void>): Promise<void> => {
    while (!ending.signal.aborted) {
      const waking = new AbortController();
      sleepers.add(waking);
      await round().catch((error: unknown) =>
        log.warn({ err: error }, 'looking for what is due failed; the next round tries again'),
      );
      await clock.sleep(intervals.tickMs, AbortSignal.any([ending.signal, waking.signal]));
      sleepers.delete(waking);
    }
  };
  // Each by itself: a service that is slow to answer one of them holds up none of the others.
  const rounds = [
    takeWatches,
    inBatches(arrivals.takeDue),
    inBatches(retries.takeDue),
    inBatches(lookAround.resync),
    removeUnneeded,
    buryNowAndThen,
  ];
  const tending = works ? Promise.all(rounds.map(tend)) : Promise.resolve();

  return {
    poke: wake,
    stop: async () => {
      ending.abort();
      await tending;
      await Promise.allSettled([...underWay, ...heldUp]);
    },
  };
};
