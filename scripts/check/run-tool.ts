import { spawn } from 'node:child_process';
import path from 'node:path';

const bin = path.resolve(import.meta.dirname, '../../node_modules/.bin');

type Outcome = { code: number | null; stdout: string; stderr: string };

/** Runs one of the installed tools at the root of the repository. */
export const runTool = (name: string, args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve, reject) => {
    const child = spawn(path.join(bin, name), args, {
      cwd: path.dirname(path.dirname(bin)),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
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
