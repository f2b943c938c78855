import { accessSync, constants, existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

const reasons: Record<string, string> = {
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's share of the disk is used up",
  EEXIST: 'a file is in the way',
  ENOTDIR: 'a file is in the way',
};

// SQLITE_FULL, as the lock of the folder tells it.
const lockFull = 13;

/** What a person can do about a folder that refuses us; anything else is passed on as it is. */
export const inDataDir = async <T>(dataDir: string, work: () => T | Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw refusedBy(dataDir, error);
  }
};

/** Whether it could be used, or made where it is not there yet. Makes nothing. */
export const tryDataDir = (dataDir: string): Promise<void> =>
  inDataDir(dataDir, () => {
    let place = resolve(dataDir);
    while (!existsSync(place)) place = dirname(place);
    // Below itself: a file would be one that can be written, too.
    accessSync(`${place}/.`, constants.W_OK | constants.X_OK);
  });

export const refusedBy = (dataDir: string, error: unknown): unknown => {
  const { code: told = '', syscall, errcode } = error as NodeJS.ErrnoException & { errcode?: number };
  const code = errcode === lockFull ? 'ENOSPC' : told;
  // Folders above it are made, so only a file system that takes none is left.
  const reason = code === 'ENOENT' && syscall === 'mkdir' ? 'no folder can be made there' : reasons[code];
  if (reason === undefined) return error;
  return new Error(`DATA_DIR ${dataDir} cannot be used: ${reason} (${code}). Mend that, or set DATA_DIR.`, {
    cause: error,
  });
};
