import { open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Binaries } from './binaries.ts';
import { command } from './commands.ts';
import { type Folders, ownFolder } from './folders.ts';
import { type Owner, refuseForeign } from './owner.ts';
import { newPassword, type PasswordFile } from './password.ts';

export const ROLE = 'switchboard';
export const DATABASE = 'switchboard';

type Setup = {
  owner: Owner;
  binaries: Binaries;
  folders: Folders;
  password: PasswordFile;
  settings: Record<string, string>;
  /** Aborted when the start is given up. */
  signal?: AbortSignal | undefined;
};

// Other users of the machine can reach a TCP port, so every way in asks for the password, the socket too. The
// superuser has none and so cannot log in at all: whoever holds our connection string is bound by row-level security.
const ACCESS = 'local all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n';

// Written to postgresql.conf once, for an operator to change. Nothing here touches durability.
const STARTING_SETTINGS = ['shared_buffers=64MB', 'max_connections=100', 'timezone=UTC', 'log_timezone=UTC'];

/** Finds the cluster or makes it. Answers whether one was there. */
export const ensureCluster = async (setup: Setup): Promise<'found' | 'created'> => {
  const { folders, binaries, owner } = setup;
  for (const name of await readdir(folders.data)) {
    if (name.startsWith('pg.new-')) await rm(join(folders.data, name), { recursive: true, force: true, maxRetries: 5 });
  }
  const content = await readdir(folders.pg).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  if (content.length === 0) {
    await createCluster(setup);
    return 'created';
  }
  const version = await readFile(join(folders.pg, 'PG_VERSION'), 'utf8').catch(() => undefined);
  if (version === undefined) {
    throw new Error(
      `${folders.pg} holds no PostgreSQL cluster but is not empty. Move it away, or set another DATA_DIR.`,
    );
  }
  if (version.trim() !== binaries.major) {
    throw new Error(
      `The database in ${folders.pg} was made by PostgreSQL ${version.trim()}, and this Switchboard brings PostgreSQL ${binaries.major}. ` +
        `Dump it with the Switchboard that made it, move the folder away, start, and restore; or go back to that version.`,
    );
  }
  const remedy = `Run: chown -R ${owner.foreign ? owner.name : owner.uid} ${folders.pg}`;
  await refuseForeign(folders.pg, owner.uid, `user "${owner.name}" who runs PostgreSQL here`, remedy);
  return 'found';
};

/** Built aside and renamed when complete: an interrupted first start leaves nothing half made. */
const createCluster = async ({ owner, binaries, folders, password, settings: { fsync = 'on' }, signal }: Setup) => {
  const unfinished = join(folders.data, `pg.new-${process.pid}`);
  await ownFolder(owner, unfinished);
  const encoding = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const settings = STARTING_SETTINGS.flatMap((setting) => ['-c', setting]);
  const init = ['-D', unfinished, '--username=postgres', '--auth=reject', '--data-checksums', ...encoding, ...settings];
  if (fsync === 'off') init.push('--no-sync');
  await succeed('initdb', command(binaries.initdb, init, { as: owner, env: binaries.env, signal }));
  // Written by its owner: root does not write where another user could have placed a link.
  const hba = ['-c', 'cat > "$1"', 'sh', join(unfinished, 'pg_hba.conf')];
  await succeed('pg_hba.conf', command('/bin/sh', hba, { as: owner, input: ACCESS }));
  const secret = newPassword();
  await asSuperuser({ owner, binaries, fsync, signal }, unfinished, [
    `CREATE ROLE ${ROLE} LOGIN CREATEDB CREATEROLE PASSWORD '${secret}'`,
    `CREATE DATABASE ${DATABASE} OWNER ${ROLE}`,
  ]);
  await password.write(secret);
  await rename(unfinished, folders.pg);
  const parent = await open(folders.data, 'r');
  await parent.sync();
  await parent.close();
};

/** For a cluster whose password file was lost; the server must be stopped. */
export const resetPassword = async ({ owner, binaries, folders, password }: Setup) => {
  const secret = newPassword();
  await asSuperuser({ owner, binaries, fsync: 'on' }, folders.pg, [`ALTER ROLE ${ROLE} PASSWORD '${secret}'`]);
  await password.write(secret);
  return secret;
};

type Means = Pick<Setup, 'owner' | 'binaries' | 'signal'> & { fsync: string };

/** Statements for a stopped server, by the one who may do everything. */
export const asSuperuser = ({ owner, binaries, fsync, signal }: Means, pg: string, statements: string[]) => {
  const settings = ['exit_on_error=true', 'log_min_error_statement=panic', `fsync=${fsync}`];
  const args = ['--single', '-D', pg, ...settings.flatMap((setting) => ['-c', setting]), 'postgres'];
  const input = `${statements.join(';\n')};\n`;
  return succeed(
    'postgres --single',
    command(binaries.postgres, args, { as: owner, env: binaries.env, input, signal }),
  );
};

const succeed = async (what: string, running: ReturnType<typeof command>) => {
  const { code, stderr } = await running;
  if (code !== 0 && stderr.includes('No space left on device'))
    throw new Error(
      'The database could not be set up: the disk of DATA_DIR is full. Make room there, or set DATA_DIR.',
    );
  if (code !== 0) throw new Error(`The database could not be set up: ${what} ended with ${code}. ${stderr.trim()}`);
};
