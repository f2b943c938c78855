import type { Clock, Intervals } from '#clock';
import { Fault } from '#kit';
import type { Log } from '#log';
import type { Arrivals } from './arrivals.ts';
import type { Looks } from './looks.ts';
import type { Registrar } from './registrar.ts';
import type { Retries } from './retries.ts';
import type { Triggers } from './triggers.ts';
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
  triggers: Pick<Triggers, 'resync'>;
  works: boolean;
}): Tending => {
  const { clock, intervals, log, reader, records, registrar, looks, arrivals, retries, triggers, works } = options;
  const ending = new AbortController();
  let waking = new AbortController();
  const underWay = new Set<Promise<void>>();

  const fork = (work: () => Promise<void>): void => {
    const tracked = work()
      .catch((error: unknown) => log.warn({ err: error }, 'a watch could not be tended now'))
      .finally(() => {
        underWay.delete(tracked);
        waking.abort();
      });
    underWay.add(tracked);
  };

  /** One slow account keeps only its own place. */
  const takeWatches = async (): Promise<void> => {
    if (underWay.size >= atOnce) return;
    for (const held of await records.claimChecks(atOnce - underWay.size))
      fork(() => records.holding(held, () => registrar.tend(held)));
    if (underWay.size >= atOnce) return;
    for (const held of await records.claimLooks(atOnce - underWay.size))
      fork(() => records.holding(held, () => looks.look(held)));
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

  const round = async (): Promise<void> => {
    await takeWatches();
    while ((await arrivals.takeDue(32)) === 32) if (ending.signal.aborted) return;
    while ((await retries.takeDue(32)) === 32) if (ending.signal.aborted) return;
    await triggers.resync(20);
    await removeUnneeded();
  };

  const tend = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      waking = new AbortController();
      await round().catch((error: unknown) =>
        log.warn({ err: error }, 'looking for what is due failed; the next round tries again'),
      );
      await clock.sleep(intervals.tickMs, AbortSignal.any([ending.signal, waking.signal]));
    }
  };
  const tending = works ? tend() : Promise.resolve();

  return {
    poke: () => waking.abort(),
    stop: async () => {
      ending.abort();
      await tending;
      await Promise.allSettled(underWay);
    },
  };
};
