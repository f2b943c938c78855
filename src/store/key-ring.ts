import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { chmodSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { refusedBy } from './data-dir.ts';

/** The keys that wrap all others, by version. The newest seals; older ones still open. */
export type KeyRing = {
  newest(): { version: number; key: KeyObject };
  get(version: number): KeyObject | undefined;
};

const keyBytes = 32;

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

/** Which keys the file holds; whoever meets it unreadable or cut off is told what to do. */
const readKeys = (file: string): Map<number, KeyObject> => {
  const keys = parse(readFileSync(file, 'utf8').replaceAll('\r', ''));
  const isWhole = [...keys].every(([version, key]) => Number.isInteger(version) && key.symmetricKeySize === keyBytes);
  if (keys.size > 0 && isWhole) return keys;
  throw new Error(
    `${file} holds no key, or not all of one. Put it back from a backup: nothing else opens what it sealed.`,
  );
};

/** A file that was put back by another user, most often. */
export const toldWhose = <T>(file: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    const who = 'Start Switchboard as the user to whom it belongs, or hand it over with chown -R.';
    throw new Error(`this user may not read ${file} (${code}). ${who}`, { cause: error });
  }
};

const line = (version: number): string => `${version}:${randomBytes(keyBytes).toString('base64')}\n`;

/** Keys kept under DATA_DIR, made at first use. Another process's rotation is seen at the next call. */
export const keyRingInFolder = (dataDir: string): KeyRing => {
  const file = fileIn(dataDir);
  const changed = (): number | undefined => {
    const stats = toldWhose(file, () => statSync(file, { throwIfNoEntry: false }));
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
      keys = toldWhose(file, () => readKeys(file));
      seen = now;
    }
    return keys;
  };
  return ringOf(read, () => keys);
};

/** Adds a newer key under DATA_DIR and answers its version. Older keys stay: they still open what they sealed. */
export const addKeyInFolder = (dataDir: string): number => {
  const version = keyRingInFolder(dataDir).newest().version + 1;
  // Put back by hand, the last line may lack its end.
  const text = `${readFileSync(fileIn(dataDir), 'utf8').trimEnd()}\n${line(version)}`;
  write(dataDir, text, (temporary, target) => renameSync(temporary, target));
  return version;
};
