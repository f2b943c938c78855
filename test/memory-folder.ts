import { chmod, mkdtemp, readdir, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Many times what the tests' databases take at once. */
const enough = 4 * 1024 ** 3;
const named = /^switchboard-test-(\d+)-/;

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM';
  }
};

/** What a run that was killed left there would take memory until the machine is restarted. */
const sweep = async (): Promise<void> => {
  for (const name of await readdir(memory)) {
    const [, pid] = named.exec(name) ?? [];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(memory, name), { recursive: true, force: true });
  }
};

/** A temporary folder in memory, for what nobody misses; `undefined` where there is little room or none. */
export const memoryFolder = async () => {
  const room = await statfs(memory).catch(() => undefined);
  if (room === undefined || room.bavail * room.bsize < enough) return undefined;
  await sweep();
  const path = await mkdtemp(join(memory, `switchboard-test-${process.pid}-`));
  await chmod(path, 0o755);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};
