import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { commandLine } from './postmaster.ts';
import type { startServer } from './supervisor.ts';

type Options = Omit<Parameters<typeof startServer>[0], 'log'>;

/** A supervisor in a process of its own, to be killed. */
export const supervisorProcess = async (options: Options) => {
  const code = `
    import { startServer } from ${JSON.stringify(import.meta.resolve('./supervisor.ts'))};
    const { connectionString, pid, adopted } = await startServer({ ...JSON.parse(process.argv[1]), log() {} });
    console.log(JSON.stringify({ connectionString, pid, adopted }));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const started = once(createInterface({ input: child.stdout }), 'line');
  const failed = once(child, 'exit').then(([code]) => Promise.reject(new Error(`the supervisor ended with ${code}`)));
  const [line] = (await Promise.race([started, failed])) as [string];
  failed.catch(() => {});
  const { connectionString, pid } = JSON.parse(line) as { connectionString: string; pid: number };
  return { child, connectionString, postmaster: pid, kill: () => kill(child) };
};

const kill = async (child: ChildProcess) => {
  child.kill('SIGKILL');
  await once(child, 'exit');
};

export const query = async <Row>(connectionString: string, statement: string): Promise<Row[]> => {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows as Row[];
  } finally {
    await client.end();
  }
};

export const isRunning = (pid: number) => commandLine(pid) !== undefined;

export const ended = async (pid: number) => {
  while (isRunning(pid)) await sleep(20);
};
