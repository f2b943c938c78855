import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import path from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { freePort, runCommand, startProcess } from '../prove/harness/processes.ts';
import { stage } from '../prove/harness/stage.ts';
import { noteFigure } from './lib/figures.ts';
import { median } from './lib/measure.ts';

/*
 * How fast the web app's pages appear, beside an empty page from a bare server, in the same browser and the same round.
 * A fresh profile for each visit: nothing is cached.
 */

const rounds = 5;
const pages = ['/', '/approvals', '/agents', '/tools', '/integrations', '/events', '/runs', '/settings'];
const mostKilobytes = 250;

type Visit = { shownMs: number; idleMs: number; scriptKb: number; requests: number };

const visit = async (browser: Browser, url: string, cookies: { name: string; value: string }[]): Promise<Visit> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  await context.addCookies(cookies.map((cookie) => ({ ...cookie, url })));
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  await wire.send('Network.enable');
  let scripts = 0;
  let requests = 0;
  const scriptIds = new Set<string>();
  wire.on('Network.responseReceived', ({ requestId, type }) => {
    requests += 1;
    if (type === 'Script') scriptIds.add(requestId);
  });
  wire.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (scriptIds.has(requestId)) scripts += encodedDataLength;
  });
  const begun = performance.now();
  await page.goto(url, { waitUntil: 'load' });
  await page.locator('h1').first().waitFor();
  const idleMs = performance.now() - begun;
  const shownMs = await page.evaluate<number>(`new Promise((resolve) => {
    new PerformanceObserver((list) => {
      const [first] = list.getEntriesByName('first-contentful-paint');
      if (first !== undefined) resolve(first.startTime);
    }).observe({ type: 'paint', buffered: true });
  })`);
  await context.close();
  return { shownMs, idleMs, scriptKb: scripts / 1024, requests };
};

const serveEmpty = async () => {
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Empty</title><h1>Empty</h1>'),
  );
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const root = path.resolve(import.meta.dirname, '..');
execFileSync(
  process.execPath,
  [path.join(root, 'node_modules/vite/bin/vite.js'), 'build', 'web', '--logLevel', 'warn'],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
await using set = await stage();
const environment = { ...set.environment, PORT: String(await freePort()), LOG_LEVEL: 'warn' };
const ours = await startProcess('start', environment);
const empty = await serveEmpty();
const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  const printed = await runCommand(['sign-in-link'], environment);
  const link = new URL(/http\S+/.exec(printed)?.[0] ?? '');
  const context = await browser.newContext();
  const door = await context.newPage();
  await door.goto(link.href);
  await door.getByRole('button').first().click();
  await door.getByRole('navigation').first().waitFor();
  const cookies = (await context.cookies()).map(({ name, value }) => ({ name, value }));
  await context.close();

  let tooMuch = false;
  for (const page of pages) {
    const seen: { page: Visit; empty: Visit }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const reference = await visit(browser, empty.url, []);
      seen.push({ empty: reference, page: await visit(browser, `${ours.origin}${page}`, cookies) });
    }
    const of = (read: (each: (typeof seen)[number]) => number) => median(seen.map(read));
    const kilobytes = of(({ page: own }) => own.scriptKb);
    tooMuch ||= kilobytes > mostKilobytes;
    const paint = of(({ page: own, empty: bare }) => own.shownMs / bare.shownMs);
    noteFigure({ what: `${page} JavaScript`, value: kilobytes, unit: 'KB', goal: { most: mostKilobytes } });
    noteFigure({ what: `${page} first paint to an empty page's`, value: paint, unit: 'ratio' });
    say(
      `  ${page.padEnd(14)} first paint ${of(({ page: own, empty: bare }) => own.shownMs / bare.shownMs).toFixed(1)} × an empty page ` +
        `(${of(({ page: own }) => own.shownMs).toFixed(0)} ms), heading ${of(({ page: own, empty: bare }) => own.idleMs / bare.idleMs).toFixed(1)} × ` +
        `(${of(({ page: own }) => own.idleMs).toFixed(0)} ms), ${kilobytes.toFixed(0)} KB of compressed JavaScript`,
    );
  }
  say(tooMuch ? `  More than ${mostKilobytes} KB.` : `  All pages stay under ${mostKilobytes} KB on a first load.`);
  process.exitCode = tooMuch ? 1 : 0;
} finally {
  await browser.close();
  empty.close();
  await ours.stop();
}
