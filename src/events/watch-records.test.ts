import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { defaultIntervals, systemClock } from '#clock';
import { silentLog } from '#log';
import { freshStore } from '../../test/fresh-store.ts';
import { createWatchRecords, type HeldWatch } from './watch-records.ts';

let opened: Awaited<ReturnType<typeof freshStore>>;
let records: ReturnType<typeof createWatchRecords>;
const hour = 3_600_000;

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
  const given = { clock: systemClock(), intervals: defaultIntervals, log: silentLog, owner: 'us' };
  records = createWatchRecords({ store, ...given });
});
afterAll(async () => {
  records.close();
  await opened[Symbol.asyncDispose]();
});
beforeEach(async () => {
  await sql`update watches set next_look_at = clock_timestamp(), next_check_at = clock_timestamp(), lease_until = null,
    lease_owner = null`.execute(opened.store.system);
});

const takes = { look: () => records.claimLooks(1), check: () => records.claimChecks(1) };
const ask = (what: 'look' | 'check') =>
  sql`update watches set ${sql.ref(`next_${what}_at`)} = clock_timestamp()`.execute(opened.store.system);

test.each(['look', 'check'] as const)(
  'who asks for a %s while one is under way is not forgotten, unless that met trouble',
  async (what) => {
    const take = async () => (await takes[what]())[0] as HeldWatch;
    const next = { [`${what}Ms`]: hour };

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
