import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { withLock } from './lock.mjs';
import { npmCi } from './npm.mjs';
import { root, SetupError, withProgress } from './say.mjs';
import { capture } from './spawn.mjs';

const home = path.join(root, 'runtime');

/** The range of `engines` in package.json. */
const satisfies = (version) => {
  const [major, minor] = version.split('.').map(Number);
  return (major === 24 && minor >= 15) || major === 25 || major === 26;
};

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'));

/** The packaged Node for this machine, and whether it is already there. */
const packaged = () => {
  const name = `node-${process.platform}-${process.arch}`;
  const version = readJson(path.join(home, 'package.json')).optionalDependencies[name];
  if (version === undefined) {
    throw new SetupError(
      `Switchboard needs Node 24.15 or newer, and this is ${process.version} on ${process.platform} ${process.arch}, ` +
        'for which no packaged Node exists. Install Node 24 from https://nodejs.org and run the command again.',
    );
  }
  const folder = path.join(home, 'node_modules', name);
  const manifest = path.join(folder, 'package.json');
  const ready = existsSync(manifest) && readJson(manifest).version === version;
  return { version, ready, node: path.join(folder, 'bin/node') };
};

const install = async (version, node, hold) => {
  await withProgress(`Installing Node ${version} (this machine has ${process.version})`, () =>
    npmCi(process.execPath, ['--ignore-scripts', '--include=optional'], home, hold),
  );
  const { code, output } = await capture(node, ['--version']);
  if (code !== 0) {
    throw new SetupError(
      `The packaged Node ${version} does not run here. Install Node 24 and run the command again.\n${output}`,
    );
  }
};

/** A Node that can run Switchboard: this one, or the packaged one, installed if need be. */
export const findNode = async () => {
  if (satisfies(process.versions.node)) return { node: process.execPath, version: process.versions.node };
  if (!packaged().ready) {
    await withLock('runtime', async (hold) => {
      const { version, ready, node } = packaged();
      if (!ready) await install(version, node, hold);
    });
  }
  const { node, version } = packaged();
  return { node, version };
};
