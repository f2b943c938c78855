import { closeSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

export type Lock = { ownerFile: string; ownerMark: string; release(): void };

/** One supervisor per DATA_DIR. Node has no flock, SQLite does: the system drops its lock with the process that held
 *  it, however that died, so nothing is ever stale and no two starters can both take over. */
export const takeLock = async (dataDir: string): Promise<Lock> => {
  const ownerFile = join(dataDir, 'pg.owner');
  const lockFile = join(dataDir, 'pg.lock');
  // Whoever may read the file could lock us out.
  closeSync(openSync(lockFile, 'a', 0o600));
  const database = new DatabaseSync(lockFile);
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    const pid = await holder(ownerFile);
    const who = pid === undefined ? 'another process' : `process ${pid}`;
    throw new Error(
      `DATA_DIR ${dataDir} is in use by ${who}. Stop it first, or give this one a DATA_DIR of its own; ` +
        'several Switchboards share data through DATABASE_URL.',
      { cause: error },
    );
  }
  // Unlike the pid, the mark is never used again, so a watcher can tell us from those before and after.
  const ownerMark = `${process.pid} ${crypto.randomUUID()}`;
  writeFileSync(`${ownerFile}.new`, `${ownerMark}\n`, { mode: 0o600 });
  renameSync(`${ownerFile}.new`, ownerFile);
  return { ownerFile, ownerMark, release: () => database.isOpen && database.close() };
};

const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && error.errcode === 5;

// The holder writes its name just after locking; until then the file names one that is gone.
const holder = async (ownerFile: string) => {
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const pid = nameIn(ownerFile);
    if (pid !== undefined && isAlive(pid)) return pid;
    await sleep(25);
  }
  return undefined;
};

const nameIn = (ownerFile: string) => {
  try {
    return Number.parseInt(readFileSync(ownerFile, 'utf8'), 10) || undefined;
  } catch {
    return undefined;
  }
};

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
