import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, SetupError, say } from './say.mjs';

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const alive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
};

/** Takes the lock file, or answers the process that holds it; 0 if that is not known yet, or was a dead one. */
const take = (file) => {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
    return undefined;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  const content = read(file);
  const holder = content
    .split('\n')
    .map(Number)
    .find((pid) => pid > 0 && alive(pid));
  // An empty file is one that its holder is writing at this moment.
  if (holder === undefined && content !== '' && read(file) === content) rmSync(file, { force: true });
  return holder ?? 0;
};

const acquire = async (file) => {
  let told = false;
  for (let holder = take(file); holder !== undefined; holder = take(file)) {
    if (holder > 0 && !told) {
      say(`Waiting for the set-up that process ${holder} is doing (if that is none, remove ${file}) …`);
      told = true;
    }
    await sleep(100);
  }
};

/**
 * Runs the work while no other process of this folder does the same; a dead process's lock does not count. The work
 * names its own children by `hold`, as they may outlive us.
 */
export const withLock = async (name, work) => {
  const folder = path.join(root, '.cache');
  const file = path.join(folder, `${name}.lock`);
  try {
    mkdirSync(folder, { recursive: true });
    await acquire(file);
  } catch (error) {
    throw new SetupError(`${error.message}\n\nSet-up must write there. Run the command as the owner of ${root}.`);
  }
  const release = () => rmSync(file, { force: true });
  process.once('exit', release);
  try {
    return await work((pid) => appendFileSync(file, `${pid}\n`));
  } finally {
    process.off('exit', release);
    release();
  }
};
