import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

// The first has no windows to draw, so that a page costs a quarter.
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const onMac = ['Chromium', 'Google Chrome'].map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`);

const runs = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const find = (): string | undefined => {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  const onPath = folders.flatMap((folder) => names.map((name) => path.join(folder, name)));
  return [...onPath, ...onMac].find(runs);
};

const apt = (...args: string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn('apt-get', args, {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
    child.on('error', () => resolve(false));
    child.on('close', (code) => resolve(code === 0));
  });

const installFromDebian = async (): Promise<void> => {
  const began = performance.now();
  console.log('Installing Chromium for the browser tests (apt-get) …');
  const ticker = setInterval(() => console.log('  still at it'), 10_000);
  // An update that fails halfway may still have brought the list that matters.
  await apt('update', '-q');
  const install = (name: string) => apt('install', '-qy', '--no-install-recommends', name);
  const installed = (await install('chromium-headless-shell')) || (await install('chromium'));
  clearInterval(ticker);
  console.log(`  ${installed ? 'done' : 'failed'} in ${((performance.now() - began) / 1000).toFixed(1)} s`);
};

const remedy =
  'The browser tests need Chromium or Chrome, and none was found. Install one (on Debian, as root: ' +
  'apt-get install chromium), or name it: CHROMIUM_PATH=/path/to/chromium npm test';

type Browser = { path: string } | { path: undefined; remedy: string };

/** A browser for the tests: CHROMIUM_PATH, one that is installed, or as root Debian's. */
export const ensureBrowser = async (): Promise<Browser> => {
  const named = process.env['CHROMIUM_PATH'];
  if (named !== undefined && named !== '') {
    return runs(named)
      ? { path: named }
      : { path: undefined, remedy: `CHROMIUM_PATH is ${named}, which is not a program this user can run.` };
  }
  if (find() === undefined && process.getuid?.() === 0) await installFromDebian();
  const found = find();
  return found === undefined ? { path: undefined, remedy } : { path: found };
};
