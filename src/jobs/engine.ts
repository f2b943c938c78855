import { createHash } from 'node:crypto';
import { type Db, PgBoss } from 'pg-boss';
import type { Log } from '#log';
import { saidBy } from '#store';
import type { Executor, JobDefinition, JobIntervals } from './definition.ts';

/** Where jobs rest that failed for good; nothing works on it. */
export const deadLetterQueue = 'dead-letters';

const triesOf = (job: JobDefinition<unknown>) => ({
  retryLimit: job.retries ?? 7,
  expireInSeconds: job.expireSeconds ?? 300,
});

const seconds = (ms: number): number => ms / 1_000;
const day = 86_400;
// Handed on to its connections: a database that hangs is given up, and asked again by another.
const patience = { query_timeout: 30_000 };

export const fewestConnections = 3;
export const mostConnections = 8;

/** The engine, which only this room knows. It logs its own troubles: without a listener a restart of the database ends the process. */
export const createEngine = (options: {
  connectionString: string;
  schema: string;
  work: boolean;
  connections: number;
  intervals: JobIntervals;
  log: Log;
}): PgBoss => {
  const { connectionString, schema, work, connections, intervals, log } = options;
  const engine = new PgBoss({
    ...patience,
    connectionString,
    schema,
    application_name: 'switchboard jobs',
    max: work ? connections : fewestConnections,
    supervise: work,
    schedule: work,
    superviseIntervalSeconds: seconds(intervals.superviseMs),
    monitorIntervalSeconds: seconds(intervals.superviseMs),
    maintenanceIntervalSeconds: 600,
  });
  engine.on('error', (error) => log.warn({ reason: saidBy(error) }, 'the job queue met a problem'));
  engine.on('warning', ({ message }) => log.warn({ reason: message }, 'the job queue warns'));
  return engine;
};

/** Makes the queues, or brings them up to date; any number of processes may do so at once. */
export const prepareQueues = async (
  engine: PgBoss,
  jobs: readonly JobDefinition<unknown>[],
  intervals: JobIntervals,
): Promise<void> => {
  const known = new Map((await engine.getQueues()).map((queue) => [queue.name, queue]));
  if (!known.has(deadLetterQueue)) await engine.createQueue(deadLetterQueue);
  await Promise.all(
    jobs.map(async (job) => {
      const wanted = {
        ...triesOf(job),
        heartbeatSeconds: Math.max(10, Math.ceil(seconds(intervals.heartbeatMs))),
        retryDelay: 1,
        retryBackoff: true,
        // With heartbeat and supervision it keeps a dead process's job under 30 s from its next start.
        retryDelayMax: 10,
        retentionSeconds: 365 * day,
        deleteAfterSeconds: 3_600,
        deadLetter: deadLetterQueue,
        notify: true,
      };
      const queue = known.get(job.name);
      // At most one waiting job for each key; see `keyOf`.
      if (queue === undefined) await engine.createQueue(job.name, { policy: 'short', ...wanted });
      const same = Object.entries(wanted).every(([name, value]) => queue?.[name as keyof typeof wanted] === value);
      if (queue !== undefined && !same) await engine.updateQueue(job.name, wanted);
    }),
  );
};

/** The channel on which the engine announces new jobs, by the queue's name. */
export const channelOf = (schema: string): string =>
  `pgboss_${createHash('sha224').update(schema).digest('hex').slice(0, 24)}`;

/** The caller's transaction, as the engine takes it. */
export const within = (executor: Executor): Db => ({
  executeSql: (text, values = []) => executor.executeSql(text, values),
});
