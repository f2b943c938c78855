import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Workbench, workbench } from './workbench.ts';

let bench: Workbench;
let browser: Browser;
beforeAll(async () => {
  bench = await workbench();
  const executablePath = process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium';
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
});
afterAll(async () => {
  await browser.close();
  await bench[Symbol.asyncDispose]();
});

test('a new owner opens the printed link, presses the button and is in; the page breaks no rule of its own', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on(
    'request',
    (request) => void (new URL(request.url()).origin !== bench.origin && complaints.push(request.url())),
  );

  const link = await bench.signInLink();
  await page.goto(bench.origin + new URL(link).pathname);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('My workspace').waitFor();
  await page.getByText('owner@switchboard.local').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('the reference can be read on a phone without sideways scrolling', async () => {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`${bench.origin}/docs`);
  await page.getByText('/v1/steps/{id}/run').first().click();
  const [wide, shown] = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(wide).toBeLessThanOrEqual(shown ?? 0);
  await page.close();
});
