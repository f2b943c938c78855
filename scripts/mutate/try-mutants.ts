import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import type { Mutant } from './mutants-of.ts';
import type { Verdict } from './trial.ts';

type Tried = { mutant: Mutant; killedBy?: string };

// Modules are never forgotten by a process, so it is replaced before it has read too many.
const most = 250;

type Process = { ask(mutant: Mutant | null, limitMs: number): Promise<Verdict>; close(): void };

const started = async (name: string): Promise<Process> => {
  const child: ChildProcess = fork(path.join(import.meta.dirname, 'trial.ts'), [name], {
    execArgv: ['--max-old-space-size=700', '--no-warnings'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2000);
  });
  const heard = () => new Promise<unknown>((resolve) => child.once('message', resolve));
  const ended = new Promise<never>((_, reject) => child.once('exit', () => reject(new Error(said || 'It ended.'))));
  // It ends by our hand, too.
  ended.catch(() => {});
  await Promise.race([heard(), ended]);
  return {
    ask: async (mutant, limitMs) => {
      const answer = heard();
      child.send(mutant as Mutant);
      const late = Promise.withResolvers<Verdict>();
      const timer = setTimeout(() => late.reject(new Error('It takes too long.')), limitMs);
      return Promise.race([answer as Promise<Verdict>, late.promise, ended]).finally(() => clearTimeout(timer));
    },
    close: () => void child.kill('SIGKILL'),
  };
};

/** Tries each mutant: which test notices it, that it ends the process, or that it takes far too long. */
export const tryMutants = async (
  name: string,
  mutants: readonly Mutant[],
  tell: (tried: Tried) => void,
): Promise<{ tests: number }> => {
  const fresh = async (): Promise<{ process: Process; tests: number; limitMs: number }> => {
    const process = await started(name);
    const began = performance.now();
    const { killedBy, tests } = await process.ask(null, 240_000);
    if (killedBy !== undefined) throw new Error(`The tests fail without any change: ${killedBy}`);
    return { process, tests, limitMs: 3_000 + 3 * (performance.now() - began) };
  };
  const first = await fresh();
  let { process, limitMs } = first;
  const { tests } = first;
  let asked = 0;
  for (const mutant of mutants) {
    if (asked++ % most === most - 1) {
      process.close();
      ({ process, limitMs } = await fresh());
    }
    try {
      const verdict = await process.ask(mutant, limitMs);
      tell({ mutant, ...(verdict.killedBy === undefined ? {} : { killedBy: verdict.killedBy }) });
    } catch (error) {
      process.close();
      tell({ mutant, killedBy: error instanceof Error ? error.message.slice(0, 200) : String(error) });
      ({ process, limitMs } = await fresh());
    }
  }
  process.close();
  return { tests };
};
