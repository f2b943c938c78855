import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { scratchFolder, startEmbeddedPostgres } from './embedded/index.ts';
import { migrate } from './migrate.ts';
import { openStore } from './store.ts';

test('a copy is not taken for the database while it follows, and is known as another one once it leads', async () => {
  await using scratch = await scratchFolder();
  await chmod(scratch.path, 0o711);
  const dataDir = join(scratch.path, 'data');
  const start = () => startEmbeddedPostgres({ dataDir, log: () => {}, settings: { fsync: 'off' } });
  const first = await start();
  await migrate(first.connectionString);
  const store = openStore({ connectionString: first.connectionString, max: 5, log: silentLog });
  const follows = async () =>
    (await sql<{ copy: boolean }>`select pg_is_in_recovery() as copy`.execute(store.system)).rows[0]?.copy;
  expect([await store.familiar.begin(), await follows()]).toEqual([undefined, false]);

  // The same files, as a server that follows another one has them.
  await first.stop();
  await writeFile(join(dataDir, 'pg', 'standby.signal'), '');
  const copy = await start();
  await expect.poll(() => follows().catch(() => undefined)).toBe(true);
  expect(store.familiar.restoredAt()).toBeUndefined();

  await writeFile(join(dataDir, 'pg', 'promote'), '');
  process.kill(copy.pid, 'SIGUSR1');
  await expect.poll(follows).toBe(false);
  await follows();
  expect(store.familiar.restoredAt()).toBeInstanceOf(Date);

  await store.close();
  await copy.stop();
});
