import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { silentLog } from '#log';
import { followDatabaseTime, openStore } from '#store';
import { freshDatabase } from './database.ts';
import { workbench } from './workbench.ts';

const hour = 3_600_000;

test.each([
  ['behind', -30 * hour],
  ['ahead', 30 * hour],
])(
  'a process whose clock is %s makes links, sessions and remembered answers that hold for the others',
  async (_, ms) => {
    await using bench = await workbench({ config: { clockOffsetMs: ms } });
    const cookie = await bench.signInAsOwner();
    await bench.call('POST', '/v1/api-keys', {
      cookie,
      body: { name: 'once', scopes: ['read'] },
      headers: { 'idempotency-key': 'once' },
    });
    await bench.call('POST', `/v1/members/${(await bench.owned('GET', '/v1/members')).body.items[0].id}/sign-in-link`, {
      cookie,
    });

    const database = new pg.Client({ connectionString: bench.connectionString });
    await database.connect();
    await database.query("select set_config('app.workspace', '*', false)");
    const { rows } = await database.query(`
    select (select max(abs(extract(epoch from expires_at - now() - interval '15 min'))) from sign_in_links) < 60 as links,
      (select max(abs(extract(epoch from expires_at - now() - interval '30 days'))) from sessions) < 60 as sessions,
      (select max(abs(extract(epoch from created_at - now()))) from idempotency) < 60 as answers`);
    await database.end();
    expect(rows).toEqual([{ links: true, sessions: true, answers: true }]);
  },
);

test('a machine whose clock jumps goes by the time of its database', async () => {
  await using database = await freshDatabase();
  const store = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
  const time = await followDatabaseTime({ store, log: silentLog, lookMs: 5 });
  const real = Date.now();
  const jump = vi.spyOn(Date, 'now').mockReturnValue(real + 6 * hour);
  try {
    await sleep(30);
    expect(Math.abs(time.now() - real)).toBeLessThan(hour);
  } finally {
    jump.mockRestore();
    time.close();
    await store.close();
  }
});

test('a machine that is nearly a second ahead goes by the time of its database, too: processes differ by less than services tell', async () => {
  await using database = await freshDatabase();
  const store = openStore({ connectionString: database.connectionString, max: 1, log: silentLog });
  const real = () => performance.timeOrigin + performance.now();
  const ahead = vi.spyOn(Date, 'now').mockImplementation(() => real() + 900);
  const time = await followDatabaseTime({ store, log: silentLog, lookMs: 5 });
  try {
    await expect.poll(() => Math.abs(time.now() - real()) < 450).toBe(true);
  } finally {
    ahead.mockRestore();
    time.close();
    await store.close();
  }
});
