import { chmod, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './index.ts';
import { scratchFolder } from './scratch-folder.ts';
import { startServer } from './supervisor.ts';
import { ended, isRunning, query, supervisorProcess } from './test-servers.ts';

// One cluster for the file, stopped between tests: making it takes longer than everything else.
let scratch: Awaited<ReturnType<typeof scratchFolder>>;
let dataDir: string;

// Killing processes loses nothing that the system already holds, so only losing the machine would need fsync.
const settings = { fsync: 'off' };

const start = async (folder = dataDir): Promise<EmbeddedPostgres> => {
  const server = await startServer({ dataDir: folder, log: () => {}, settings });
  onTestFinished(() => server.stop());
  return server;
};

const killable = async (options: { settings?: Record<string, string>; orphanGraceSeconds?: number } = {}) => {
  const supervisor = await supervisorProcess({ dataDir, settings, ...options });
  onTestFinished(() => void supervisor.child.kill('SIGKILL'));
  return supervisor;
};

beforeAll(async () => {
  scratch = await scratchFolder();
  // The database's user, when root runs the tests, has to pass through.
  await chmod(scratch.path, 0o711);
  dataDir = join(scratch.path, 'data');
  const server = await startServer({ dataDir, log: () => {}, settings });
  await query(server.connectionString, 'CREATE TABLE notes (id serial, text text)');
  await server.stop();
});

afterAll(() => scratch[Symbol.asyncDispose]());

test('durability is left as PostgreSQL ships it, checksums are on, and we are no superuser', async () => {
  const server = await startEmbeddedPostgres({ dataDir, log: () => {} });
  onTestFinished(() => server.stop());

  const names = [
    'fsync',
    'synchronous_commit',
    'full_page_writes',
    'data_checksums',
    'is_superuser',
    'server_encoding',
  ];
  const list = names.map((name) => `current_setting('${name}') AS ${name}`).join(', ');
  const [row] = await query(server.connectionString, `SELECT ${list}, current_database() AS database`);

  expect(row).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    data_checksums: 'on',
    is_superuser: 'off',
    server_encoding: 'UTF8',
    database: 'switchboard',
  });
});

