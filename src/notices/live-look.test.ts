import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import type { Store } from '#store';
import { freshStore } from '../../test/fresh-store.ts';
import { readInVain } from '../../test/read-in-vain.ts';
import { createLive, type Hint } from './live.ts';
import { createLiveLook, workspacesNow } from './live-look.ts';

let opened: Awaited<ReturnType<typeof freshStore>>;
let store: Store;

beforeAll(async () => {
  opened = await freshStore();
  store = opened.store;
  for (const [id, runs] of [
    ['ws_small', 50],
    ['ws_large', 3_000],
  ] as const) {
    await sql`insert into workspaces (workspace_id, name, created_at) values (${id}, ${id}, now())`.execute(
      store.system,
    );
    await sql`insert into runs (id, workspace_id, step_id, status, started_by, input, may_send, attempts, created_at, finished_at)
      select ${`run_${id === 'ws_small' ? 'a' : 'b'}`} || lpad(n::text, 6, '0'), ${id}, 'board.api_call', 'succeeded', '{}', '{}',
        true, 1, now(), now()
      from generate_series(1, ${runs}::integer) n`.execute(store.system);
  }
  await sql`update runs set status = 'waiting_approval', finished_at = null where id = 'run_b000007'`.execute(
    store.system,
  );
  await sql`analyze`.execute(store.system);
});
afterAll(() => opened[Symbol.asyncDispose]());

test.each(['ws_small', 'ws_large'])(
  'looking at %s reads what it tells of, whatever else there is',
  async (workspace) => {
    expect(await readInVain(store, workspacesNow.text, [[workspace]])).toBe(0);
  },
);

test('the newest runs are told of, and older ones that are not done', async () => {
  const ids = (await createLiveLook(store).workspaces(['ws_large'])).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(['run_b000007', ...Array.from({ length: 40 }, (_, n) => `run_b00${2_961 + n}`)]);
});

test('of hundreds of tools the one that has changed is told of, however old it is', async () => {
  await sql`insert into workspaces (workspace_id, name, created_at) values ('ws_tools', 'x', now())`.execute(
    store.system,
  );
  await sql`insert into tools (id, workspace_id, name, version, created_at, updated_at)
    select 'tool_' || lpad(n::text, 6, '0'), 'ws_tools', 'Tool ' || n, 1, now(), now()
    from generate_series(1, 300) n`.execute(store.system);
  const look = async () => (await createLiveLook(store).settings(['ws_tools'])).map(({ id, mark }) => `${id} ${mark}`);
  const before = new Set(await look());
  await sql`update tools set name = 'Other' where id = 'tool_000001'`.execute(store.system);
  const changed = (await look()).filter((each) => !before.has(each));
  expect(changed).toEqual([expect.stringMatching(/^tool_000001 /)]);
});

test('what takes long to go through is looked at less often than all else, and its changes and ends are told of', async () => {
  const clock = systemClock();
  const asked: string[] = [];
  const planned: Store['planned'] = async (statement, values) => {
    asked.push(statement.name);
    if (statement.name === 'look_at_settings') await clock.sleep(20);
    return store.planned(statement, values);
  };
  const live = createLive({
    store: { ...store, planned },
    clock,
    intervals: { liveMs: 1 },
    log: silentLog,
  });
  const told: Hint[] = [];
  live.workspace('ws_tools', (hints) => told.push(...hints));
  const count = (name: string) => asked.filter((each) => each === name).length;
  await expect.poll(() => count('look_at_workspaces')).toBeGreaterThan(4);
  await sql`update tools set name = 'Another' where id = 'tool_000002'`.execute(store.system);
  await expect.poll(() => told).toEqual([{ type: 'tool', id: 'tool_000002' }]);
  // However long ago it was changed.
  await sql`delete from tools where id = 'tool_000003'`.execute(store.system);
  await expect.poll(() => told.slice(1)).toEqual([{ type: 'tool', id: 'tool_000003' }]);
  expect(count('look_at_settings') * 4).toBeLessThan(count('look_at_workspaces'));
  live.close();
});
