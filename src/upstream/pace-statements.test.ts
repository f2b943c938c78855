import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { freshDatabase } from '../../test/database.ts';

/*
 * The statements by which processes share a service's limits; here each condition of theirs is met alone. That no window ever
 * holds more than its limit, whatever comes together, is in pacer.test.ts.
 */

let db: Awaited<ReturnType<typeof freshDatabase>>;
let client: pg.Client;
beforeAll(async () => {
  db = await freshDatabase();
  client = new pg.Client({ connectionString: db.connectionString });
  await client.connect();
  await client.query(`select set_config('app.workspace', '*', false)`);
});
beforeEach(() => client.query('delete from paces; delete from call_slots'));
afterAll(async () => {
  await client.end();
  await db[Symbol.asyncDispose]();
});

type Wish = { bucket: string; limit?: number; reserve?: number; want: number };
const window = 100;

const listsOf = (wishes: readonly (readonly Wish[])[]) => {
  const flat = wishes.flatMap((parts, at) => parts.map((part) => ({ limit: 100, reserve: 0, ...part, wish: at + 1 })));
  return [
    flat.map(({ wish }) => wish),
    flat.map(({ bucket }) => bucket),
    flat.map(({ limit }) => limit),
    flat.map(() => window),
    flat.map(({ reserve }) => reserve),
    flat.map(({ want }) => want),
  ];
};
const arguments6 = '$1::integer[], $2::text[], $3::integer[], $4::float8[], $5::float8[], $6::integer[]';

/** How many calls of each wish pass; each wish needs all of its buckets. */
const take = async (...wishes: Wish[][]) => {
  const text = `select granted, round(wait_ms::numeric / 10000)::integer * 10 as wait from pace_take(${arguments6}) order by wish`;
  return (await client.query<{ granted: number; wait: number }>(text, listsOf(wishes))).rows;
};
const granted = async (...wishes: Wish[][]) => (await take(...wishes)).map((row) => row.granted);
/** Which wishes are met whole. */
const takeAll = async (...wishes: Wish[][]) => {
  const text = `select wish from pace_take_all(${arguments6}) order by wish`;
  return (await client.query<{ wish: number }>(text, listsOf(wishes))).rows.map(({ wish }) => wish);
};
const hold = async (who: string, ...buckets: string[]) => {
  const text = 'select name, size from pace_hold($1, $2, $3, $4, 60) order by name';
  const values = [buckets, buckets.map(() => 100), buckets.map(() => window), who];
  return (await client.query<{ name: string; size: number }>(text, values)).rows.map(({ size }) => size);
};
const block = (bucket: string) =>
  client.query(`update paces set blocked_until = clock_timestamp() + interval '40 s' where bucket = $1`, [bucket]);
/** As if that much time had passed since. */
const later = (seconds: number) =>
  client.query(
    `update paces set at = array(select each - make_interval(secs => $1) from unnest(at) each),
      held_until = array(select each - make_interval(secs => $1) from unnest(held_until) each)`,
    [seconds],
  );

describe('a part of a limit', () => {
  test('is half of what is free, for each who asks', async () => {
    await take([{ bucket: 'a', want: 60 }]);
    expect([await hold('me', 'a'), await hold('you', 'a'), await hold('them', 'a')]).toEqual([[20], [10], [5]]);
  });

  test('stays as large when it is prolonged', async () => {
    await take([{ bucket: 'a', want: 60 }]);
    await hold('me', 'a');
    await take([{ bucket: 'a', want: 10 }]);
    expect(await hold('me', 'a')).toEqual([20]);
    expect(await granted([{ bucket: 'a', want: 50 }])).toEqual([10]);
  });

  test('is not worth while where little is free, and not given while the service wants a pause', async () => {
    await take([{ bucket: 'a', want: 92 }], [{ bucket: 'b', want: 1 }]);
    await block('b');
    expect(await hold('me', 'a', 'b')).toEqual([]);
  });

  test('stays held for a window longer than it may be used, and no longer', async () => {
    await take([{ bucket: 'a', want: 1 }]);
    await hold('me', 'a');
    await later(60 + window - 5);
    expect(await granted([{ bucket: 'a', want: 100 }])).toEqual([51]);
    await client.query('delete from paces');
    await take([{ bucket: 'a', want: 1 }]);
    await hold('me', 'a');
    await later(60 + window + 5);
    expect(await hold('you', 'a')).toEqual([50]);
    expect(await granted([{ bucket: 'a', want: 100 }])).toEqual([50]);
  });
});

