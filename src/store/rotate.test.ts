import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { freshDatabase } from '../../test/database.ts';
import { keyRingFromText } from './key-ring.ts';
import { rewrapAll } from './rotate.ts';
import { createSealer } from './sealing.ts';
import { openStore } from './store.ts';
import { checkKeys } from './try-keys.ts';

test('one damaged secret is named and does not keep the others under the old key', async () => {
  await using database = await freshDatabase();
  const store = openStore({ connectionString: database.connectionString, max: 2, log: silentLog });
  const [older, newer] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')];
  const before = createSealer(keyRingFromText(older));
  const at = new Date();
  const workspace = 'ws_a';
  await store.system
    .insertInto('workspaces')
    .values({ workspace_id: workspace, name: 'A', created_at: at, stopped_at: null })
    .execute();
  const place = (key: string) => ({ workspace, table: 'idempotency', row: `caller ${key}`, column: 'answer' });
  for (const key of ['first', 'moved', 'third']) {
    const answer = before.seal(key, place(key === 'moved' ? 'elsewhere' : key));
    const row = { workspace_id: workspace, caller: 'caller', key, created_at: at, status: 200, answer };
    await store.system
      .insertInto('idempotency')
      .values({ ...row, request_digest: Buffer.alloc(0) })
      .execute();
  }
  const granted = { workspace, table: 'revocations', row: 'acc_1', column: 'credential' };
  await store.system
    .insertInto('revocations')
    .values({ workspace_id: workspace, account_id: 'acc_1', credential: before.seal('{}', granted), actor: '{}' })
    .execute();

  const found = await rewrapAll(store, createSealer(keyRingFromText(`2:${newer},1:${older}`)));

  expect(found).toEqual({ changed: 3, unreadable: ['idempotency.answer of caller moved'] });
  const after = createSealer(keyRingFromText(`2:${newer}`));
  const { answer } = await store.system
    .selectFrom('idempotency')
    .select('answer')
    .where('key', '=', 'third')
    .executeTakeFirstOrThrow();
  expect(after.open(answer as Buffer, place('third'))).toBe('third');
  await store.close();
});

test('of two that come to an empty house with keys of their own, one has the wrong key; after a rotation only the new one is right', async () => {
  await using database = await freshDatabase();
  const store = openStore({ connectionString: database.connectionString, max: 2, log: silentLog });
  await store.familiar.begin();
  const [first, second, next] = [1, 2, 3].map((seed) => Buffer.alloc(32, seed).toString('base64'));
  const wrongWith = async (keys: string) => (await checkKeys(store, keyRingFromText(keys))).wrong;
  const both = await Promise.all([wrongWith(`${first}`), wrongWith(`${second}`)]);
  expect(both.toSorted()).toEqual([false, true]);
  const kept = both[0] ? second : first;
  expect(await wrongWith(`${kept}`)).toBe(false);
  const ring = keyRingFromText(`2:${next},1:${kept}`);
  expect(await wrongWith(`2:${next},1:${kept}`)).toBe(false);
  await rewrapAll(store, createSealer(ring));
  expect(await Promise.all([wrongWith(`2:${next}`), wrongWith(`${kept}`)])).toEqual([false, true]);
  await store.close();
});

test('the sign of a key that nothing else needs any more gives way to the next one, and the old key is told at once', async () => {
  await using database = await freshDatabase();
  const store = openStore({ connectionString: database.connectionString, max: 2, log: silentLog });
  await store.familiar.begin();
  const [first, second, third] = [1, 2, 3].map((seed) => Buffer.alloc(32, seed).toString('base64'));
  const tried = async (keys: string) => checkKeys(store, keyRingFromText(keys));
  expect(await tried(`${first}`)).toEqual({ closed: [], wrong: false });
  // Both were given the next number; one of them is first.
  const both = await Promise.all([tried(`2:${second}`), tried(`2:${third}`)]);
  expect(both.map(({ wrong }) => wrong).toSorted()).toEqual([false, true]);
  expect(await tried(`2:${both[0]?.wrong ? third : second}`)).toEqual({ closed: [], wrong: false });
  expect((await tried(`${first}`)).wrong).toBe(true);
  await store.close();
});
