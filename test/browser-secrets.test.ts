import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { fileBench, openApp } from '../web/test/browser.ts';
import { expectNowhere } from './secret-places.ts';

// Windows of other servers are opened; a busy machine takes its time.
const patience = 45_000;
vi.setConfig({ testTimeout: 90_000 });

// Builds the web app, if nobody did before.
beforeAll(async () => {
  await using _ = await openApp({ signedIn: false });
}, 180_000);

/** What any script of a page could read: storages, cookies, and all that the page holds. */
const readable = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const fields = [...document.querySelectorAll('input, textarea')] as HTMLInputElement[];
    return JSON.stringify({
      storages: [Object.entries(localStorage), Object.entries(sessionStorage)],
      cookie: document.cookie,
      name: window.name,
      state: history.state,
      address: location.href,
      html: document.documentElement.outerHTML,
      fields: fields.map(({ value }) => value),
    });
  });

/** Larger stores of a browser; the web app has none of them. */
const stores = (page: Page) =>
  page.evaluate(async () => ({
    databases: (await indexedDB.databases()).length,
    caches: (await caches.keys()).length,
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  }));

/** What was asked for by address alone: it stands in histories and in the logs of proxies. */
const addressesOf = (context: BrowserContext, origin: string): string[] => {
  const asked: string[] = [];
  context.on('request', (request) => {
    if (request.url().startsWith(origin)) asked.push(request.url());
  });
  return asked;
};

test('a browser that signed in and connected accounts keeps no secret that a script could read', async () => {
  const bench = await fileBench();
  const password = 'planted password 51ce';
  const owner = await bench.signInAsOwner();
  await bench.call('PUT', '/v1/session/password', { cookie: owner, body: { password } });
  const { token, key: appKey, appSecret } = bench.board.credentials('ada');

  await using visit = await openApp({ signedIn: false });
  const { page, context } = visit;
  page.setDefaultTimeout(patience);
  const asked = addressesOf(context, bench.origin);
  await page.getByLabel('Email').fill('owner@switchboard.local');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('My workspace').filter({ visible: true }).first().waitFor();
  const seen: Record<string, string> = { 'after signing in': await readable(page) };

  await page.goto(`${bench.origin}/integrations`);
  await page.getByRole('button', { name: 'Add a secret' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('API key', { exact: true }).fill(appKey);
  await form.getByLabel('Token').fill(token);
  await form.getByLabel('Name').fill('Robot');
  await form.getByRole('button', { name: 'Store' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Robot' }).waitFor();
  seen['after storing a secret'] = await readable(page);

  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill('Importer');
  await page.getByRole('button', { name: 'Make the key' }).click();
  const apiKey = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Importer' }).waitFor();
  seen['after making a key'] = await readable(page);

  await page.getByRole('link', { name: /Mail, calendar/ }).click();
  const adding = page.getByRole('button', { name: 'Add Integration' });
  const [popUp] = await Promise.all([page.waitForEvent('popup'), adding.click()]);
  popUp.setDefaultTimeout(patience);
  await popUp.getByRole('button', { name: /ada@sandbox.test/ }).click();
  await popUp.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('ada@sandbox.test is connected.').waitFor();
  seen['after connecting mail'] = await readable(page);

  await page.goto(`${bench.origin}/integrations/board`);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('button', { name: /Continue as Ada/ }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('status').getByText('is connected.').waitFor();
  seen['after connecting a board'] = await readable(page);
  await page.goto(`${bench.origin}/audit`);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  seen['in the audit'] = await readable(page);

  expect(await stores(page)).toEqual({ databases: 0, caches: 0, workers: 0 });
  // The services' own pages stand on the same host here.
  const cookies = (await context.cookies(bench.origin)).filter(({ name }) => name.startsWith('switchboard'));
  expect(cookies.length).toBeGreaterThan(1);
  expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual(cookies.map(() => [true, 'Lax']));
  const { access, refresh, codes } = bench.mail.world.tokens.snapshot();
  const issued = [...access, ...refresh].map(([value], nth) => [`mail ${nth}`, value] as const);
  expect(issued.length).toBeGreaterThan(1);
  const secrets = {
    password,
    token,
    appSecret,
    apiKey,
    ...Object.fromEntries(issued),
    ...Object.fromEntries(cookies.map(({ name, value }) => [`cookie ${name}`, value])),
  };
  expectNowhere({ ...secrets, ...Object.fromEntries([...codes].map(([code], nth) => [`code ${nth}`, code])) }, seen);
  expectNowhere(secrets, { addresses: asked.join('\n') });
});
