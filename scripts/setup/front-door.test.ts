import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';

const scripts = path.resolve(import.meta.dirname, '..');

// Stand-ins for npm and vite: they note that they ran and leave behind what the real ones would.
const npm = `
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
appendFileSync('calls.log', 'npm ' + process.argv[2] + '\\n');
await new Promise((resolve) => setTimeout(resolve, 300));
if (existsSync('offline')) {
  console.error('npm error code ENOTFOUND');
  process.exit(1);
}
rmSync('node_modules', { recursive: true, force: true });
mkdirSync('node_modules/vite/bin', { recursive: true });
writeFileSync('node_modules/vite/bin/vite.js', \`
  const { appendFileSync, copyFileSync, mkdirSync } = require('node:fs');
  const out = process.argv[process.argv.indexOf('--outDir') + 1];
  appendFileSync('calls.log', 'vite ' + out.match(/dist.([a-z]+)/)[1] + '\\\\n');
  mkdirSync(out, { recursive: true });
  copyFileSync('src/cli/main.ts', out + '/main.js');
\`);
`;

const command = `
if (process.argv.includes('wait')) {
  process.on('SIGTERM', () => process.exit(42));
  setInterval(() => {}, 1_000);
}
console.log(JSON.stringify(process.argv.slice(2)));
process.exitCode = process.argv.includes('fail') ? 7 : 0;
`;

/** A house with nothing but its front door, an empty lock file, one web source and a command that tells its arguments. */
const house = () => {
  const root = mkdtempSync(path.join(tmpdir(), 'switchboard-house-'));
  const write = (file: string, text: string) => {
    mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
    writeFileSync(path.join(root, file), text);
  };
  cpSync(scripts, path.join(root, 'scripts'), { recursive: true });
  write('package.json', '{ "type": "module" }');
  write('package-lock.json', '{ "packages": {} }');
  write('web/app.ts', 'export {};');
  write('src/cli/main.ts', command);
  write('tools/npm-cli.js', npm);

  const children: ChildProcess[] = [];
  const start = (...args: string[]) => {
    const child = spawn(process.execPath, [path.join(root, 'scripts/run.mjs'), 'start', ...args], {
      env: { ...process.env, npm_execpath: path.join(root, 'tools/npm-cli.js') },
    });
    children.push(child);
    let output = '';
    const shows: ((text: string) => void)[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk;
        for (const show of shows) show(output);
      });
    }
    const ended = new Promise<{ code: number | null; output: string }>((resolve) => {
      child.on('close', (code) => resolve({ code, output }));
    });
    const said = (text: string) =>
      new Promise<void>((resolve) => {
        shows.push((all) => all.includes(text) && resolve());
      });
    return { child, ended, said };
  };
  return {
    root,
    write,
    start,
    calls: () => readFileSync(path.join(root, 'calls.log'), 'utf8').trim().split('\n'),
    [Symbol.dispose]() {
      for (const child of children) child.kill();
      rmSync(root, { recursive: true, force: true });
    },
  };
};

test('the first command installs and builds, the second finds all in place', async () => {
  using home = house();
  expect((await home.start().ended).code).toBe(0);
  expect(home.calls()).toEqual(['npm ci', 'vite web', 'vite server']);

  const second = await home.start('--port', 'a b').ended;

  expect(second).toEqual({ code: 0, output: '["start","--port","a b"]\n' });
  expect(home.calls()).toEqual(['npm ci', 'vite web', 'vite server']);
});

test('a bundle whose sources changed is built again, a changed lock file installed again', async () => {
  using home = house();
  await home.start().ended;

  home.write('web/app.ts', 'export const changed = true;');
  await home.start().ended;
  expect(home.calls().slice(3)).toEqual(['vite web']);

  home.write('src/other.ts', 'export const changed = true;');
  home.write('src/other.test.ts', 'export {};');
  await home.start().ended;
  expect(home.calls().slice(4)).toEqual(['vite server']);

  home.write('src/other.test.ts', 'export const changed = true;');
  await home.start().ended;
  expect(home.calls().slice(5)).toEqual([]);

  home.write('package-lock.json', '{ "packages": {}, "changed": true }');
  await home.start().ended;
  expect(home.calls().filter((call) => call === 'npm ci')).toHaveLength(2);
});

test('packages of another folder, to which a link leads, are left alone', async () => {
  using home = house();
  home.write('elsewhere/node_modules/kept', 'theirs');
  symlinkSync(path.join(home.root, 'elsewhere/node_modules'), path.join(home.root, 'node_modules'));
  const { code, output } = await home.start().ended;
  expect([code, output]).toEqual([1, expect.stringContaining('node_modules is a link to')]);
  expect(readFileSync(path.join(home.root, 'elsewhere/node_modules/kept'), 'utf8')).toBe('theirs');
});

test('commands that begin at the same time install once', async () => {
  using home = house();

  const ends = await Promise.all([home.start().ended, home.start().ended, home.start().ended]);

  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(home.calls()).toEqual(['npm ci', 'vite web', 'vite server']);
});

test('the lock of a process that died does not count', async () => {
  using home = house();
  const dead = spawn(process.execPath, ['--version']);
  await new Promise((resolve) => {
    dead.on('close', resolve);
  });
  home.write('.cache/install.lock', `${dead.pid}\n`);

  expect((await home.start().ended).code).toBe(0);
  expect(existsSync(path.join(home.root, '.cache/install.lock'))).toBe(false);
});

test('without a network the remedy is named, and the next command tries again', async () => {
  using home = house();
  home.write('offline', '');
  const failed = await home.start().ended;
  expect(failed.code).toBe(1);
  expect(failed.output).toContain('Check the network');

  rmSync(path.join(home.root, 'offline'));

  expect((await home.start().ended).code).toBe(0);
});

test('an install that left out a binary of this machine is not taken for complete', async () => {
  using home = house();
  const binary = { os: [process.platform], cpu: [process.arch], optional: true };
  const other = { os: ['another'], cpu: [process.arch], optional: true };
  home.write(
    'package-lock.json',
    JSON.stringify({ packages: { 'node_modules/ours': binary, 'node_modules/theirs': other } }),
  );

  const { code, output } = await home.start().ended;

  expect(code).toBe(1);
  expect(output).toContain('left out node_modules/ours.');
});

test('the exit code and signals pass through', async () => {
  using home = house();
  expect((await home.start('fail').ended).code).toBe(7);

  const waiting = home.start('wait');
  await waiting.said('"wait"');
  waiting.child.kill('SIGTERM');

  expect((await waiting.ended).code).toBe(42);
});

test('a command that a signal ends is reported as the shell does', async () => {
  using home = house();
  home.write('src/cli/main.ts', "process.kill(process.pid, 'SIGKILL');");

  expect((await home.start().ended).code).toBe(128 + constants.signals.SIGKILL);
});
