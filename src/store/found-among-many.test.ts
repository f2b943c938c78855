import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshStore } from '../../test/fresh-store.ts';
import { readInVain } from '../../test/read-in-vain.ts';
import { accountsLeaving, accountsOf } from './accounts-now.ts';
import type { Store } from './store.ts';
import { areNow, triggersNow } from './triggers-now.ts';

let opened: Awaited<ReturnType<typeof freshStore>>;
let store: Store;

beforeAll(async () => {
  opened = await freshStore();
  store = opened.store;
  const db = store.system;
  await sql`insert into workspaces (workspace_id, name, created_at) values ('ws', 'ws', now())`.execute(db);
  await sql`insert into agents (id, workspace_id, name, state, version, tool_ids, created_at, updated_at)
    values ('agt', 'ws', 'agt', 'enabled', 1, '{}', now(), now())`.execute(db);
  // The first sixteen are one of each kind; all others work. Who left in the last minute has something under way.
  await sql`insert into accounts (id, workspace_id, integration, name, identity, identity_id, state, auth_method, permission_types,
      scopes, credential, end_user_id, disconnected_at, open_runs, created_at)
    select 'acc_' || n, 'ws', 'board', n, '{}', n, state, 'key_token', '{}', '{}',
      case when state <> 'disconnected' then ''::bytea end, 'user-' || n, case when state = 'disconnected' then now() end,
      case when n = 3 then '{run_1}'::text[] when state = 'disconnected' then '{}' end, now()
    from generate_series(0, 2000) n, lateral (select case when n < 16
      then (array['connected', 'needs_reconnect', 'paused', 'disconnected'])[1 + n % 4] else 'connected' end as state) a`.execute(
    db,
  );
  await sql`insert into triggers (id, workspace_id, agent_id, account_id, type, name, config, state, since, created_at)
    select 'trg_' || n, 'ws', 'agt', 'acc_' || n, 'board.new_card', n, '{}',
      case when n between 8 and 15 then 'paused' else 'enabled' end, now(), now() from generate_series(0, 2000) n`.execute(
    db,
  );
  await sql`insert into watches (id, workspace_id, account_id, integration, resource, token, state, state_since, created_at)
    select 'wch_' || n, 'ws', 'acc_' || n, 'board', 'board', n,
      case when n < 16 and n / 4 % 2 = 0 then 'broken' else 'healthy' end, now(), now() from generate_series(0, 2000) n`.execute(
    db,
  );
  await sql`insert into trigger_watches (workspace_id, trigger_id, watch_id, since)
    select 'ws', 'trg_' || n, 'wch_' || n, now() from generate_series(0, 2000) n`.execute(db);
  await sql`analyze`.execute(db);
});
afterAll(() => opened[Symbol.asyncDispose]());

const ids = async (asked: RawBuilder<{ id: string }>): Promise<string[]> =>
  (await asked.execute(store.system)).rows.map(({ id }) => id).toSorted();

const inVain = (asked: RawBuilder<unknown>): Promise<number> => {
  const { sql: text, parameters } = asked.compile(store.system);
  return readInVain(store, text, parameters);
};

test('the account of an end user is found without reading those of others', async () => {
  const found = sql<{ id: string }>`select id from accounts where workspace_id = 'ws' and ${accountsOf('user-700')}`;
  expect(await ids(found)).toEqual(['acc_700']);
  expect(await inVain(found)).toBe(0);
  expect(await ids(sql`select id from accounts where workspace_id = 'ws' and ${accountsOf(null)}`)).toEqual([]);
});

test('accounts that are leaving are found without reading those that stay', async () => {
  const found = sql<{ id: string }>`select id from accounts where ${accountsLeaving} and open_runs is not null`;
  expect(await ids(found)).toEqual(['acc_3']);
  expect(await inVain(found)).toBe(0);
});

test('triggers are found by the state they are shown in, and those that are broken without reading the others', async () => {
  const those = (which: RawBuilder<unknown>) => sql<{ id: string }>`
    select id, reason_now from ${triggersNow('ws')} t where ${which}`;
  for (const state of ['enabled', 'paused', 'broken'] as const)
    expect(await ids(those(areNow('ws', state)))).toEqual(await ids(those(sql`t.state_now = ${state}`)));
  expect(await inVain(those(areNow('ws', 'broken')))).toBeLessThan(50);
});
