import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultIntervals, systemClock } from '#clock';
import { silentLog } from '#log';
import { freshStore } from '../../test/fresh-store.ts';
import { createSuspects } from './suspects.ts';
import { createWatchRecords, type HeldWatch } from './watch-records.ts';

let opened: Awaited<ReturnType<typeof freshStore>>;
let records: ReturnType<typeof createWatchRecords>;
const hour = 3_600_000;
const suspects = createSuspects();

beforeAll(async () => {
  opened = await freshStore();
  const { store } = opened;
  const db = store.system;
  await sql`insert into workspaces (workspace_id, name, created_at) values ('ws', 'ws', now())`.execute(db);
  await sql`insert into accounts (id, workspace_id, integration, name, identity, identity_id, state, auth_method, permission_types,
      scopes, credential, created_at)
    values ('acc', 'ws', 'mail', 'acc', '{}', 'acc', 'connected', 'oauth2', '{}', '{}', '', now())`.execute(db);
  await sql`insert into watches (id, workspace_id, account_id, integration, resource, token, state, state_since, created_at)
    values ('wch', 'ws', 'acc', 'mail', 'mailbox', 'token', 'healthy', now(), now())`.execute(db);
  const given = { clock: systemClock(), intervals: defaultIntervals, log: silentLog, owner: 'us', suspects };
  records = createWatchRecords({ store, ...given });
});
afterAll(async () => {
  records.close();
  await opened[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await sql`update watches set next_look_at = clock_timestamp(), next_check_at = clock_timestamp(), glance_at = clock_timestamp(), lease_until = null,
    lease_owner = null, lapses = 0, apart_until = null`.execute(opened.store.system);
});

const takes = {
  look: () => records.claimLooks(1),
  check: () => records.claimChecks(1),
  glance: () => records.claimGlances(1),
};
const dues = { look: 'next_look_at', check: 'next_check_at', glance: 'glance_at' };
const dones = { look: { lookMs: hour }, check: { checkMs: hour }, glance: { hasGlanced: true } };
const ask = (what: keyof typeof takes) =>
  sql`update watches set ${sql.ref(dues[what])} = clock_timestamp()`.execute(opened.store.system);

test.each(['look', 'check', 'glance'] as const)(
  'who asks for a %s while one is under way is not forgotten, unless that met trouble',
  async (what) => {
    const take = async () => (await takes[what]())[0] as HeldWatch;
    const next = dones[what];

    await records.release(await take(), next);
    expect(await take()).toBeUndefined();

    await ask(what);
    const held = await take();
    await ask(what);
    await records.release(held, next);
    const again = await take();
    expect(again).toMatchObject({ id: 'wch' });

    await ask(what);
    await records.release(again, { ...next, isTroubled: true });
    expect(await take()).toBeUndefined();
  },
);

test('a look that was to begin anew elsewhere gets no further, even where this very process has begun it again', async () => {
  const db = opened.store.system;
  const advance = (held: HeldWatch, cursor: string) =>
    db.transaction().execute((tx) => records.advance(tx, held, { cursor, isOver: true }));
  const place = async () => (await sql<{ cursor: unknown }>`select cursor from watches`.execute(db)).rows[0]?.cursor;
  const first = (await records.claimLooks(1))[0] as HeldWatch;
  expect(await advance(first, 'far')).toBeDefined();
  await records.beginAnew(db, { id: 'wch', cursor: 'earlier', until: new Date(0) });
  const second = (await records.claimLooks(1))[0] as HeldWatch;
  expect(second).toMatchObject({ id: 'wch', cursor: 'earlier' });

  expect(await advance(first, 'farther')).toBeUndefined();
  await records.release(first, { lookMs: hour });
  expect(await place()).toBe('earlier');
  expect(await records.claimLooks(1)).toEqual([]);
  expect(await advance(second, 'a little')).toBeDefined();
});

describe('a look whose process died', () => {
  const watch = async () => {
    const { rows } = await sql<{ lapses: number; apart: boolean; seconds: number }>`
      select lapses, apart_until > now() as apart, extract(epoch from lease_until - clock_timestamp())::integer as seconds
      from watches`.execute(opened.store.system);
    return rows[0];
  };
  const dies = () =>
    sql`update watches set lease_until = clock_timestamp() - interval '1 s'`.execute(opened.store.system);
  const look = async () => (await records.claimLooks(1))[0] as HeldWatch;

  test('is counted by whoever takes its watch next, until one comes to its end or gets on; from the third on all is judged apart', async () => {
    for (const lapses of [0, 1, 2]) {
      expect(await look()).toMatchObject({ lapses });
      expect(await watch()).toMatchObject({ lapses, apart: null });
      await dies();
    }
    const held = await look();
    expect(held).toMatchObject({ lapses: 3 });
    expect(await watch()).toMatchObject({ lapses: 3, apart: true });
    await opened.store.system.transaction().execute(async (tx) => {
      await records.advance(tx, held, { cursor: 1, isOver: false });
    });
    expect(await watch()).toMatchObject({ lapses: 0, apart: true });
    suspects.letGo(held);
  });

  test('is not made good by a check, and one that failed is no death', async () => {
    await look();
    await dies();
    const [check] = await records.claimChecks(1);
    await records.release(check as HeldWatch, { checkMs: hour, lookMs: 0 });
    const held = await look();
    expect(held).toMatchObject({ lapses: 1 });
    await expect(records.holding(held, () => Promise.reject(new Error('Storage is away.')))).rejects.toThrow();
    await dies();
    const again = await look();
    expect(again).toMatchObject({ lapses: 1 });
    await records.release(again, { lookMs: hour, failures: 0 });
    expect(await watch()).toMatchObject({ lapses: 0 });
  });

  test('is taken up alone after a few times, however many of them are due, and nothing else waits for it', async () => {
    const more = (id: string, lapses: number) =>
      sql`insert into watches (id, workspace_id, account_id, integration, resource,
        token, state, state_since, created_at, next_look_at, lapses)
      values (${id}, 'ws', 'acc', 'mail', ${id}, ${id}, 'healthy', now(), now(), now(), ${lapses})`.execute(
        opened.store.system,
      );
    await more('died', 5);
    await more('died, too', 4);
    const taken = async () => (await records.claimLooks(10)).toSorted((a, b) => a.id.localeCompare(b.id));
    const first = await taken();
    expect(first.map(({ id }) => id)).toEqual([expect.stringMatching('died'), 'wch']);
    expect(await taken()).toEqual([]);
    await more('fresh', 0);
    expect(await taken()).toMatchObject([{ id: 'fresh' }]);
    await records.holding(first[0] as HeldWatch, async () => {});
    const second = await taken();
    expect(second.map(({ id }) => id)).toEqual([expect.stringMatching('died')]);
    suspects.letGo(second[0] as HeldWatch);
    await sql`delete from watches where id <> 'wch'`.execute(opened.store.system);
  });

  test('24 times in a row is left alone for as long as a look is apart from the next', async () => {
    await sql`update watches set lapses = 24`.execute(opened.store.system);
    await look();
    expect((await watch())?.seconds).toBeGreaterThan(200);
  });
});
