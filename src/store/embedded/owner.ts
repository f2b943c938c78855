import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { command } from './commands.ts';

/** Whom the database runs as; `foreign` when that is not the user who started us. */
export type Owner = { name: string; uid: number; gid: number; foreign: boolean };

const DATABASE_USER = 'postgres';

/** PostgreSQL refuses to run as root, so root starts it as a user of its own; everyone else runs it themselves. */
export const databaseOwner = async (): Promise<Owner> => {
  const uid = process.getuid?.();
  const gid = process.getgid?.();
  if (uid === undefined || gid === undefined) {
    throw new Error('The bundled PostgreSQL runs on Linux and macOS only: set DATABASE_URL to a PostgreSQL server.');
  }
  if (uid !== 0) return { name: `uid ${uid}`, uid, gid, foreign: false };
  return (await lookUp()) ?? (await createUser());
};

const lookUp = async (): Promise<Owner | undefined> => {
  const { code, stdout } = await command('/bin/sh', ['-c', 'id -u "$1" && id -g "$1"', 'sh', DATABASE_USER]);
  const [uid, gid] = stdout.split('\n').map(Number);
  if (code !== 0 || !uid || gid === undefined) return undefined;
  return { name: DATABASE_USER, uid, gid, foreign: true };
};

const createUser = async (): Promise<Owner> => {
  const script = `if command -v useradd >/dev/null
    then exec useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /bin/false "$1"
    else exec adduser -S -D -H -s /bin/false "$1"
  fi`;
  const { stderr } = await command('/bin/sh', ['-c', script, 'sh', DATABASE_USER]);
  const owner = await lookUp();
  if (owner) return owner;
  throw new Error(
    `PostgreSQL may not run as root, and the system user "${DATABASE_USER}" it would run as could not be created ` +
      `(${stderr.trim() || 'neither useradd nor adduser works here'}). Create that user, start as an ordinary user, or set DATABASE_URL.`,
  );
};

/** The first folder on the way to `path` that the owner may not enter, asked of the system itself: ACLs count too. */
export const firstUnreachable = async (owner: Owner, path: string): Promise<string | undefined> => {
  if (!owner.foreign) return undefined;
  const way = [path];
  for (let at = path; at !== dirname(at); at = dirname(at)) way.unshift(dirname(at));
  const script = 'for folder do cd -- "$folder" 2>/dev/null || { printf %s "$folder"; exit 1; }; done';
  const { code, stdout } = await command('/bin/sh', ['-c', script, 'sh', ...way], { as: owner });
  return code === 0 ? undefined : stdout;
};

export const refuseForeign = async (path: string, uid: number, whose: string, remedy: string) => {
  const found = await stat(path);
  if (found.uid !== uid) throw new Error(`${path} belongs to uid ${found.uid}, not to ${whose}. ${remedy}`);
};