test('nobody gets in with a wrong password, nor as the superuser', async () => {
  const { connectionString } = await start();
  const wrong = new URL(connectionString);
  wrong.password = 'guess';
  const superuser = new URL(wrong);
  superuser.username = 'postgres';

  await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
  await expect(query(superuser.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
});

test('stopping leaves no process and no socket, and may be asked twice', async () => {
  const server = await start();
  expect(await readdir(join(dataDir, 'pg-run'))).not.toEqual([]);

  await Promise.all([server.stop(), server.stop()]);

  expect(isRunning(server.pid)).toBe(false);
  expect(await readdir(join(dataDir, 'pg-run'))).toEqual([]);
});

test('a start that is given up fails with the reason, and leaves no process', async () => {
  const reason = new Error('given up');
  const launched = startServer({ dataDir, log: () => {}, settings, signal: AbortSignal.abort(reason) });
  await expect(launched).rejects.toBe(reason);
  expect(await readdir(join(dataDir, 'pg'))).not.toContain('postmaster.pid');

  const giving = new AbortController();
  const other = join(scratch.path, 'unfinished');
  const making = startServer({ dataDir: other, log: () => {}, settings, signal: giving.signal });
  making.catch(() => undefined);
  const unfinished = async () => (await readdir(other)).find((name) => name.startsWith('pg.new-'));
  await expect.poll(unfinished, { interval: 5 }).toBeDefined();
  giving.abort(reason);
  await expect(making).rejects.toBe(reason);
  expect(await readdir(other)).not.toContain('pg');
});

test('after the supervisor was killed, the next start adopts its server', async () => {
  const killed = await killable();
  await killed.kill();

  const server = await start();
  expect(server).toMatchObject({ adopted: true, pid: killed.postmaster, connectionString: killed.connectionString });

  await server.stop();
  await ended(killed.postmaster);
});

test('a server left by a start with other settings is ended and replaced', async () => {
  const killed = await killable({ settings: { ...settings, work_mem: '5MB' } });
  await killed.kill();

  const server = await start();

  expect(server.adopted).toBe(false);
  await ended(killed.postmaster);
  expect(await query(server.connectionString, 'SHOW work_mem')).toEqual([{ work_mem: '4MB' }]);
});

test('a server whose supervisor was killed and never came back ends by itself', async () => {
  const killed = await killable({ orphanGraceSeconds: 1 });
  await killed.kill();
  expect(isRunning(killed.postmaster)).toBe(true);

  await ended(killed.postmaster);
});

test('an adopted server is not ended on behalf of its first supervisor', async () => {
  const killed = await killable({ orphanGraceSeconds: 1 });
  await killed.kill();
  const server = await start();

  await query(server.connectionString, 'SELECT pg_sleep(2.5)');

  expect(server).toMatchObject({ adopted: true, pid: killed.postmaster });
});

test('acknowledged rows survive kill -9 of everything', async () => {
  const killed = await killable();
  await query(killed.connectionString, "INSERT INTO notes (text) VALUES ('acknowledged')");
  process.kill(killed.postmaster, 'SIGKILL');
  await killed.kill();

  const server = await start();

  expect(server.adopted).toBe(false);
  expect(await query(server.connectionString, 'SELECT text FROM notes')).toEqual([{ text: 'acknowledged' }]);
});

test('a backend that outlived its postmaster does not keep the next one from starting', async () => {
  const killed = await killable();
  const endless = 'DO $$ BEGIN LOOP PERFORM 1; END LOOP; END $$ -- endless';
  const busy = query(killed.connectionString, endless).catch(() => 'cut off');
  const find = "SELECT pid FROM pg_stat_activity WHERE query LIKE '%endless' AND pid <> pg_backend_pid()";
  const backends = async () => query<{ pid: number }>(killed.connectionString, find);
  await expect.poll(backends).toHaveLength(1);
  const [backend] = await backends();
  process.kill(killed.postmaster, 'SIGKILL');
  await killed.kill();

  await start();

  await ended(backend?.pid ?? 0);
  expect(await busy).toBe('cut off');
});

test('a pid file whose number now belongs to a stranger harms neither the start nor the stranger', async () => {
  const killed = await killable();
  process.kill(killed.postmaster, 'SIGKILL');
  await killed.kill();
  const stranger = process.ppid;
  await writeFile(join(dataDir, 'pg/postmaster.pid'), `${stranger}\n${dataDir}/pg\n1\n5432\n\n\n0 0\nready   \n`);

  const server = await start();

  expect(server.adopted).toBe(false);
  expect(isRunning(stranger)).toBe(true);
});

test('a second start is refused with the pid of the first, until that one is gone', async () => {
  const first = await killable();
  await expect(start()).rejects.toThrow(`in use by process ${first.child.pid}`);

  await first.kill();

  await expect(start()).resolves.toMatchObject({ adopted: true });
});

test('of several starts at the same moment one wins', async () => {
  const results = await Promise.allSettled([start(), start(), start()]);

  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
});

test('a lost password file is replaced, and the data stays', async () => {
  const killed = await killable();
  await killed.kill();
  await rm(join(dataDir, 'secrets/pg-password'));

  const server = await start();

  expect(server.connectionString).not.toBe(killed.connectionString);
  expect(await query(server.connectionString, 'SELECT text FROM notes')).toEqual([{ text: 'acknowledged' }]);
});

test('a password file that is not the right one is named, with the remedy', async () => {
  const file = join(dataDir, 'secrets/pg-password');
  await writeFile(file, 'another\n');

  await expect(start()).rejects.toThrow(`password in ${file}. Delete the file and start again`);

  await rm(file);
  await start();
});

test('a cluster of another major version is refused', async () => {
  const file = join(dataDir, 'pg/PG_VERSION');
  await writeFile(file, '17\n');

  await expect(start()).rejects.toThrow(/made by PostgreSQL 17, and this Switchboard brings PostgreSQL 18/);

  await writeFile(file, '18\n');
});

test('a server that cannot start says why', async () => {
  const options = { dataDir, log: () => {}, settings: { shared_buffers: 'plenty' } };

  await expect(startServer(options)).rejects.toThrow(/invalid value for parameter "shared_buffers"/);
});

test('a data folder whose path is too long for a socket is served on loopback', async () => {
  const long = join(scratch.path, 'l'.repeat(110));
  await rename(dataDir, long);
  onTestFinished(() => rename(long, dataDir));

  const server = await start(long);

  expect(new URL(server.connectionString).hostname).toBe('127.0.0.1');
  expect(await query(server.connectionString, 'SHOW port')).toEqual([{ port: new URL(server.connectionString).port }]);
  await server.stop();
});
