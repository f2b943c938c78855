import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freshStore } from '../../test/fresh-store.ts';
import { readInVain } from '../../test/read-in-vain.ts';
import { toldBy } from './run-list.ts';

test('what a run is found by is looked up by its ids, however many agents there are', async () => {
  await using opened = await freshStore();
  const { store } = opened;
  await sql`insert into workspaces (workspace_id, name, created_at) values ('ws', 'ws', now())`.execute(store.system);
  await sql`insert into agents (id, workspace_id, name, state, version, tool_ids, created_at, updated_at)
    select 'agt_' || n, 'ws', 'Agent ' || n, 'enabled', 1, '{}', now(), now() from generate_series(1, 1000) n`.execute(
    store.system,
  );
  await sql`insert into runs (id, workspace_id, agent_id, for_agent, status, started_by, input, may_send, created_at, finished_at)
    select 'run_' || n, 'ws', case when n < 50 then 'agt_' || n end, 'agt_' || (n + 100), 'succeeded', '{}', '{}', true, now(), now()
    from generate_series(1, 100) n`.execute(store.system);
  await sql`analyze`.execute(store.system);
  const told = sql<{ text: string }>`select ${toldBy('{}')} as text from runs where workspace_id = 'ws'`;
  const { rows } = await told.execute(store.system);
  expect(rows.map(({ text }) => text)).toEqual(expect.arrayContaining(['Agent 49', 'Agent 150']));
  const { sql: text, parameters } = told.compile(store.system);
  expect(await readInVain(store, text, parameters)).toBe(0);
});
