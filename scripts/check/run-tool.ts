import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

// Those who read types are Go programs: on one thread, and tidying up seldom, they cost half as much beside the tests.
const frugal = { GOMAXPROCS: '1', GOGC: '400' };

export type Outcome = { code: number | null; stdout: string; stderr: string };

/** Runs a command at the root of the repository; one that takes longer than it may is ended, without a code. */
export const run = (
  command: string,
  args: readonly string[],
  options: { withinMs?: number; environment?: Record<string, string> } = {},
): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...frugal, ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.withinMs === undefined ? {} : { timeout: options.withinMs, killSignal: 'SIGKILL' }),
    });
    // Tests that run meanwhile go first.
    if (child.pid !== undefined) setPriority(child.pid, 10);
    const outcome: Outcome = { code: null, stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      outcome.stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      outcome.stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...outcome, code }));
  });

/** Runs one of the installed tools. */
export const runTool = (name: string, args: readonly string[]): Promise<Outcome> =>
  run(path.join(root, 'node_modules/.bin', name), args);
