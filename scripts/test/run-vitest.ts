import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Counts, countTests } from './count-tests.ts';

const root = path.resolve(import.meta.dirname, '../..');

const run = (args: string[], browser: string | undefined): Promise<number | null> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...args], {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...(browser === undefined ? {} : { CHROMIUM_PATH: browser }) },
    });
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
    child.on('error', reject);
    child.on('close', resolve);
  });

const readReport = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

/** Runs the tests, all of them or those the arguments name, and counts. */
export const runVitest = async (args: string[], browser: string | undefined): Promise<Counts> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-test-'));
  const file = path.join(folder, 'report.json');
  try {
    const code = await run(['--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...args], browser);
    const { complaints, ...counts } = countTests(readReport(file), code, { all: args.length === 0 });
    for (const complaint of complaints) console.log(`failed  ${complaint}`);
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