describe('calls', () => {
  test('pass as far as the limit goes, less what is kept for those who are in a hurry', async () => {
    expect(await granted([{ bucket: 'a', want: 95, reserve: 0.1 }])).toEqual([90]);
    expect(await granted([{ bucket: 'a', want: 95 }])).toEqual([10]);
  });

  test('pass again once they are a window old', async () => {
    await take([{ bucket: 'a', want: 70 }]);
    await later(window / 2);
    await take([{ bucket: 'a', want: 30 }]);
    expect(await take([{ bucket: 'a', want: 50 }])).toEqual([{ granted: 0, wait: 50 }]);
    await later(window / 2 + 1);
    expect(await granted([{ bucket: 'a', want: 100 }])).toEqual([70]);
  });

  test('need room in each of their limits, and leave the others what they cannot use', async () => {
    await take([{ bucket: 'a', want: 90 }], [{ bucket: 'b', want: 1 }]);
    const both = [
      { bucket: 'a', want: 50 },
      { bucket: 'b', want: 50 },
    ];
    expect(await granted(both, [{ bucket: 'b', want: 95 }])).toEqual([10, 89]);
  });

  test('of two at once share what there is', async () => {
    const wish = [{ bucket: 'a', want: 60 }];
    expect(await granted(wish, wish)).toEqual([60, 40]);
  });

  test('wait while the service wants a pause', async () => {
    await take([{ bucket: 'a', want: 1 }]);
    await block('a');
    expect(await take([{ bucket: 'a', want: 1 }])).toEqual([{ granted: 0, wait: 40 }]);
    expect(await takeAll([{ bucket: 'a', want: 1 }])).toEqual([]);
  });
});

describe('calls that pass whole or not at all', () => {
  test('count as the others do', async () => {
    await take([{ bucket: 'a', want: 1 }]);
    expect(await takeAll([{ bucket: 'a', want: 60 }])).toEqual([1]);
    expect(await takeAll([{ bucket: 'a', want: 40 }])).toEqual([]);
    expect(await takeAll([{ bucket: 'a', want: 39, reserve: 0.1 }])).toEqual([]);
    expect(await granted([{ bucket: 'a', want: 100 }])).toEqual([39]);
  });

  test('give back what they took where another limit of theirs has no room, and only that', async () => {
    await take([{ bucket: 'a', want: 95 }], [{ bucket: 'b', want: 1 }], [{ bucket: 'c', want: 1 }]);
    const both = [
      { bucket: 'a', want: 10 },
      { bucket: 'b', want: 10 },
    ];
    expect(await takeAll(both, [{ bucket: 'c', want: 9 }])).toEqual([2]);
    expect(await granted([{ bucket: 'b', want: 100 }], [{ bucket: 'c', want: 100 }])).toEqual([99, 90]);
  });

  test('leave the parts that others hold', async () => {
    await take([{ bucket: 'a', want: 1 }]);
    await hold('me', 'a');
    expect(await takeAll([{ bucket: 'a', want: 51 }])).toEqual([]);
    expect(await takeAll([{ bucket: 'a', want: 50 }])).toEqual([1]);
  });
});

describe('places', () => {
  const places = async (who: string, fewest: number, most = fewest) => {
    const text = `select slots_take('mailbox', 4, $1, $2, $3, 60) as taken`;
    return (await client.query<{ taken: number[] }>(text, [fewest, most, who])).rows[0]?.taken;
  };
  const leave = (who: string) =>
    client.query(`update call_slots set until = clock_timestamp() where holder = $1`, [who]);

  test('are taken together or not at all, and as many as are wanted', async () => {
    expect(await places('me', 1, 3)).toEqual([1, 2, 3]);
    expect(await places('you', 2)).toEqual([]);
    await leave('me');
    expect(await places('you', 2)).toEqual([1, 2]);
  });

  test('are kept for a moment for who needs several, and free again once that one has them', async () => {
    await places('me', 3);
    expect(await places('you', 2)).toEqual([]);
    // A moment that lasts on any machine.
    await client.query(`update call_slots set wanted_until = wanted_until + interval '1 hour'`);
    expect(await places('them', 1)).toEqual([]);
    await leave('me');
    expect([await places('you', 2), await places('them', 1)]).toEqual([[1, 2], [3]]);
  });

  test('are not kept for who needs one', async () => {
    await places('me', 4);
    expect(await places('you', 1)).toEqual([]);
    await leave('me');
    expect(await places('them', 1)).toEqual([1]);
  });
});
