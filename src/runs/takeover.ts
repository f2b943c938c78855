import { CompiledQuery } from 'kysely';
import { z } from 'zod';
import type { Clock, Intervals } from '#clock';
import { defineJob, type Executor, type JobDefinition, type Jobs } from '#jobs';
import type { Log } from '#log';
import type { Database } from '#store';
import type { Leases, Orphan } from './leases.ts';
import type { Runs } from './runs.ts';

/** "Continue this run": the only thing the queue knows about runs. */
export const advanceJob = (runs: () => Runs): JobDefinition<Orphan> =>
  defineJob({
    name: 'runs.advance',
    data: z.object({ runId: z.string(), workspaceId: z.string() }),
    concurrency: 20,
    handle: (orphan) => runs().advance(orphan),
  });

const within = (tx: Database): Executor => ({
  executeSql: async (text, values) => tx.executeQuery(CompiledQuery.raw(text, values)),
});

/** Leaves runs to whoever is free, in the caller's transaction if there is one. */
export const handOver = (
  jobs: Jobs,
  job: JobDefinition<Orphan>,
  orphans: readonly Orphan[],
  tx?: Database,
): Promise<void> =>
  jobs.sendMany(
    job,
    orphans.map((data) => ({ data })),
    tx === undefined ? {} : { within: within(tx) },
  );

/** Looks again and again for runs of dead processes and gives them to the queue, which spreads them over the living. */
export const startTakeover = (options: {
  leases: Leases;
  jobs: Jobs;
  job: JobDefinition<Orphan>;
  clock: Clock;
  intervals: Intervals;
  log: Log;
}): { stop(): Promise<void> } => {
  const { leases, jobs, job, clock, intervals, log } = options;
  const ending = new AbortController();
  const look = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      try {
        await leases.collectOrphans((tx, orphans) => handOver(jobs, job, orphans, tx));
      } catch (error) {
        log.warn({ err: error }, 'looking for runs of dead processes failed; trying again');
      }
      await clock.sleep(intervals.takeoverMs, ending.signal);
    }
  };
  const looking = look();
  return {
    stop: async () => {
      ending.abort();
      await looking;
    },
  };
};
