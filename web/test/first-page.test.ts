import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectBrowser } from '../../test/browser.ts';
import { shared } from '../../test/shared.ts';
import { serveBundle, type World } from './stand-in-server.ts';

let bundle: string;
let browser: Browser;

beforeAll(async () => {
  bundle = (await shared('bundle')).folder;
  browser = await connectBrowser();
});
afterAll(() => browser.close());

/** A page on its own server, and everything the browser complained about. */
const open = async (change: Partial<World> = {}, options: BrowserContextOptions = {}) => {
  const server = await serveBundle(bundle);
  Object.assign(server.world, change);
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  const elsewhere: string[] = [];
  page.on('console', (message) => {
    // The browser notes every answer of 401 as an error; here it only means that nobody is signed in.
    if (message.type() === 'error' && !message.text().includes('401')) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) elsewhere.push(request.url());
  });
  await page.goto(server.url);
  return {
    page,
    world: server.world,
    complaints,
    elsewhere,
    async [Symbol.asyncDispose]() {
      await context.close();
      server.close();
    },
  };
};

const says = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor();

test('a member signs in by keyboard, sees who and where, and signs out', async () => {
  await using visit = await open();
  const { page, world, complaints } = visit;

  await page.getByLabel('Email').fill('ada@sandbox.test');
  await page.keyboard.press('Tab');
  await page.keyboard.type('correct horse');
  await page.keyboard.press('Enter');
  await says(page, 'ada@sandbox.test');
  await page.getByRole('heading', { name: 'Sandbox' }).waitFor();
  await says(page, /, owner/);

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(world).toMatchObject({ signedIn: false, unguarded: [] });
  expect(complaints).toEqual([]);
});

test('a wrong password is answered beside the form, which can be used again', async () => {
  await using visit = await open();
  const { page } = visit;
  await page.getByLabel('Email').fill('ada@sandbox.test');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();

  await page.getByRole('alert').getByText('Email or password is wrong.').waitFor();
  expect(await page.getByRole('button', { name: 'Sign in' }).isEnabled()).toBe(true);
  expect(await page.getByLabel('Email').inputValue()).toBe('ada@sandbox.test');
});

test('the page tells whether the server is ready', async () => {
  await using ready = await open();
  await using waiting = await open({ ready: false });

  await expect.poll(() => ready.page.getByRole('status').textContent()).toBe('Server: ready');
  await expect.poll(() => waiting.page.getByRole('status').textContent()).toBe('Server: not ready');
});

test('a failing server is named, and asked again on request', async () => {
  await using visit = await open({ broken: true, signedIn: true });
  const { page, world } = visit;
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('Our bug, reference req_1.');

  world.broken = false;
  await page.getByRole('button', { name: 'Try again' }).click();

  await says(page, 'ada@sandbox.test');
});

const views = [390, 1440].flatMap((width) =>
  (['light', 'dark'] as const).flatMap((colorScheme) =>
    [true, false].map((signedIn) => ({ width, colorScheme, signedIn })),
  ),
);

test.each(views)(
  'at $width px, $colorScheme, signed in $signedIn: readable by all, nothing cut off or fetched from elsewhere',
  async (view) => {
    const { width, colorScheme, signedIn } = view;
    await using visit = await open({ signedIn }, { viewport: { width, height: 900 }, colorScheme });
    const { page, complaints, elsewhere } = visit;
    await page.getByRole('button', { name: signedIn ? 'Sign out' : 'Sign in' }).waitFor();
    await says(page, 'Server: ready');

    const { violations } = await new AxeBuilder({ page }).analyze();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    const background = await page.evaluate('getComputedStyle(document.body).backgroundColor');

    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(overflow).toBe(0);
    expect(background).toMatch(colorScheme === 'dark' ? /oklch\(0\.1/ : /oklch\(0\.9/);
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] });
  },
);
