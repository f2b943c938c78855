import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { npmCi } from './npm.mjs';
import { root, withProgress } from './say.mjs';

// npm ci empties node_modules first, so a broken install leaves no stamp behind.
const stamp = path.join(root, 'node_modules/.installed-from');

const readStamp = () => {
  try {
    return readFileSync(stamp, 'utf8');
  } catch {
    return undefined;
  }
};

/** What the installed packages depend on: the lock file, the machine, Node's major version. */
const wantedStamp = (version) => {
  const lock = createHash('sha256').update(readFileSync(path.join(root, 'package-lock.json')));
  return `${lock.digest('hex')} ${process.platform}-${process.arch} node-${version.split('.')[0]}\n`;
};

/** Installs the packages of package-lock.json, if those in node_modules are others. */
export const ensureDependencies = async ({ node, version }) => {
  if (readStamp() === wantedStamp(version)) return;
  await withLock('install', async (hold) => {
    const wanted = wantedStamp(version);
    const before = readStamp();
    if (before === wanted) return;
    const why = before === undefined ? 'none are installed' : 'package-lock.json or Node has changed';
    await withProgress(`Installing packages (${why})`, async () => {
      await npmCi(node, ['--strict-allow-scripts', '--include=dev', '--include=optional'], root, hold);
      writeFileSync(stamp, wanted);
    });
  });
};
