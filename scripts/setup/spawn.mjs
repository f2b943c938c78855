import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { root } from './say.mjs';

/** The environment in which `node` and the installed tools are found first. */
export const toolEnvironment = (node) => ({
  ...process.env,
  PATH: [path.join(root, 'node_modules/.bin'), path.dirname(node), process.env.PATH ?? ''].join(path.delimiter),
});

/** Signals meant for us reach the child instead, until it ends; with a grace time it is made to. */
const passSignals = (child, { graceMs } = {}) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    const pass = () => {
      // A terminal sends Ctrl-C and Ctrl-\ to the child as well; twice would look like impatience.
      const alreadyThere = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT');
      if (!alreadyThere) child.kill(signal);
      if (graceMs !== undefined) setTimeout(() => child.kill('SIGKILL'), graceMs).unref();
    };
    process.on(signal, pass);
    child.once('close', () => process.off(signal, pass));
  }
};

const exitCode = (code, signal) => code ?? 128 + constants.signals[signal];

/** Runs a program to its end; answers its exit code and everything it printed. */
export const capture = (program, args, { hold, ...options } = {}) =>
  new Promise((resolve) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
    if (child.pid !== undefined) hold?.(child.pid);
    passSignals(child, { graceMs: 2_000 });
    let output = '';
    const take = (chunk) => {
      output += chunk;
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.on('error', (error) => resolve({ code: 127, output: error.message }));
    child.on('close', (code, signal) => resolve({ code: exitCode(code, signal), output }));
  });

/** Runs the real command in our place: its input, output, signals and exit code are ours. */
export const handOver = (program, args, options) =>
  new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: 'inherit' });
    passSignals(child);
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(exitCode(code, signal)));
  });
