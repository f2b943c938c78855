import { existsSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { SetupError } from './say.mjs';
import { capture, toolEnvironment } from './spawn.mjs';

const isNpm = (file) => path.basename(file) === 'npm-cli.js' && existsSync(file);

/** The JavaScript file that is npm, so that any Node can run it. */
const findNpm = () => {
  const onPath = (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'npm'))
    .filter((file) => existsSync(file))
    .map((file) => realpathSync(file));
  const besideNode = path.resolve(path.dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js');
  const found = [process.env.npm_execpath ?? '', ...onPath, besideNode].find(isNpm);
  if (found === undefined) {
    throw new SetupError('npm was not found. Install npm 11 or newer (it comes with Node) and run the command again.');
  }
  return found;
};

const reachRegistry =
  'The package registry cannot be reached. Check the network, or a proxy (npm config set proxy …), then run the command again.';
const remedies = [
  [/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/, reachRegistry],
  [/EACCES|EPERM/, 'This user may not write there. Run the command as the owner of this folder.'],
  [/ENOSPC/, 'The disk is full. Free about 1 GB and run the command again.'],
  [/EUSAGE/, 'package.json and package-lock.json disagree. Run npm install and commit both.'],
  [
    /ESTRICTALLOWSCRIPTS/,
    'A package wants to run an install script. List it as false in allowScripts of package.json.',
  ],
];

const admits = (wanted, actual) => wanted === undefined || [wanted].flat().includes(actual);

/** Binaries for this machine that npm has left out; it says nothing when an optional package cannot be fetched. */
const missingBinaries = (folder) => {
  const { packages } = JSON.parse(readFileSync(path.join(folder, 'package-lock.json'), 'utf8'));
  const libc = process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
  return Object.entries(packages)
    .filter(([, { os, cpu }]) => os !== undefined || cpu !== undefined)
    .filter(([, wanted]) => admits(wanted.os, process.platform) && admits(wanted.cpu, process.arch))
    .filter(([, wanted]) => admits(wanted.libc, libc))
    .map(([place]) => place)
    .filter((place) => !existsSync(path.join(folder, place, 'package.json')));
};

/** Runs `npm ci` in a folder under the given Node; its output is shown only when it fails. */
export const npmCi = async (node, flags, folder, hold) => {
  const patience = ['--fetch-retries=3', '--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=8000'];
  const args = [findNpm(), 'ci', ...flags, ...patience, '--no-audit', '--no-fund'];
  const { code, output } = await capture(node, args, { cwd: folder, env: toolEnvironment(node), hold });
  const tail = output.trim().split('\n').slice(-25).join('\n');
  if (code > 128) throw new SetupError('Interrupted; the next command begins again.');
  if (code !== 0) {
    const remedy = remedies.find(([sign]) => sign.test(output))?.[1] ?? 'The lines above say why.';
    throw new SetupError(`${tail}\n\nnpm ci failed. ${remedy}`);
  }
  const missing = missingBinaries(folder);
  if (missing.length > 0) {
    throw new SetupError(`${tail}\n\nnpm ci left out ${missing.join(', ')}. ${reachRegistry}`);
  }
};
