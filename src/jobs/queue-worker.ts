import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import type { Clock } from '#clock';
import type { Log } from '#log';
import { grouped, saidBy } from '#store';
import type { JobDefinition, JobIntervals } from './definition.ts';

type Held = { id: string; retryCount: number; stop: AbortController; running: boolean };

export type QueueWorker = {
  /** New work was announced. */
  wake(): void;
  /** Takes no more work, waits for what is under way, then stops it and gives it back. */
  stop(drainMs: number): Promise<void>;
};

const graceMs = 1_000;

const longest = 2_000;

/** In words that can be stored: one that could not would keep its job from ending, and its place from others. */
const reasonOf = (error: unknown): { message: string } => ({
  message: saidBy(error).slice(0, longest).toWellFormed().replaceAll('\0', '\ufffd'),
});

/**
 * Works on one queue. Each job is settled by itself, so a slow one holds its own slot and nobody else's; fetching,
 * heartbeats and completions are shared by all jobs in hand.
 */
export const workOn = (options: {
  engine: PgBoss;
  schema: string;
  channel: string;
  job: JobDefinition<unknown>;
  clock: Clock;
  log: Log;
  intervals: JobIntervals;
}): QueueWorker => {
  const { engine, schema, channel, job, clock, log, intervals } = options;
  const { name, concurrency = 10 } = job;
  const held = new Map<string, Held>();
  const ended = new AbortController();
  const draining = new AbortController();
  let pause = new AbortController();

  const wake = (): void => pause.abort('wake');
  const complete = grouped(async (jobs: Held[]) => {
    await engine.complete(name, jobs);
    return jobs.map(() => undefined);
  });

  /** Says how a job ended, as soon as the database listens. Once another process has taken it over this changes nothing. */
  const settle = async (write: () => Promise<unknown>): Promise<void> => {
    while (!ended.signal.aborted) {
      try {
        await write();
        return;
      } catch (error) {
        log.warn({ job: name, reason: reasonOf(error).message }, 'the end of a job could not be stored yet');
        await clock.sleep(intervals.pollMs, ended.signal);
      }
    }
  };

  const attempt = async ({ id, data, retryCount, expireInSeconds }: Job<unknown>, stop: AbortController) => {
    const timer = new AbortController();
    const expired = clock.sleep(expireInSeconds * 1_000, timer.signal).then(() => {
      if (timer.signal.aborted) return;
      const error = new Error(`The job took longer than ${expireInSeconds} s.`);
      stop.abort(error);
      throw error;
    });
    try {
      const handled = job.handle(job.data.parse(data), { signal: stop.signal, attempt: retryCount + 1, jobId: id });
      await Promise.race([handled, expired.then(() => handled)]);
    } finally {
      timer.abort('handled');
    }
  };

  const run = async (fetched: Job<unknown>): Promise<void> => {
    const mine: Held = { id: fetched.id, retryCount: fetched.retryCount, stop: new AbortController(), running: true };
    held.set(mine.id, mine);
    try {
      await attempt(fetched, mine.stop);
      await settle(() => complete(mine));
    } catch (error) {
      if (draining.signal.aborted && mine.stop.signal.aborted) {
        // Stopped by us: given back untouched, not failed.
        mine.running = false;
        return wake();
      }
      log.warn({ job: name, jobId: mine.id, attempt: mine.retryCount + 1, ...reasonOf(error) }, 'a job failed');
      await settle(() => engine.fail(name, mine, reasonOf(error)));
    }
    held.delete(mine.id);
    wake();
  };

  const fetch = async (): Promise<void> => {
    while (!draining.signal.aborted) {
      const free = concurrency - held.size;
      pause = new AbortController();
      let found: Job<unknown>[] = [];
      try {
        if (free > 0) found = await engine.fetch<unknown>(name, { batchSize: Math.min(free, 100) });
      } catch (error) {
        log.warn({ job: name, reason: reasonOf(error).message }, 'jobs cannot be fetched');
        pause = new AbortController();
      }
      for (const one of found) void run(one);
      // A full batch means there is more; otherwise wait until something is announced, ends, or may have come due.
      if (found.length < free || free <= 0) await clock.sleep(intervals.pollMs, pause.signal);
      // Jobs that were stored as done together free their slots together: one fetch fills them all.
      await nextTurn();
    }
  };

  const touch = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await clock.sleep(intervals.touchMs, ended.signal);
      const mine = [...held.values()];
      if (mine.length === 0 || ended.signal.aborted) continue;
      try {
        const { settled }: { settled?: string[] } = await engine.touch(name, mine);
        for (const one of mine) {
          if (settled?.includes(one.id) === false)
            one.stop.abort(new Error('Another process has taken this job over.'));
        }
      } catch (error) {
        log.warn({ job: name, reason: reasonOf(error).message }, 'no sign of life could be given');
      }
    }
  };

  /** Back to the queue as if never taken: the try does not count and whoever is free begins at once. */
  const giveBack = async (): Promise<void> => {
    const mine = [...held.values()].map(({ id, retryCount }) => `${id}:${retryCount}`);
    if (mine.length === 0) return;
    const text = `WITH back AS (
        UPDATE ${schema}.job SET state = 'retry', started_on = NULL, heartbeat_on = NULL, start_after = now()
        WHERE name = $1 AND state = 'active' AND id::text || ':' || retry_count = ANY($2::text[]) RETURNING id)
      SELECT pg_notify($3, $1) FROM back LIMIT 1`;
    try {
      await engine.getDb().executeSql(text, [name, mine, channel]);
    } catch (error) {
      log.warn(
        { job: name, ...reasonOf(error) },
        'jobs could not be given back; others take them when our sign of life ends',
      );
    }
  };

  const emptied = async (ms: number): Promise<void> => {
    const until = new AbortController();
    const over = clock.sleep(ms, until.signal).then(() => until.abort());
    while ([...held.values()].some(({ running }) => running) && !until.signal.aborted) {
      pause = new AbortController();
      await Promise.race([over, once(pause.signal, 'abort')]);
    }
    until.abort();
  };

  const fetching = fetch();
  const touching = touch();

  return {
    wake,
    async stop(drainMs) {
      draining.abort();
      wake();
      await fetching;
      await emptied(drainMs);
      for (const { stop } of held.values()) stop.abort(new Error('This process is ending.'));
      await emptied(graceMs);
      ended.abort();
      await Promise.all([touching, giveBack()]);
    },
  };
};
