import pg from 'pg';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { freshDatabase } from '../../test/database.ts';
import { createJobs, defineJob, type Executor, type JobContext, type JobIntervals } from './index.ts';

const Note = z.object({ id: z.string() });
type Note = z.output<typeof Note>;

/** A process on its own database that keeps what its one kind of job was given. */
const bench = async (options: {
  handle?: (note: Note, context: JobContext) => Promise<void>;
  retries?: number;
  concurrency?: number;
  expireSeconds?: number;
  intervals?: Partial<JobIntervals>;
  connections?: number;
  work?: boolean;
}) => {
  const database = await freshDatabase();
  const handled: string[] = [];
  const make = () => {
    const note = defineJob({
      name: 'note',
      data: Note,
      ...(options.retries === undefined ? {} : { retries: options.retries }),
      ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
      ...(options.expireSeconds === undefined ? {} : { expireSeconds: options.expireSeconds }),
      async handle(data, context) {
        await options.handle?.(data, context);
        handled.push(data.id);
      },
    });
    const jobs = createJobs({
      ...database,
      jobs: [note],
      log: silentLog,
      clock: systemClock(),
      intervals: options.intervals ?? {},
      ...(options.connections === undefined ? {} : { connections: options.connections }),
    });
    return { note, jobs };
  };
  const { note, jobs } = make();
  await jobs.start({ work: options.work ?? true });
  const pool = new pg.Pool({ connectionString: database.connectionString });
  pool.on('error', () => {});
  return {
    note,
    jobs,
    handled,
    pool,
    make,
    database,
    async [Symbol.asyncDispose]() {
      await jobs.stop({ drainMs: 0 });
      await pool.end();
      await database[Symbol.asyncDispose]();
    },
  };
};

const eventually = <Value>(look: () => Value | Promise<Value>) => expect.poll(look);

const executorOf = (client: pg.PoolClient): Executor => ({
  executeSql: async (text, values) => ({ rows: (await client.query(text, values)).rows }),
});

test('a new job wakes a worker that would not have looked for a long time', async () => {
  await using b = await bench({ intervals: { pollMs: 600_000 } });
  await new Promise((resolve) => setTimeout(resolve, 100));

  await b.jobs.send(b.note, { id: 'now' });

  await eventually(() => b.handled).toEqual(['now']);
});

test('a job sent in a transaction exists only when that transaction commits', async () => {
  await using b = await bench({});
  const client = await b.pool.connect();
  await client.query('BEGIN');
  await b.jobs.send(b.note, { id: 'never' }, { within: executorOf(client) });
  await client.query('ROLLBACK');
  await client.query('BEGIN');
  await b.jobs.sendMany(b.note, [{ data: { id: 'committed' } }], { within: executorOf(client) });
  await client.query('COMMIT');
  client.release();
  await eventually(() => b.handled).toEqual(['committed']);

  await b.jobs.send(b.note, { id: 'later' });

  await eventually(() => b.handled).toEqual(['committed', 'later']);
});

test('while a job with a key waits, another with that key changes nothing', async () => {
  await using b = await bench({ work: false });

  await b.jobs.send(b.note, { id: 'first' }, { key: 'same' });
  await b.jobs.send(b.note, { id: 'second' }, { key: 'same' });
  await b.jobs.sendMany(b.note, [
    { data: { id: 'third' }, key: 'same' },
    { data: { id: 'other' }, key: 'other' },
    { data: { id: 'free' } },
    { data: { id: 'free too' } },
  ]);

  const worker = b.make();
  await worker.jobs.start({ work: true });
  await eventually(() => b.handled.toSorted()).toEqual(['first', 'free', 'free too', 'other']);
  await b.jobs.send(b.note, { id: 'again' }, { key: 'same' });
  await eventually(() => b.handled).toContain('again');
  await worker.jobs.stop();
  expect(b.handled).toHaveLength(5);
});

