import { randomUUID } from 'node:crypto';
import type { JobInsert, PgBoss } from 'pg-boss';
import type { Clock } from '#clock';
import type { Log } from '#log';
import { grouped } from '#store';
import { type DeadLetter, listDeadLetters } from './dead-letters.ts';
import { defaultJobIntervals, type Executor, type JobDefinition, type JobIntervals } from './definition.ts';
import {
  channelOf,
  createEngine,
  deadLetterQueue,
  fewestConnections,
  mostConnections,
  prepareQueues,
  within,
} from './engine.ts';
import { type QueueWorker, workOn } from './queue-worker.ts';

export { defineJob, type Executor, type JobContext, type JobDefinition, type JobIntervals } from './definition.ts';
export { startSweeping } from './sweep.ts';
export type { DeadLetter };

type SendOptions = {
  /** Runs inside the caller's transaction: rolled back, the job was never sent. */
  within?: Executor | undefined;
  /** At most one job with this key waits; while one does, sending another changes nothing. */
  key?: string | undefined;
  after?: Date | undefined;
  priority?: number | undefined;
};

export type Jobs = {
  /** Without `work` this process only sends. */
  start(options: { work: boolean }): Promise<void>;
  send<Data>(job: JobDefinition<Data>, data: Data, options?: SendOptions): Promise<void>;
  sendMany<Data>(
    job: JobDefinition<Data>,
    items: readonly ({ data: Data } & Omit<SendOptions, 'within'>)[],
    options?: Pick<SendOptions, 'within'>,
  ): Promise<void>;
  /** Sends the job again and again, by a cron expression in UTC; one process of all does it. */
  cron<Data>(job: JobDefinition<Data>, schedule: string, data: Data): Promise<void>;
  deadLetters(options: { limit: number; before?: string }): Promise<{ items: DeadLetter[]; nextCursor?: string }>;
  /** Sends dead letters again; answers how many there were. */
  replay(ids: readonly string[]): Promise<number>;
  ready(): Promise<boolean>;
  /** Takes no new work, waits for what is under way, then stops it; others take what is unfinished at once. */
  stop(options?: { drainMs?: number }): Promise<void>;
};

const mostAtOnce = 1_000;

/** Work that survives its process, on the same PostgreSQL as everything else. */
export const createJobs = (options: {
  connectionString: string;
  jobs: readonly JobDefinition<unknown>[];
  log: Log;
  clock: Clock;
  intervals?: Partial<JobIntervals>;
  schema?: string;
  /** How many connections it may open to work, besides the one it listens with. */
  connections?: number;
}): Jobs => {
  const { connectionString, jobs, log, clock, schema = 'jobs' } = options;
  const connections = Math.min(Math.max(options.connections ?? mostConnections, fewestConnections), mostConnections);
  const intervals = { ...defaultJobIntervals, ...options.intervals };
  const channel = channelOf(schema);
  const workers = new Map<string, QueueWorker>();
  let engine: PgBoss | undefined;
  let stopListening: (() => Promise<void>) | undefined;

  const running = (): PgBoss => {
    if (engine === undefined) throw new Error('jobs are not started');
    return engine;
  };

  const toInsert = (data: unknown, { key, after, priority }: Omit<SendOptions, 'within'>): JobInsert => ({
    data: data as object,
    // The queues hold one waiting job for each key, so a job without one gets a key of its own.
    singletonKey: key ?? randomUUID(),
    // As a distance: the database's clock decides, whatever this machine believes.
    ...(after === undefined ? {} : { startAfter: Math.max(0, after.getTime() - clock.now().getTime()) / 1_000 }),
    ...(priority === undefined ? {} : { priority }),
  });

  const insert = async (name: string, items: JobInsert[], executor?: Executor): Promise<void> => {
    const options = { returnId: false, ...(executor === undefined ? {} : { db: within(executor) }) };
    for (let at = 0; at < items.length; at += mostAtOnce) {
      await running().insert(name, items.slice(at, at + mostAtOnce), options);
    }
  };
  const senders = new Map(
    jobs.map(({ name }) => [
      name,
      grouped(async (items: JobInsert[]) => {
        await insert(name, items);
        return items.map(() => undefined);
      }),
    ]),
  );

  const listen = async (): Promise<void> => {
    const everyone = (): void => workers.forEach((worker) => worker.wake());
    const handle = await running()
      .getDb()
      .listen?.(channel, (name) => workers.get(name)?.wake(), everyone);
    stopListening = async () => handle?.close();
  };

  return {
    async start({ work }) {
      engine = createEngine({ connectionString, schema, work, connections, intervals, log });
      await engine.start();
      await prepareQueues(engine, jobs, intervals);
      if (!work) return;
      for (const job of jobs) {
        workers.set(job.name, workOn({ engine, schema, channel, job, clock, log, intervals }));
      }
      await listen();
    },
    async send(job, data, options = {}) {
      const item = toInsert(data, options);
      const send = senders.get(job.name);
      if (send === undefined) throw new Error(`the job ${job.name} is not on the list`);
      await (options.within === undefined ? send(item) : insert(job.name, [item], options.within));
    },
    async sendMany(job, items, options = {}) {
      const list = items.map(({ data, ...rest }) => toInsert(data, rest));
      await insert(job.name, list, options.within);
    },
    async cron(job, schedule, data) {
      await running().schedule(job.name, schedule, data as object, { tz: 'UTC', missed: 'once' });
    },
    deadLetters: (options) => listDeadLetters(running(), schema, options),
    replay: async (ids) => (ids.length === 0 ? 0 : running().redrive(deadLetterQueue, { ids: [...ids] })),
    async ready() {
      if (engine === undefined) return false;
      const asked = engine.getDb().executeSql('SELECT 1');
      const patience = new AbortController();
      const silence = clock.sleep(2_000, patience.signal).then(() => false);
      try {
        return await Promise.race([asked.then(() => true), silence]);
      } catch {
        return false;
      } finally {
        patience.abort();
      }
    },
    async stop({ drainMs = 20_000 } = {}) {
      if (engine === undefined) return;
      const ending = engine;
      await Promise.all([...workers.values()].map((worker) => worker.stop(drainMs)));
      workers.clear();
      await stopListening?.();
      engine = undefined;
      await ending.stop({ graceful: false, close: true });
    },
  };
};
