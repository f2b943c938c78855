import { createHash } from 'node:crypto';
import { lstatSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { npmCi } from './npm.mjs';
import { root, SetupError, withProgress } from './say.mjs';

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

/** npm ci empties what a link leads to: the packages of somebody else. */
const requireOwnFolder = () => {
  const folder = path.join(root, 'node_modules');
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink()) return;
  throw new SetupError(
    `node_modules is a link to ${realpathSync(folder)}, where other packages are installed than package-lock.json names. ` +
      'Remove the link to install them here, or bring that folder up to date.',
  );
};

/** Installs the packages of package-lock.json, if those in node_modules are others. */
export const ensureDependencies = async ({ node, version }) => {
  if (readStamp() === wantedStamp(version)) return;
  await withLock('install', async (hold) => {
    const wanted = wantedStamp(version);
    const before = readStamp();
    if (before === wanted) return;
    requireOwnFolder();
    const why = before === undefined ? 'none are installed' : 'package-lock.json or Node has changed';
    await withProgress(`Installing packages (${why})`, async () => {
      await npmCi(node, ['--strict-allow-scripts', '--include=dev', '--include=optional'], root, hold);
      writeFileSync(stamp, wanted);
    });
  });
};
