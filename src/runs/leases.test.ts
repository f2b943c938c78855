import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '#store';
import { freshStore } from '../../test/fresh-store.ts';
import { readInVain } from '../../test/read-in-vain.ts';
import { orphaned } from './leases.ts';

let opened: Awaited<ReturnType<typeof freshStore>>;
let store: Store;

beforeAll(async () => {
  opened = await freshStore();
  store = opened.store;
  await sql`insert into workspaces (workspace_id, name, created_at) values ('ws', 'ws', now())`.execute(store.system);
  await sql`insert into runs (id, workspace_id, step_id, status, started_by, input, may_send, attempts, created_at, lease_until)
    select 'run_' || n, 'ws', 'board.api_call', 'queued', '{}', '{}', true, 1, now(),
      case when n > 2 then now() + interval '1 hour' else now() - interval '1 hour' end
    from generate_series(1, 2000) n`.execute(store.system);
  await sql`analyze`.execute(store.system);
});
afterAll(() => opened[Symbol.asyncDispose]());

test('runs whose process is gone are found without going through those that wait', async () => {
  const { rows } = await orphaned.execute(store.system);
  expect(rows).toHaveLength(2);
  const { sql: text, parameters } = orphaned.compile(store.system);
  expect(await readInVain(store, text, parameters)).toBe(0);
});