test('a job that fails for good rests among the dead letters with its reason and delays no other', async () => {
  await using b = await bench({
    concurrency: 1,
    retries: 1,
    handle: async ({ id }) => {
      // Neither half a character, such as where a long reason is cut, nor the zero character can be stored.
      if (id.startsWith('poison')) throw new Error(`cannot swallow ${id}\0${'.'.repeat(1_983 - id.length)}😀`);
    },
  });

  await b.jobs.sendMany(b.note, [
    { data: { id: 'poison' } },
    ...Array.from({ length: 50 }, (_, n) => ({ data: { id: `good ${n}` } })),
    { data: { id: 'poison too' } },
  ]);

  await eventually(() => b.handled.length).toBe(50);
  const letters = async () => (await b.jobs.deadLetters({ limit: 10 })).items;
  await eventually(async () => (await letters()).length).toBe(2);
  expect((await letters()).map(({ name, data, reason }) => ({ name, data, reason }))).toEqual(
    expect.arrayContaining([
      { name: 'note', data: { id: 'poison' }, reason: expect.stringMatching(/^cannot swallow poison\ufffd\.+\ufffd$/) },
      {
        name: 'note',
        data: { id: 'poison too' },
        reason: expect.stringMatching(/^cannot swallow poison too\ufffd\.+\ufffd$/),
      },
    ]),
  );
  const first = await b.jobs.deadLetters({ limit: 1 });
  const second = await b.jobs.deadLetters({ limit: 1, before: first.nextCursor ?? '' });
  expect(second.nextCursor).toBeUndefined();
  expect(new Set([...first.items, ...second.items].map(({ id }) => id)).size).toBe(2);
  await expect(b.jobs.deadLetters({ limit: 1, before: 'forged' })).rejects.toMatchObject({ code: 'invalid_input' });
});

test('a dead letter can be sent again', async () => {
  let broken = true;
  await using b = await bench({
    retries: 0,
    handle: async () => {
      if (broken) throw new Error('not yet');
    },
  });
  await b.jobs.send(b.note, { id: 'patient' });
  await eventually(async () => (await b.jobs.deadLetters({ limit: 1 })).items.length).toBe(1);
  broken = false;

  const [letter] = (await b.jobs.deadLetters({ limit: 1 })).items;
  expect(await b.jobs.replay([letter?.id ?? ''])).toBe(1);

  await eventually(() => b.handled).toEqual(['patient']);
  expect((await b.jobs.deadLetters({ limit: 1 })).items).toEqual([]);
});

test('a try that takes too long is told to stop and counts as failed', async () => {
  const reasons: unknown[] = [];
  await using b = await bench({
    retries: 0,
    expireSeconds: 1,
    handle: (_, { signal }) =>
      new Promise(() => signal.addEventListener('abort', () => reasons.push(signal.reason), { once: true })),
  });

  await b.jobs.send(b.note, { id: 'endless' });

  await eventually(async () => (await b.jobs.deadLetters({ limit: 1 })).items[0]?.reason).toContain('1 s');
  expect(reasons).toHaveLength(1);
});

test('a stop waits for the work under way and takes no more', async () => {
  const gate = Promise.withResolvers<void>();
  let hurried: boolean | undefined;
  await using b = await bench({
    concurrency: 1,
    handle: async (_, { signal }) => {
      await gate.promise;
      hurried = signal.aborted;
    },
  });
  await b.jobs.sendMany(b.note, [{ data: { id: 'under way' } }, { data: { id: 'waiting' } }]);
  await eventually(async () => (await b.pool.query("SELECT 1 FROM jobs.job WHERE state = 'active'")).rowCount).toBe(1);

  setTimeout(gate.resolve, 100);
  await b.jobs.stop({ drainMs: 20_000 });

  expect(b.handled).toHaveLength(1);
  expect(hurried).toBe(false);
  const { rows } = await b.pool.query(
    "SELECT state::text, count(*)::int FROM jobs.job WHERE name = 'note' GROUP BY 1 ORDER BY 1",
  );
  expect(rows).toEqual([
    { state: 'completed', count: 1 },
    { state: 'created', count: 1 },
  ]);
});

