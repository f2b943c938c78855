import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from '#log';
import { freshDatabase } from '../../test/database.ts';
import { createKept } from './kept.ts';
import { openStore, type Store } from './store.ts';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let stores: Store[];
const at = new Date();

beforeAll(async () => {
  database = await freshDatabase();
  stores = [1, 2].map(() => openStore({ connectionString: database.connectionString, max: 4, log: silentLog }));
  const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => ({
    workspace_id: `ws_${id}`,
    name: id,
    created_at: at,
    stopped_at: null,
  }));
  await stores[0]?.system.insertInto('workspaces').values(rows).execute();
});
afterAll(async () => {
  for (const store of stores) await store.close();
  await database[Symbol.asyncDispose]();
});

const [here, elsewhere] = [() => stores[0] as Store, () => stores[1] as Store];
const change = (store: Store, id: string) =>
  store.of(id).updateTable('workspaces').set({ stopped_at: at }).where('workspace_id', '=', id).execute();

/** Something kept under a workspace's name, once changes of it would be heard of. */
const keeping = async (...ids: string[]) => {
  const kept = createKept<string>(elsewhere().pulse);
  await vi.waitFor(() => {
    for (const id of ids) kept.keep(id, id, performance.now(), [`workspace ${id}`]);
    expect(performance.now() - elsewhere().pulse.heardAt()).toBeLessThan(200);
  }, 45_000);
  return kept;
};

test('what is kept counts while nothing is told of it, and no longer once another process changed it', async () => {
  const kept = await keeping('ws_a', 'ws_b');
  await new Promise((resolve) => setTimeout(resolve, 600));
  // Again, where the machine was so busy that nothing was asked for a while.
  await expect.poll(() => kept.find('ws_a')?.row).toBe('ws_a');

  await change(here(), 'ws_a');

  await expect.poll(() => kept.find('ws_a')).toBeUndefined();
  await expect.poll(() => kept.find('ws_b')?.row).toBe('ws_b');
});

test('a change that is committed late is heard of all the same', async () => {
  const kept = await keeping('ws_c');
  const slow = new pg.Client({ connectionString: database.connectionString });
  await slow.connect();
  onTestFinished(() => slow.end());
  await slow.query("select set_config('app.workspace', '*', false)");
  await slow.query('begin');
  await slow.query("update workspaces set stopped_at = now() where workspace_id = 'ws_c'");
  await change(here(), 'ws_d');
  await new Promise((resolve) => setTimeout(resolve, 400));
  await expect.poll(() => kept.find('ws_c')?.row).toBe('ws_c');

  await slow.query('commit');

  await expect.poll(() => kept.find('ws_c')).toBeUndefined();
});

test('a look that was under way when the change was told is not kept', async () => {
  const kept = await keeping('ws_e');
  const began = performance.now();
  elsewhere().pulse.tell('workspace ws_e');
  kept.keep('ws_e', 'as it was', began, ['workspace ws_e']);
  expect(kept.find('ws_e')).toBeUndefined();
  kept.keep('ws_e', 'as it is', performance.now() + 1, ['workspace ws_e']);
  expect(kept.find('ws_e')?.row).toBe('as it is');
});

test('without the database nothing counts for long', async () => {
  const lost = openStore({ connectionString: 'postgres://127.0.0.1:1/none', max: 1, log: silentLog });
  const kept = createKept<string>(lost.pulse);
  kept.keep('x', 'x', performance.now() + 1, ['workspace x']);
  expect(kept.find('x')?.row).toBe('x');
  await expect.poll(() => kept.find('x')).toBeUndefined();
  await lost.close();
});
