import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { MailSnapshot } from './snapshot.ts';

/** What an earlier run left, if anything that can be read. */
export const loadState = (file: string): MailSnapshot | undefined => {
  if (!existsSync(file)) return undefined;
  return deserialize(readFileSync(file)) as MailSnapshot;
};

/** Written beside and renamed, so that a crash leaves the old state. */
export const saveState = (file: string, snapshot: MailSnapshot): void => {
  writeFileSync(`${file}.new`, serialize(snapshot), { mode: 0o600 });
  renameSync(`${file}.new`, file);
};
