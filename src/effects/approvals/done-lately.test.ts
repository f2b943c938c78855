import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore, type Store } from '#store';
import { freshDatabase } from '../../../test/database.ts';
import { readInVain } from '../../../test/read-in-vain.ts';
import { counts } from './done-lately.ts';

let database: Awaited<ReturnType<typeof freshDatabase>>;
let store: Store;

beforeAll(async () => {
  database = await freshDatabase();
  store = openStore({ connectionString: database.connectionString, max: 3, log: silentLog });
  await sql`insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state,
      intended_at)
    select 'eff_' || n, 'ws', 'run_' || n, 1, 'acc', 'send', 'POST', '/v1.0/me/sendMail', '{}', '', 'sent',
      now() - n * interval '10 minutes'
    from generate_series(1, 2000) n`.execute(store.system);
  await sql`analyze`.execute(store.system);
});
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

test('what was sent within the hour is counted without reading what was sent before', async () => {
  const counted = sql`select ${counts({ workspaceId: 'ws', runId: 'run_3', accountId: 'acc' }, 'send')}`;
  const { rows } = await counted.execute(store.system);
  expect(rows).toEqual([{ ofRun: 1, ofAccount: 5 }]);
  const { sql: text, parameters } = counted.compile(store.system);
  expect(await readInVain(store, text, parameters)).toBe(0);
});
