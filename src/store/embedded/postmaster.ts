import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export type PidFile = { pid: number; port: number; ready: boolean };

/** postmaster.pid, line by line: https://www.postgresql.org/docs/18/storage-file-layout.html */
export const readPidFile = async (pg: string): Promise<PidFile | undefined> => {
  const text = await readFile(join(pg, 'postmaster.pid'), 'utf8').catch(() => undefined);
  const lines = text?.split('\n').map((line) => line.trim()) ?? [];
  // A single-user server writes its pid as a negative number.
  const pid = Math.abs(Number.parseInt(lines[0] ?? '', 10));
  return pid > 0 ? { pid, port: Number(lines[3]), ready: lines[7] === 'ready' } : undefined;
};

/** The command line of a live process. A postmaster keeps its own as it was started. */
export const commandLine = (pid: number): string | undefined => {
  if (process.platform !== 'linux') {
    return (
      spawnSync('/bin/ps', ['-ww', '-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout.trimEnd() ||
      undefined
    );
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1).join(' ') || undefined;
  } catch {
    return undefined;
  }
};

/** A pid alone proves nothing: it may have been given to another process since. */
export const runsOn = (pid: number, pg: string) => commandLine(pid)?.includes(` -D ${pg} `) ?? false;

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
};

/** Fast shutdown: PostgreSQL disconnects everyone, writes a checkpoint and ends. */
export const interrupt = (pid: number, pg: string) => {
  if (runsOn(pid, pg)) signal(pid, 'SIGINT');
};

const FAST_SHUTDOWN_MS = 30_000;
const IMMEDIATE_SHUTDOWN_MS = 15_000;

/** Waits for a fast shutdown; if that takes too long, leaves the rest to crash recovery. */
export const endPostmaster = async (pid: number, pg: string) => {
  interrupt(pid, pg);
  if (await isGone(pid, pg, FAST_SHUTDOWN_MS)) return;
  signal(pid, 'SIGQUIT');
  if (await isGone(pid, pg, IMMEDIATE_SHUTDOWN_MS)) return;
  throw new Error(`PostgreSQL (process ${pid}) on ${pg} does not end. End it by hand, then start again.`);
};

const isGone = async (pid: number, pg: string, patienceMs: number) => {
  for (const end = performance.now() + patienceMs; performance.now() < end; await sleep(10)) {
    if (!runsOn(pid, pg)) return true;
  }
  return false;
};

/** Ends processes that outlived their postmaster, busy with a long query: two generations must never share files. */
export const endStrays = async (pg: string) => {
  for (let strays = serverProcesses(pg); strays.length > 0; strays = serverProcesses(pg)) {
    for (const pid of strays) signal(pid, 'SIGKILL');
    await sleep(10);
  }
};

// Every process of a server works in its data folder. Elsewhere than on Linux its own check of shared memory must do.
const serverProcesses = (pg: string) => {
  if (process.platform !== 'linux') return [];
  const pids = readdirSync('/proc').map(Number);
  return pids.filter(
    (pid) => pid > 0 && linkOf(pid, 'cwd') === pg && /\/postgres( \(deleted\))?$/.test(linkOf(pid, 'exe')),
  );
};

const linkOf = (pid: number, name: 'cwd' | 'exe') => {
  try {
    return readlinkSync(`/proc/${pid}/${name}`);
  } catch {
    return '';
  }
};
