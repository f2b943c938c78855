import { chmod, chown, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { firstUnreachable, type Owner, refuseForeign } from './owner.ts';

export type Folders = { data: string; pg: string; log: string; run: string; binaries: string; links: string };

/** DATA_DIR must be ours alone to change: whoever can rename folders in it can replace the database. */
export const openDataDir = async (dataDir: string): Promise<Folders> => {
  const wanted = resolve(dataDir);
  await mkdir(dirname(wanted), { recursive: true });
  await mkdir(wanted, { mode: 0o700 }).catch(unlessThere);
  const data = await realpath(wanted);
  const uid = process.getuid?.() ?? 0;
  const remedy = `Start Switchboard as that user, hand it over with chown -R, or set DATA_DIR to another folder.`;
  await refuseForeign(data, uid, 'the user who starts Switchboard', remedy);
  if ((await stat(data)).mode & 0o002) {
    throw new Error(`DATA_DIR ${data} may be written by every user of this machine. Run: chmod o-w ${data}`);
  }
  const [pg, log, run] = [join(data, 'pg'), join(data, 'pg-log'), join(data, 'pg-run')];
  return { data, pg, log, run, binaries: join(data, 'pg-bin'), links: join(data, 'pg-lib') };
};

/** Lets the database's user pass through DATA_DIR, by its group so that nobody else gains anything. Folders above
 *  are not ours to change. */
export const letOwnerPass = async (owner: Owner, { data }: Folders) => {
  const blocked = await firstUnreachable(owner, data);
  if (blocked === undefined) return;
  const { mode, gid } = await stat(blocked);
  if (blocked === data && (await looksLikeOurs(data))) {
    await chown(data, process.getuid?.() ?? 0, owner.gid);
    await chmod(data, (mode & 0o707) | 0o010);
    return;
  }
  const where = blocked === data ? 'DATA_DIR itself' : `a parent of DATA_DIR ${data}`;
  const rights = `mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, group ${gid}`;
  throw new Error(
    `Started by root, PostgreSQL runs as user "${owner.name}", who cannot enter ${blocked} (${rights}), ${where}. ` +
      `Either keep the data elsewhere, for example DATA_DIR=/var/lib/switchboard, or let that user pass: chmod o+x ${blocked}`,
  );
};

// A folder that already serves another purpose is not opened to anyone.
const looksLikeOurs = async (data: string) => {
  const entries = await readdir(data);
  return entries.every((name) => name.startsWith('pg.')) || entries.some((name) => name === 'pg' || name === 'secrets');
};

/** A folder for the database alone; rights loosened since the last start are taken back. */
export const ownFolder = async (owner: Owner, path: string) => {
  await mkdir(path, { mode: 0o700 }).catch(unlessThere);
  const found = await stat(path);
  if (owner.foreign && found.uid !== owner.uid) await chown(path, owner.uid, owner.gid);
  if ((found.mode & 0o777) !== 0o700) await chmod(path, 0o700);
};

const unlessThere = (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EEXIST') throw error;
};
