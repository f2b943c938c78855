import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';
import { connectBrowser, violationsIn } from '../../../test/browser.ts';

let bench: Workbench;
let browser: Browser;
let context: BrowserContext;
const complaints: string[] = [];

beforeAll(async () => {
  bench = await workbench({ mail: true, reachable: true });
  browser = await connectBrowser();
});
afterAll(async () => {
  await browser.close();
  await bench[Symbol.asyncDispose]();
});
beforeEach(async () => {
  bench.mail.reset();
  bench.board.reset();
  context = await browser.newContext();
  complaints.length = 0;
  context.on('console', (message) => {
    const ours = message.location().url.startsWith(bench.origin);
    // The browser notes every answer that is a refusal as an error.
    if (ours && message.type() === 'error' && !/status of 4/.test(message.text())) complaints.push(message.text());
  });
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

const link = async (body: Record<string, unknown>): Promise<string> =>
  (await bench.owned('POST', '/v1/connect', body)).body.url;
const account = async (id: string) => (await bench.owned('GET', `/v1/accounts/${id}`)).body;
const accounts = async () => (await bench.owned('GET', '/v1/accounts?limit=100')).body.items;

/** Our own page with a pop-up, and what it is told. */
const openPopUp = async (body: Record<string, unknown>) => {
  const opener = await context.newPage();
  await opener.goto(`${bench.origin}/docs`);
  await opener.evaluate(
    'window.told = []; addEventListener("message", ({ data, origin }) => told.push({ ...data, origin }))',
  );
  const [popUp] = await Promise.all([
    opener.waitForEvent('popup'),
    opener.evaluate((url) => void globalThis.open(url, 'connect', 'popup'), await link(body)),
  ]);
  const told = () => opener.evaluate('told') as Promise<Record<string, string>[]>;
  return { opener, popUp, told };
};
const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const signInAs = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(name) }).click();

describe('mail in a pop-up', () => {
  test('sign in, accept: the account is there, the opener is told and the pop-up closes itself', async () => {
    const { popUp, told } = await openPopUp({ integration: 'mail' });
    await signInAs(popUp, 'ada@sandbox.test');
    const closed = popUp.waitForEvent('close');
    await popUp.getByRole('button', { name: 'Accept' }).click();
    await closed;
    const [message] = await told();
    expect(message).toMatchObject({ type: 'switchboard.connect', outcome: 'connected', origin: bench.origin });
    expect(await account(message?.['account'] ?? '')).toMatchObject({ name: 'ada@sandbox.test', state: 'connected' });
  });

  test('closed by the person: nothing is connected, and starting again works', async () => {
    const before = await accounts();
    const { popUp, opener } = await openPopUp({ integration: 'mail' });
    await heading(popUp).waitFor();
    await popUp.close();
    expect(await accounts()).toEqual(before);
    await opener.close();
    const again = await openPopUp({ integration: 'mail' });
    await signInAs(again.popUp, 'ben@sandbox.test');
    const closed = again.popUp.waitForEvent('close');
    // The window may be gone before the click in it is over.
    const click = again.popUp.getByRole('button', { name: 'Accept' }).click();
    await Promise.all([closed, click.catch(() => undefined)]);
    expect((await again.told())[0]).toMatchObject({ outcome: 'connected' });
  });

  test('denied: a plain sentence, the opener is told, and trying again leads to the same question', async () => {
    const { popUp, told } = await openPopUp({ integration: 'mail' });
    await signInAs(popUp, 'ada@sandbox.test');
    await popUp.getByRole('button', { name: 'Cancel' }).click();
    await popUp.getByText('You did not allow access to Mail, so nothing was connected.').waitFor();
    await expect.poll(told).toMatchObject([{ outcome: 'denied' }]);
    await popUp.getByRole('link', { name: 'Try again' }).click();
    await heading(popUp).waitFor();
    expect(new URL(popUp.url()).origin).toBe(bench.mail.url);
  });

  test('another person: a plain sentence that names both, and nothing is changed', async () => {
    const accountId = await bench.connectMail('ada@sandbox.test');
    const { popUp } = await openPopUp({ integration: 'mail', accountId });
    await popUp.getByRole('button', { name: 'Use another account' }).click();
    await signInAs(popUp, 'ben@sandbox.test');
    await popUp.getByRole('button', { name: 'Accept' }).click();
    await popUp.getByText('You signed in as ben@sandbox.test, but this account belongs to ada@sandbox.test.').waitFor();
    expect((await account(accountId)).identity.address).toBe('ada@sandbox.test');
  });
});

describe('boards by redirect', () => {
  const returnUrl = () => new URL('/docs', bench.origin).href;

  test.each(['oauth2', 'authorize'])('%s: away, allow, and back with the account', async (method) => {
    const page = await context.newPage();
    await page.goto(await link({ integration: 'board', method, returnUrl: returnUrl() }));
    await page.getByRole('button', { name: /Continue as Ada/ }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.waitForURL(/\/docs\?status=connected/);
    const id = new URL(page.url()).searchParams.get('accountId') ?? '';
    expect(await account(id)).toMatchObject({ authMethod: method, state: 'connected', identity: { username: 'ada' } });
    // The token must not be left behind for whoever presses Back.
    await page.goBack();
    expect(page.url()).not.toMatch(/[#?&]token=/);
  });

  test.each(['oauth2', 'authorize'])('%s: denied ends in a plain sentence', async (method) => {
    const page = await context.newPage();
    await page.goto(await link({ integration: 'board', method, returnUrl: returnUrl() }));
    await page.getByRole('button', { name: /Continue as Ben/ }).click();
    await page.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('You did not allow access to Boards, so nothing was connected.').waitFor();
    await page.getByRole('link', { name: 'Back' }).click();
    await page.waitForURL(returnUrl());
  });
});

describe('a link', () => {
  test('that was used or has expired says so', async () => {
    const page = await context.newPage();
    await page.goto(`${bench.origin}/connect/sbc_nobody`);
    await page.getByText('It was used, withdrawn or has expired; nothing was connected.').waitFor();
  });

  test('opened in one browser does not go on in another', async () => {
    const page = await context.newPage();
    await page.goto(await link({ integration: 'mail' }));
    await using other = await browser.newContext();
    const elsewhere = await other.newPage();
    await elsewhere.goto(page.url());
    await signInAs(elsewhere, 'ada@sandbox.test');
    await elsewhere.getByRole('button', { name: 'Accept' }).click();
    await elsewhere.getByText('Connecting must end in the browser in which it began').waitFor();
  });
});

test.each([
  [390, 'light'],
  [1440, 'dark'],
] as const)('the pages are readable by all at %i px in %s', async (width, colorScheme) => {
  await using own = await browser.newContext({ viewport: { width, height: 800 }, colorScheme });
  const page = await own.newPage();
  bench.board.consent.current = { mode: 'auto', as: 'ada' };
  for (const url of [`${bench.origin}/connect/sbc_nobody`, await link({ integration: 'board' })]) {
    await page.goto(url);
    await heading(page).waitFor();
    const violations = await violationsIn(page);
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
  }
});
