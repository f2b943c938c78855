import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { root, SetupError, withProgress } from './say.mjs';
import { capture, toolEnvironment } from './spawn.mjs';

const filesIn = (folder) =>
  (existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [])
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const file = path.join(folder, entry.name);
      return entry.isDirectory() ? filesIn(file) : [file];
    });

const isTest = (file) => /\.test\.tsx?$/.test(file);
const web = path.join(root, 'web');
const serverConfig = path.join(root, 'scripts/setup/server-bundle.config.ts');

const bundles = {
  web: {
    what: 'the web bundle',
    args: ['build', web],
    sources: () => [
      ...filesIn(web).filter((file) => !isTest(file) && !file.startsWith(path.join(web, 'test'))),
      ...filesIn(path.join(root, 'client/src')),
    ],
  },
  server: {
    what: 'the server bundle',
    args: ['build', '--config', serverConfig],
    sources: () => [
      ...filesIn(path.join(root, 'src')).filter((file) => file.endsWith('.ts') && !isTest(file)),
      path.join(root, 'package.json'),
      serverConfig,
    ],
  },
};

const folderOf = (name) => path.join(root, 'dist', name);

/** Everything a bundle is made from, and how. */
const wantedStamp = ({ sources }) => {
  const hash = createHash('sha256');
  const common = ['package-lock.json', 'scripts/setup/bundles.mjs'].map((file) => path.join(root, file));
  for (const file of [...sources(), ...common].filter((each) => existsSync(each)))
    hash.update(path.relative(root, file)).update('\0').update(readFileSync(file));
  return `${hash.digest('hex')}\n`;
};

const readStamp = (name) => {
  const stamp = path.join(folderOf(name), '.built-from');
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : undefined;
};

/** Builds beside the bundle and swaps, so that nobody ever meets half of one. */
const build = async (node, name, wanted, hold) => {
  const { what, args } = bundles[name];
  const bundle = folderOf(name);
  const fresh = `${bundle}-${process.pid}`;
  const old = `${fresh}-old`;
  try {
    const vite = path.join(root, 'node_modules/vite/bin/vite.js');
    const all = [vite, ...args, '--outDir', fresh, '--emptyOutDir', '--logLevel', 'warn'];
    // Test runners set another, with which React comes out in its slow form for developers.
    const env = { ...toolEnvironment(node), NODE_ENV: 'production' };
    const { code, output } = await capture(node, all, { cwd: root, env, hold });
    if (code !== 0) throw new SetupError(`${output.trim()}\n\nBuilding ${what} failed; the lines above say why.`);
    writeFileSync(path.join(fresh, '.built-from'), wanted);
    if (existsSync(bundle)) renameSync(bundle, old);
    renameSync(fresh, bundle);
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  }
};

const ensure = async (name, { node }) => {
  const bundle = bundles[name];
  if (readStamp(name) === wantedStamp(bundle)) return;
  await withLock(`${name}-bundle`, async (hold) => {
    const wanted = wantedStamp(bundle);
    if (readStamp(name) !== wanted)
      await withProgress(`Building ${bundle.what}`, () => build(node, name, wanted, hold));
  });
};

/** Builds dist/web, if it was made from other sources. */
export const ensureWebBundle = (runtime) => ensure('web', runtime);

/** Builds dist/server, if it was made from other sources. */
export const ensureServerBundle = (runtime) => ensure('server', runtime);
