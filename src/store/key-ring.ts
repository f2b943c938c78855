import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusedBy } from './data-dir.ts';

/** The keys that wrap all others, by version. The newest seals; older ones still open. */
export type KeyRing = {
  newest(): { version: number; key: KeyObject };
  get(version: number): KeyObject | undefined;
};

const parse = (text: string): Map<number, KeyObject> => {
  const keys = new Map<number, KeyObject>();
  for (const entry of text.split(/[,\n]/).filter(Boolean)) {
    const [version, key] = entry.includes(':') ? entry.split(':') : ['1', entry];
    keys.set(Number(version), createSecretKey(key ?? '', 'base64'));
  }
  return keys;
};

/** `known` are those read last; a version never changes its key, so only one that is not among them is looked for. */
const ringOf = (read: () => Map<number, KeyObject>, known = read): KeyRing => ({
  newest: () => {
    const all = read();
    const version = Math.max(...all.keys());
    return { version, key: all.get(version) as KeyObject };
  },
  get: (version) => known().get(version) ?? read().get(version),
});

/** Keys from ENCRYPTION_KEY: one, or several as `2:<base64>,1:<base64>`. */
export const keyRingFromText = (text: string): KeyRing => {
  const keys = parse(text);
  return ringOf(() => keys);
};

const fileIn = (dataDir: string): string => join(dataDir, 'secrets', 'keys');

const write = (dataDir: string, text: string, place: (temporary: string, file: string) => void): void => {
  const folder = join(dataDir, 'secrets');
  const temporary = join(folder, `keys.${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    throw refusedBy(dataDir, error);
  }
  place(temporary, fileIn(dataDir));
};

const line = (version: number): string => `${version}:${randomBytes(32).toString('base64')}\n`;

/** Keys kept under DATA_DIR, made at first use. Another process's rotation is seen at the next call. */
export const keyRingInFolder = (dataDir: string): KeyRing => {
  const file = fileIn(dataDir);
  const changed = (): number | undefined => {
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? undefined : stats.mtimeMs + stats.ino;
  };
  if (changed() === undefined) {
    write(dataDir, line(1), (temporary, target) => {
      try {
        linkSync(temporary, target);
      } catch (error) {
        // Another process was first: its keys count.
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      } finally {
        rmSync(temporary);
      }
    });
  }
  let seen: number | undefined;
  let keys = new Map<number, KeyObject>();
  const read = (): Map<number, KeyObject> => {
    const now = changed();
    if (now !== seen) {
      keys = parse(readFileSync(file, 'utf8'));
      seen = now;
    }
    return keys;
  };
  return ringOf(read, () => keys);
};

/** Adds a newer key under DATA_DIR and answers its version. Older keys stay: they still open what they sealed. */
export const addKeyInFolder = (dataDir: string): number => {
  const version = keyRingInFolder(dataDir).newest().version + 1;
  const text = readFileSync(fileIn(dataDir), 'utf8') + line(version);
  write(dataDir, text, (temporary, target) => renameSync(temporary, target));
  return version;
};
