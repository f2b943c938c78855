import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '#clock';
import type { Fault, Limit, Pace } from '#kit';
import { silentLog } from '#log';
import { openStore, type Store, storageFault } from '#store';
import { freshDatabase } from '../../test/database.ts';
import { createPacer, type Pacer, type Turn } from './pacer.ts';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let stores: Store[];
/** Two processes' pacers on one database. */
let pacers: Pacer[];

beforeAll(async () => {
  database = await freshDatabase();
  stores = [1, 2].map(() => openStore({ connectionString: database.connectionString, max: 4, log: silentLog }));
  pacers = stores.map((store) => createPacer({ store, clock: systemClock() }));
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
  await database[Symbol.asyncDispose]();
});

const pacer = (n: number): Pacer => pacers[n % 2] as Pacer;
const turn = (more: Partial<Turn> = {}): Turn => ({ priority: 'live', maxWaitMs: 30_000, owner: 'a', ...more });
const limited = (bucket: string, limit: number, windowMs: number): Pace => ({ limits: [{ bucket, limit, windowMs }] });
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: Fault) => error,
  );

test('no window ever holds more calls than the limit, with two processes asking at once', async () => {
  const times: number[] = [];
  const pace = limited('window', 10, 1_000);
  await Promise.all(
    Array.from({ length: 45 }, async (_, n) => {
      await pacer(n).admit(pace, turn());
      times.push(performance.now());
    }),
  );
  times.sort((a, b) => a - b);
  const fullest = Math.max(...times.map((start) => times.filter((at) => at >= start && at < start + 600).length));
  expect(times).toHaveLength(45);
  expect(fullest).toBeLessThanOrEqual(10);
});

test('the tightest of several limits decides, and tells what is left', async () => {
  const pace: Pace = {
    limits: [
      { bucket: 'wide', limit: 50, windowMs: 60_000 },
      { bucket: 'narrow', limit: 3, windowMs: 60_000 },
    ],
  };
  const left = [];
  for (let n = 0; n < 3; n++) left.push((await pacer(n).admit(pace, turn())).remaining);
  expect(left).toEqual([2, 1, 0]);
  const refused = await failure(pacer(0).admit(pace, turn({ maxWaitMs: 0 })));
  expect(refused).toMatchObject({ code: 'rate_limited' });
  expect(refused?.retryAfterMs).toBeGreaterThan(50_000);
});

test('who does not want to wait is told at once how long it would be', async () => {
  const pace = limited('impatient', 1, 5_000);
  await pacer(0).admit(pace, turn());
  const refused = await failure(pacer(1).admit(pace, turn({ maxWaitMs: 0 })));
  expect(refused?.retryAfterMs).toBeGreaterThan(3_000);
  expect(refused?.retryAfterMs).toBeLessThan(5_200);
});

test('the background leaves a fifth of the limit to live work', async () => {
  const pace = limited('priority', 10, 60_000);
  const background = turn({ priority: 'background', maxWaitMs: 0 });
  const outcomes = [];
  for (let n = 0; n < 10; n++) outcomes.push(await failure(pacer(n).admit(pace, background)));
  expect(outcomes.filter((each) => each === undefined)).toHaveLength(8);
  expect((await pacer(0).admit(pace, turn({ maxWaitMs: 0 }))).remaining).toBe(1);
});

test('turns go round between owners, so that a busy one does not hold up a calm one', async () => {
  const pace = limited('fair', 4, 300);
  const order: string[] = [];
  const ask = async (owner: string) => {
    await pacer(0).admit(pace, turn({ owner }));
    order.push(owner);
  };
  const busy = Array.from({ length: 20 }, () => ask('busy'));
  const calm = ask('calm');
  await Promise.all([...busy, calm]);
  expect(order.indexOf('calm')).toBeLessThan(4);
});

test('a pause that the service asked for holds for every process', async () => {
  const pace = limited('blocked', 100, 1_000);
  await pacer(0).block(pace.limits, 60_000);
  const refused = await failure(pacer(1).admit(pace, turn({ maxWaitMs: 0 })));
  expect(refused?.retryAfterMs).toBeGreaterThan(50_000);
});

/** Asks until a process holds a part of the limit and is let through by it; answers how often it asked. */
const untilHeld = async (by: Pacer, pace: Pace): Promise<number> => {
  let asked = 0;
  await vi.waitFor(async () => {
    asked += 1;
    expect((await by.admit(pace, turn())).remaining).toBeUndefined();
  }, 45_000);
  return asked;
};

test('who calls often holds a part and counts by itself; parts and the rest together are the limit', async () => {
  const pace = limited('parts', 80, 29_000);
  let passed = 0;
  for (const by of pacers) passed += await untilHeld(by, pace);
  const tries = Array.from({ length: 160 }, (_, n) => failure(pacer(n).admit(pace, turn({ maxWaitMs: 0 }))));
  passed += (await Promise.all(tries)).filter((error) => error === undefined).length;
  expect(passed).toBe(80);
});

