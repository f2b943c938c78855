import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { root, SetupError, withProgress } from './say.mjs';
import { capture, toolEnvironment } from './spawn.mjs';

const web = path.join(root, 'web');
const bundle = path.join(root, 'dist/web');
const stamp = path.join(bundle, '.built-from');

const filesIn = (folder) =>
  (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [])
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? filesIn(file) : [file];
    });

/** Everything the bundle is made from, and how. */
const sources = () =>
  [
    ...filesIn(web).filter((file) => !/\.test\.tsx?$/.test(file) && !file.startsWith(path.join(web, 'test'))),
    ...filesIn(path.join(root, 'client/src')),
    path.join(root, 'package-lock.json'),
    path.join(root, 'scripts/setup/web-bundle.mjs'),
  ].filter((file) => existsSync(file));

const wantedStamp = () => {
  const hash = createHash('sha256');
  for (const file of sources()) hash.update(path.relative(root, file)).update('\0').update(readFileSync(file));
  return `${hash.digest('hex')}\n`;
};

const readStamp = () => (existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined);

/** Builds beside the bundle and swaps, so that a running server never serves half of one. */
const build = async (node, wanted, hold) => {
  const fresh = `${bundle}-${process.pid}`;
  const old = `${fresh}-old`;
  try {
    const vite = path.join(root, 'node_modules/vite/bin/vite.js');
    const args = [vite, 'build', web, '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'];
    // Test runners set another, with which React comes out in its slow form for developers.
    const env = { ...toolEnvironment(node), NODE_ENV: 'production' };
    const { code, output } = await capture(node, args, { cwd: root, env, hold });
    if (code !== 0)
      throw new SetupError(`${output.trim()}\n\nThe web bundle could not be built; the lines above say why.`);
    writeFileSync(path.join(fresh, '.built-from'), wanted);
    if (existsSync(bundle)) renameSync(bundle, old);
    renameSync(fresh, bundle);
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  }
};

/** Builds dist/web, if it was made from other sources. */
export const ensureWebBundle = async ({ node }) => {
  if (readStamp() === wantedStamp()) return;
  await withLock('web-bundle', async (hold) => {
    const wanted = wantedStamp();
    if (readStamp() !== wanted) await withProgress('Building the web bundle', () => build(node, wanted, hold));
  });
};
