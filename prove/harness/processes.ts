import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { recordingEnvironment } from '../../sandbox/recording/environment.ts';
import { freePorts } from '../../test/free-ports.ts';
import { serverProgram } from '../../test/server-program.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export const freePort = (): Promise<number> => freePorts(1);

type Entry = { pid: number; parent: number; command: string };

const processes = (): Entry[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent: Number(parent), command }];
      } catch {
        return [];
      }
    });

/** The database servers that run on this data directory. */
export const postmastersOn = (dataDir: string): number[] => {
  const found = processes().filter(({ command }) => command.includes(` -D ${dataDir}/pg `));
  // What a server has just begun bears its name for a moment.
  return found.filter(({ parent }) => !found.some(({ pid }) => pid === parent)).map(({ pid }) => pid);
};

const descendants = (all: readonly Entry[], pids: readonly number[]): number[] => {
  const children = all.filter(({ parent }) => pids.includes(parent)).map(({ pid }) => pid);
  return children.length === 0 ? [...pids] : [...pids, ...descendants(all, children)];
};

const killNow = (pids: readonly number[]): void => {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It ended by itself in the meantime.
    }
  }
};

/** The database servers on this data directory and all that they started. */
export const databaseProcesses = (dataDir: string): number[] => descendants(processes(), postmastersOn(dataDir));

/** kill -9 of the database on this folder alone. */
export const killDatabase = (dataDir: string): void => killNow(databaseProcesses(dataDir));

export type Running = {
  origin: string;
  child: ChildProcess;
  output: () => string;
  /** kill -9 of this process alone. */
  kill(): Promise<void>;
  /** kill -9 of this process, all it started, and the database on `dataDir`. */
  killTree(dataDir: string): Promise<void>;
  stop(): Promise<void>;
};

/** A real `switchboard` process, as an operator starts it; resolves once it says it is ready. */
export const startProcess = async (
  command: 'start' | 'api' | 'worker',
  environment: Record<string, string>,
): Promise<Running> => {
  const port = environment['PORT'] ?? String(await freePort());
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [await serverProgram(), command], {
    cwd: root,
    env: { PATH, HOME, ...recordingEnvironment(), ...environment, PORT: port },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-200_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const exited = once(child, 'exit');
  const origin = `http://127.0.0.1:${port}`;

  const ready = async (): Promise<boolean> => {
    if (command === 'worker') return output.includes('Switchboard is ready');
    // An answer that a killed process began to give may never come.
    try {
      const answer = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(5_000) });
      await answer.text();
      return answer.ok;
    } catch {
      return false;
    }
  };
  while (!(await ready())) {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(`switchboard ${command} ended:\n${output}`);
    }
    await sleep(25);
  }

  return {
    origin,
    child,
    output: () => output,
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
    killTree: async (dataDir) => {
      const all = processes();
      const pids = [child.pid ?? 0, ...postmastersOn(dataDir)].filter((pid) => pid > 0);
      killNow(descendants(all, pids));
      await exited;
    },
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    },
  };
};

/** Runs a maintenance command to its end and answers what it printed. */
export const runCommand = async (args: readonly string[], environment: Record<string, string>): Promise<string> => {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn(process.execPath, [await serverProgram(), ...args], {
    cwd: root,
    env: { PATH, HOME, ...recordingEnvironment(), ...environment },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`switchboard ${args.join(' ')} failed:\n${output}`);
  return output;
};