test('a pause that the service asked of one process ends the part that another holds', async () => {
  const pace = limited('blocked part', 100, 2_000);
  await untilHeld(pacer(1), pace);
  await pacer(0).block(pace.limits, 60_000);
  await new Promise((resolve) => setTimeout(resolve, 500));
  const refused = await failure(pacer(1).admit(pace, turn({ maxWaitMs: 0 })));
  expect(refused?.retryAfterMs).toBeGreaterThan(50_000);
});

test('nor does a part count that was asked for before a pause, and is told of only after it', async () => {
  const [store] = stores as [Store, Store];
  const pace = limited('asked before', 100, 1_000);
  const { promise: paused, resolve: goOn } = Promise.withResolvers<void>();
  let wasAsked = false;
  const planned: Store['planned'] = async (statement, values) => {
    const rows = await store.planned(statement, values);
    if (statement.name !== 'pace_hold') return rows as never;
    wasAsked = true;
    await paused;
    return rows as never;
  };
  const slow = createPacer({ store: { ...store, planned }, clock: systemClock() });
  for (let n = 0; n < 3; n++) await slow.admit(pace, turn());
  await expect.poll(() => wasAsked).toBe(true);

  await slow.block(pace.limits, 60_000);
  goOn();
  await new Promise((resolve) => setImmediate(resolve));

  expect(await failure(slow.admit(pace, turn({ maxWaitMs: 0 })))).toMatchObject({ code: 'rate_limited' });
});

test('at most four calls are under way at once, over both processes', async () => {
  let under = 0;
  let most = 0;
  const pace: Pace = { limits: [], atOnce: [{ bucket: 'mailbox', limit: 4 }] };
  await Promise.all(
    Array.from({ length: 24 }, async (_, n) => {
      const { release } = await pacer(n).admit(pace, turn());
      under += 1;
      most = Math.max(most, under);
      await new Promise((resolve) => setTimeout(resolve, 20));
      under -= 1;
      release();
    }),
  );
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(4);
});

test('a call that one limit refuses takes nothing of the others', async () => {
  const wide = { bucket: 'refused wide', limit: 10, windowMs: 60_000 };
  const narrow = { bucket: 'refused narrow', limit: 1, windowMs: 60_000 };
  await pacer(0).admit({ limits: [wide, narrow] }, turn());
  for (let n = 0; n < 3; n++) {
    const refused = await failure(pacer(n).admit({ limits: [wide, narrow] }, turn({ maxWaitMs: 0 })));
    expect(refused).toMatchObject({ code: 'rate_limited' });
  }
  expect((await pacer(1).admit({ limits: [wide] }, turn())).remaining).toBe(8);
});

test('calls of one moment that share a limit keep it together', async () => {
  const shared = { bucket: 'shared key', limit: 5, windowMs: 60_000 };
  const limits = (n: number) => [{ bucket: `shared token ${n}`, limit: 3, windowMs: 60_000 }, shared];
  const tries = Array.from({ length: 12 }, (_, n) =>
    failure(pacer(n).admit({ limits: limits(n) }, turn({ maxWaitMs: 0 }))),
  );
  const refused = (await Promise.all(tries)).filter((error) => error !== undefined);
  expect(refused).toHaveLength(7);
});

test('a count that cannot be asked is an outage of ours, and no limit of the service', async () => {
  const away = openStore({ connectionString: 'postgres://x@127.0.0.1:1/x', max: 1, log: silentLog });
  const { admit } = createPacer({ store: away, clock: systemClock() });
  const refused = await Promise.all([1, 2].map(() => failure(admit(limited('away', 10, 500), turn()))));
  expect(refused.map((error) => storageFault(error)?.code)).toEqual(['unavailable', 'unavailable']);
  await away.close();
});

test('a call that counts as several takes all that it needs of each limit, or nothing', async () => {
  const [much, little] = ['much', 'little'].map((bucket) => ({ bucket, limit: 10, windowMs: 60_000 })) as [
    Limit,
    Limit,
  ];
  const both = { limits: [{ ...much, calls: 4 }, little] };
  const asked = Array.from({ length: 3 }, (_, n) => pacer(n).admit(both, turn({ maxWaitMs: 0 })));

  expect((await Promise.all(asked.map(failure))).map((refused) => refused?.code).toSorted()).toEqual([
    'rate_limited',
    undefined,
    undefined,
  ]);
  expect((await pacer(0).admit({ limits: [much] }, turn())).remaining).toBe(1);
  expect((await pacer(1).admit({ limits: [little] }, turn())).remaining).toBe(7);
});
