import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { readReport } from '../sandbox/recording/report.ts';
import { ensureWebBundle } from '../scripts/setup/bundles.mjs';
import { besideTheTests } from '../scripts/test/beside-the-tests.ts';
import { openDesk } from './desk.ts';
import { startSharedBrowser } from './shared-browser.ts';
import { startSharedDatabase, type TestServer } from './shared-database.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    desk: string;
  }
}

/** What test files are told of the things they share. */
export type Terms = {
  database: TestServer;
  browser: { endpoint: string };
  /** The web app, built from the sources as they are. */
  bundle: { folder: string };
};

const bundle = path.resolve(import.meta.dirname, '../dist/web');

export default async function setup(project: TestProject) {
  const desk = await openDesk({
    database: startSharedDatabase,
    browser: startSharedBrowser,
    bundle: async () => {
      await ensureWebBundle({ node: process.execPath });
      return { terms: { folder: bundle }, close: () => Promise.resolve() };
    },
  } satisfies Record<keyof Terms, unknown>);
  project.provide('desk', desk.url);
  process.env['NODE_COMPILE_CACHE'] ??= path.resolve(import.meta.dirname, '../.cache/compiled');
  // Not for those that run the tests: they read each module once, and would be busy writing it down when they end.
  process.env['NODE_DISABLE_COMPILE_CACHE'] = '1';
  const endRecording = startRecording();
  return async () => {
    await desk.close();
    endRecording();
  };
}

/** Every sandbox of the run, in whatever process, notes there what it answered against its description. */
const startRecording = () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'switchboard-record-'));
  process.env['SANDBOX_RECORD'] = folder;
  return () => {
    const { sandboxes, answers, strayed } = readReport(folder);
    rmSync(folder, { recursive: true });
    const words = `${answers} answers of ${sandboxes} sandboxes were held against their descriptions`;
    if (strayed.length > 0) {
      besideTheTests.note(`${words}, ${strayed.length} strayed`);
      throw new Error(`${words}, ${strayed.length} strayed:\n${[...new Set(strayed)].slice(0, 20).join('\n')}`);
    }
    if (sandboxes > 0) process.stdout.write(`${words}; all conform.\n`);
  };
};
