import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Store } from '#store';
import { freshStore } from '../../../test/fresh-store.ts';
import { readInVain } from '../../../test/read-in-vain.ts';
import { counts } from './done-lately.ts';

let opened: Awaited<ReturnType<typeof freshStore>>;
let store: Store;

beforeAll(async () => {
  opened = await freshStore();
  store = opened.store;
  await sql`insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state,
      intended_at)
    select 'eff_' || n, 'ws', 'run_' || n, 1, 'acc', 'send', 'POST', '/v1.0/me/sendMail', '{}', '', 'sent',
      now() - n * interval '10 minutes'
    from generate_series(1, 2000) n`.execute(store.system);
  await sql`analyze`.execute(store.system);
});
afterAll(() => opened[Symbol.asyncDispose]());

test('what was sent within the hour is counted without reading what was sent before', async () => {
  const counted = sql`select ${counts({ workspaceId: 'ws', runId: 'run_3', accountId: 'acc' }, 'send')}`;
  const { rows } = await counted.execute(store.system);
  expect(rows).toEqual([{ ofRun: 1, ofAccount: 5 }]);
  const { sql: text, parameters } = counted.compile(store.system);
  expect(await readInVain(store, text, parameters)).toBe(0);
});