test('what a stop cannot wait for is taken by another process at once, and the try does not count', async () => {
  const attempts: number[] = [];
  const gate = Promise.withResolvers<void>();
  await using b = await bench({
    retries: 0,
    handle: (_, { signal, attempt }) => {
      attempts.push(attempt);
      if (attempts.length > 1) return gate.promise;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  await b.jobs.send(b.note, { id: 'long' });
  await eventually(() => attempts.length).toBe(1);
  const other = b.make();
  await other.jobs.start({ work: true });

  await b.jobs.stop({ drainMs: 10 });

  await eventually(() => attempts).toEqual([1, 1]);
  gate.resolve();
  await eventually(() => b.handled).toEqual(['long']);
  await other.jobs.stop();
});

test('work goes on after the database has cut every connection', async () => {
  await using b = await bench({});
  await b.jobs.send(b.note, { id: 'before' });
  await eventually(() => b.handled).toEqual(['before']);

  await b.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'switchboard jobs'",
  );

  await eventually(() => b.jobs.ready()).toBe(true);
  await b.jobs.send(b.note, { id: 'after' });
  await eventually(() => b.handled).toEqual(['before', 'after']);
});

test('several processes may start at once on an empty database', async () => {
  await using b = await bench({ work: false });
  await b.pool.query('DROP SCHEMA jobs CASCADE');
  const many = Array.from({ length: 4 }, () => b.make());

  await Promise.all(many.map(({ jobs }) => jobs.start({ work: true })));

  await many[0]?.jobs.send(b.note, { id: 'one' });
  await eventually(() => b.handled).toEqual(['one']);
  await Promise.all(many.map(({ jobs }) => jobs.stop()));
  expect(b.handled).toEqual(['one']);
});

test('many jobs at once are done with as few connections as it may open, and one to listen', async () => {
  let most = 0;
  await using b = await bench({
    concurrency: 20,
    connections: 3,
    handle: async () => {
      const { rows } = await b.pool.query<{ open: number }>(
        "select count(*)::int as open from pg_stat_activity where datname = current_database() and application_name = 'switchboard jobs'",
      );
      most = Math.max(most, rows[0]?.open ?? 0);
    },
  });
  await Promise.all(Array.from({ length: 40 }, (_, n) => b.jobs.send(b.note, { id: String(n) })));
  await eventually(() => b.handled.length).toBe(40);
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
});

test('no more jobs run at a time than allowed, and the urgent go first', async () => {
  let running = 0;
  let most = 0;
  const order: string[] = [];
  await using b = await bench({
    concurrency: 3,
    work: false,
    handle: async ({ id }) => {
      order.push(id);
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
    },
  });
  await b.jobs.sendMany(
    b.note,
    Array.from({ length: 30 }, (_, n) => ({ data: { id: String(n) } })),
  );
  await b.jobs.send(b.note, { id: 'urgent' }, { priority: 10 });
  const worker = b.make();
  await worker.jobs.start({ work: true });

  await eventually(() => b.handled.length).toBe(31);

  expect(order.slice(0, 3)).toContain('urgent');
  expect(most).toBe(3);
  await worker.jobs.stop();
});

test('a job waits for its time', async () => {
  const times: number[] = [];
  await using b = await bench({ handle: async () => void times.push(Date.now()) });
  const soon = new Date(Date.now() + 500);
  await b.jobs.send(b.note, { id: 'tomorrow' }, { after: new Date(Date.now() + 86_400_000) });

  await b.jobs.send(b.note, { id: 'soon' }, { after: soon });

  await eventually(() => b.handled).toEqual(['soon']);
  expect(times[0]).toBeGreaterThanOrEqual(soon.getTime());
});

test('a schedule is stored once however many processes ask for it', async () => {
  await using b = await bench({});
  const other = b.make();
  await other.jobs.start({ work: true });

  await Promise.all([b.jobs, other.jobs].map((jobs) => jobs.cron(b.note, '*/5 * * * *', { id: 'tick' })));

  const { rows } = await b.pool.query('SELECT name, cron FROM jobs.schedule');
  expect(rows).toEqual([{ name: 'note', cron: '*/5 * * * *' }]);
  await other.jobs.stop();
});

test('it is not ready before it has started, nor after it has stopped', async () => {
  await using b = await bench({ work: false });
  expect(await b.make().jobs.ready()).toBe(false);
  expect(await b.jobs.ready()).toBe(true);
  await b.jobs.stop();
  expect(await b.jobs.ready()).toBe(false);
});
