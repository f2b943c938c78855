import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { besideTheTests } from './beside-the-tests.ts';
import { type Counts, countTests, parseReport, type Report } from './count-tests.ts';
import { filesToTryAgain, withSecondTry } from './second-try.ts';

const root = path.resolve(import.meta.dirname, '../..');

const reporter = path.join(import.meta.dirname, 'unhandled-errors.ts');

type Ended = { code: number | null; report: Report | undefined };

const readReport = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
};

const vitestIn = (folder: string, browser: string | undefined) => {
  const env = {
    ...process.env,
    [besideTheTests.variable]: folder,
    ...(browser === undefined ? {} : { CHROMIUM_PATH: browser }),
  };
  return (name: string, args: string[]): Promise<Ended> =>
    new Promise((resolve, reject) => {
      const file = path.join(folder, `${name}.json`);
      const reporters = ['default', 'json', reporter].map((each) => `--reporter=${each}`);
      const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
      const child = spawn(process.execPath, [vitest, 'run', ...reporters, `--outputFile.json=${file}`, ...args], {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
        env,
      });
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal));
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, report: parseReport(readReport(file)) }));
    });
};

/**
 * Runs the tests, all of them or those the arguments name, and counts. Of all tests together, a few that fail are tried
 * once more, alone: on a busy machine some wait in vain. What passes then is named.
 */
export const runVitest = async (args: string[], browser: string | undefined): Promise<Counts> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-test-'));
  const vitest = vitestIn(folder, browser);
  const all = args.length === 0;
  try {
    let ended = await vitest('first', args);
    const again = all && ended.report !== undefined ? filesToTryAgain(ended.report) : [];
    if (ended.report !== undefined && again.length > 0) {
      console.log(`Once more, alone: ${again.map((file) => path.relative(root, file)).join(', ')}`);
      const second = await vitest('second', [...again, '--maxWorkers=1']);
      const { report, remarks } = withSecondTry(ended.report, second.report ?? { testResults: [] });
      for (const remark of remarks) console.log(`passed only at the second try  ${remark}`);
      ended = { code: second.code, report };
    }
    const { complaints, ...counts } = countTests(ended.report, ended.code, { all });
    const beside = besideTheTests.read(folder);
    for (const complaint of [...complaints, ...beside]) console.log(`failed  ${complaint}`);
    return { ...counts, failed: counts.failed + beside.length };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
