import { type RawBuilder, sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '#store';
import { freshStore } from '../../test/fresh-store.ts';
import { keepPause, keepPauseOfAccount } from './passed-pauses.ts';
import { forgetFailedHints } from './settle.ts';
import { countSkipped, lookThroughNext } from './skipped-in-pause.ts';

let opened: Awaited<ReturnType<typeof freshStore>>;
let store: Store;

beforeAll(async () => {
  opened = await freshStore();
  store = opened.store;
  await sql`insert into workspaces (workspace_id, name, created_at) values ('ws', 'ws', now())`.execute(store.system);
  await sql`insert into agents (id, workspace_id, name, state, version, tool_ids, created_at, updated_at)
    values ('agt', 'ws', 'agt', 'enabled', 1, '{}', now(), now())`.execute(store.system);
  await sql`insert into accounts (id, workspace_id, integration, name, identity, identity_id, state, auth_method, permission_types,
      scopes, credential, created_at)
    values ('acc', 'ws', 'board', 'acc', '{}', 'acc', 'connected', 'key_token', '{}', '{}', '', now())`.execute(
    store.system,
  );
  await sql`insert into triggers (id, workspace_id, agent_id, account_id, type, name, config, state, paused_at, since, created_at)
    values ('trg', 'ws', 'agt', 'acc', 'board.new_card', 'trg', '{}', 'paused', now() - interval '1 day', now(), now())`.execute(
    store.system,
  );
  await sql`insert into events (id, workspace_id, trigger_id, watch_id, key, upstream_id, outcome, reason, retry, occurred_at,
      received_at, delivery, upstream_order, summary, occurrence)
    select 'evt_' || lpad(n::text, 4, '0'), 'ws', case when n % 2 = 0 then 'trg' else 'trg_' || n end, 'wch_' || n % 2, 'hint ' || n, n, outcome, 'the trigger was paused',
      case when outcome = 'failed' then 'dead' end, now(), now(), 'live', '', '', '{}'
    from generate_series(1, 2000) n, lateral (select case when n in (7, 8, 2000) then 'skipped' else 'failed' end as outcome) o`.execute(
    store.system,
  );
  await sql`analyze`.execute(store.system);
});
afterAll(() => opened[Symbol.asyncDispose]());

/** How many events a statement reads, whether it uses them or not. */
const eventsRead = async (statement: RawBuilder<unknown>): Promise<number> => {
  const plan = await sql`explain (analyze, timing off, costs off) ${statement}`.execute(store.system);
  let read = 0;
  JSON.stringify(plan.rows, (_, value) => {
    const [, rows, loops] = /Scan .*on events e \(actual rows=(\S+) loops=(\d+)\)/.exec(String(value)) ?? [];
    const [, removed] = /Rows Removed by Filter: (\d+)/.exec(String(value)) ?? [];
    read += Number(rows ?? 0) * Number(loops ?? 0) + Number(removed ?? 0);
    return value;
  });
  return read;
};

test('what could not be read at first is forgotten once it can, without going through all that has failed', async () => {
  const hints = ['5', '7', '8'].map((hint) => ({ workspaceId: 'ws', watchId: 'wch_1', hint }));
  expect(await eventsRead(forgetFailedHints(hints))).toBeLessThan(5);
  const { rows } = await sql`select n from generate_series(1, 2000) n
    where not exists (select from events where key = 'hint ' || n)`.execute(store.system);
  expect(rows).toEqual([{ n: 5 }]);
});

test('what a pause has skipped is looked for some at a time, however long the history of its trigger is', async () => {
  const trigger = { workspace_id: 'ws', id: 'trg' };
  expect(await countSkipped(store.system, trigger, 100)).toBe(2);
  const some = sql`with ${lookThroughNext(trigger, 'evt_0500', 100)} select (select max(id) from looked), id from chosen`;
  expect(await eventsRead(some)).toBeLessThan(300);
});

test('an account goes on some triggers at a time, however many it has', async () => {
  await sql`insert into triggers (id, workspace_id, agent_id, account_id, type, name, config, state, since, created_at)
    select 'trg_' || n, 'ws', 'agt', 'acc', 'board.new_card', 'trg', '{}', 'enabled', now(), now()
    from generate_series(1, 4) n`.execute(store.system);
  await sql`insert into watches (id, workspace_id, account_id, integration, resource, token, state, state_since, created_at)
    select 'wch_' || n, 'ws', 'acc', 'board', 'board/' || n, 'token ' || n, 'healthy', now(), now()
    from generate_series(1, 5) n`.execute(store.system);
  const account = { workspaceId: 'ws', accountId: 'acc' };
  const pause = { from: new Date('2026-01-01T00:00:00Z'), until: new Date('2026-01-01T01:00:00Z') };
  await store
    .of('ws')
    .transaction()
    .execute((tx) => keepPauseOfAccount(tx, account, pause, 2));
  const kept =
    await sql`select trigger_id as id, from_at as from, until_at as until from passed_pauses order by 1`.execute(
      store.system,
    );
  expect(kept.rows).toEqual(['trg', 'trg_1', 'trg_2', 'trg_3', 'trg_4'].map((id) => ({ id, ...pause })));
  const told = await sql`select distinct roster from watches`.execute(store.system);
  expect(told.rows).toEqual([{ roster: 2 }]);
});

test('of a trigger that is paused again and again only the latest hundred pauses are kept', async () => {
  await sql`insert into triggers (id, workspace_id, agent_id, account_id, type, name, config, state, since, created_at)
    select id, 'ws', 'agt', 'acc', 'board.new_card', 'trg', '{}', 'enabled', now(), now()
    from unnest(array['trg_often', 'trg_once']) id`.execute(store.system);
  const hour = (n: number) => new Date(Date.UTC(2026, 0, 1, n));
  const often = { workspace_id: 'ws', id: 'trg_often' };
  const once = { workspace_id: 'ws', id: 'trg_once' };
  for (let n = 0; n < 103; n += 1) {
    const those = n === 0 ? [often, once] : [often];
    await keepPause(store.system, those, { whose: 'trigger', from: hour(2 * n), until: hour(2 * n + 1) });
  }

  const { rows } =
    await sql`select trigger_id as id, count(*)::integer as count, min(from_at) as from from passed_pauses
    where trigger_id in ('trg_often', 'trg_once') group by 1 order by 2`.execute(store.system);
  expect(rows).toEqual([
    { id: 'trg_once', count: 1, from: hour(0) },
    { id: 'trg_often', count: 100, from: hour(6) },
  ]);
});
