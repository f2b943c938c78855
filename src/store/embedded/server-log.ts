import { chmod, copyFile, mkdir, open, readFile, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';

const LARGEST = 10_000_000;
const LOOK_EVERY_MS = 10 * 60_000;

export type ServerLog = { fd: number; lastWords(): Promise<string>; close(): Promise<void> };

/** PostgreSQL's log is a file that we open for it: it outlives us without a broken pipe, and no log writer outlives
 *  it. */
export const openServerLog = async (folder: string): Promise<ServerLog> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  const path = join(folder, 'postgresql.log');
  await shorten(path);
  const file = await open(path, 'a', 0o600);
  const { size } = await file.stat();
  return {
    fd: file.fd,
    lastWords: async () => (await readFile(path)).subarray(size).toString().trim().split('\n').slice(-6).join('\n'),
    close: () => file.close(),
  };
};

export const keepShort = (folder: string) => {
  const timer = setInterval(() => void shorten(join(folder, 'postgresql.log')).catch(() => {}), LOOK_EVERY_MS);
  timer.unref();
  return { end: () => clearInterval(timer) };
};

// The server keeps its file open and appends, so the file is emptied in place.
export const shorten = async (path: string, largest = LARGEST) => {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined || found.size <= largest) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
};
