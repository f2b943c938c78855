import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databaseOwner, firstUnreachable } from './owner.ts';

/** A temporary folder that serves as DATA_DIR for root too: TMPDIR may lie where the database's user cannot go. */
export const scratchFolder = async () => {
  const owner = await databaseOwner();
  const usual = await realpath(tmpdir());
  const root = (await firstUnreachable(owner, usual)) === undefined ? usual : '/var/tmp';
  const path = await mkdtemp(join(root, 'switchboard-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
};
