import { existsSync, realpathSync } from 'node:fs';
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

const remedies = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/,
    'The package registry cannot be reached. Check the network, or a proxy (npm config set proxy …), then run the command again.',
  ],
  [/EACCES|EPERM/, 'This user may not write there. Run the command as the owner of this folder.'],
  [/ENOSPC/, 'The disk is full. Free about 1 GB and run the command again.'],
  [/EUSAGE/, 'package.json and package-lock.json disagree. Run npm install and commit both.'],
  [
    /ESTRICTALLOWSCRIPTS|allowScripts/,
    'A package wants to run an install script. List it in allowScripts of package.json.',
  ],
];

/** Runs npm under the given Node; its output is shown only when it fails. */
export const npm = async (node, args, cwd) => {
  const { code, output } = await capture(node, [findNpm(), ...args, '--no-audit', '--no-fund'], {
    cwd,
    env: toolEnvironment(node),
  });
  if (code === 0) return;
  const remedy = remedies.find(([sign]) => sign.test(output))?.[1] ?? 'The lines above say why.';
  throw new SetupError(`${output.trim().split('\n').slice(-25).join('\n')}\n\nnpm ${args[0]} failed. ${remedy}`);
};
