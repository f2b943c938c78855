import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { shared } from '../../test/shared.ts';
import { fileBench, openApp } from './browser.ts';

// Every journey opens windows of other servers; a busy machine takes its time.
const patience = 45_000;
vi.setConfig({ testTimeout: 90_000 });

beforeAll(async () => {
  await shared('bundle');
  await fileBench();
}, 180_000);

const accounts = async (): Promise<{ id: string; name: string; permissionTypes: string[] }[]> =>
  (await (await fileBench()).owned('GET', '/v1/accounts?limit=100')).body.items;

/** Presses a button of ours that opens the mail service's own sign-in page. */
const popUpBy = async (page: Page, button: string): Promise<Page> => {
  const [popUp] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name: button }).click()]);
  popUp.setDefaultTimeout(patience);
  await popUp.getByRole('heading', { level: 1 }).waitFor();
  return popUp;
};
const as = (popUp: Page, who: string) => popUp.getByRole('button', { name: new RegExp(`${who}@sandbox.test`) }).click();

test('mail: Add Integration, sign in and grant in a pop-up, and the account is there without a reload', async () => {
  await using visit = await openApp({ path: '/integrations' });
  const { page, context, complaints } = visit;
  page.setDefaultTimeout(patience);
  await page
    .getByRole('link', { name: /Mail, calendar/ })
    .getByText('Not connected yet')
    .waitFor();
  await page.getByText(new URL('/mcp', page.url()).href, { exact: true }).waitFor();
  await page.getByRole('link', { name: /Mail, calendar/ }).click();
  await page.getByText('No account is connected yet').waitFor();
  await page.getByText('All of them').click();
  await page.getByRole('region', { name: 'Advanced' }).getByText('Mail API Call').waitFor();
  await page.evaluate('window.sameDocument = true');

  // Whoever is in the middle of something connects from there, and loses nothing.
  const template = await context.newPage();
  await template.goto(new URL('/agents/new?from=mail-responder', page.url()).href);
  await template.getByLabel('How it answers').fill('In rhymes.');
  const window = await popUpBy(template, 'Connect an account');
  await as(window, 'ada');
  await window.getByRole('button', { name: 'Cancel' }).click();
  await template.getByRole('alert').getByText('Access was not allowed, so nothing was connected.').waitFor();
  expect(await template.getByLabel('How it answers').inputValue()).toBe('In rhymes.');
  await template.close();

  const denied = await popUpBy(page, 'Add Integration');
  await as(denied, 'ada');
  await denied.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('alert').getByText('Access was not allowed, so nothing was connected.').waitFor();

  // Nobody has to close the window that was refused, or that is lost behind others: another one takes its place.
  await popUpBy(page, 'Try again');
  expect(denied.isClosed()).toBe(true);
  const closed = await popUpBy(page, 'Show the window again');
  await closed.close();
  await page.getByRole('alert').getByText('window was closed before access was granted').waitFor();

  const popUp = await popUpBy(page, 'Try again');
  await as(popUp, 'ada');
  await popUp.getByRole('button', { name: 'Accept' }).click();
  await page.getByRole('status').getByText('ada@sandbox.test is connected.').waitFor();
  await page.getByRole('article', { name: 'ada@sandbox.test' }).getByText('Connected', { exact: true }).waitFor();
  expect(await page.evaluate('window.sameDocument')).toBe(true);
  expect(complaints).toEqual([]);
});

test('mail: a wrong person, one more permission type, a blocked window and a link that expired', async () => {
  const bench = await fileBench();
  const id = await bench.connectMail('ada@sandbox.test');
  await using visit = await openApp({ path: `/integrations/mail?account=${id}` });
  const { page, complaints, context } = visit;
  page.setDefaultTimeout(patience);

  const wrong = await popUpBy(page, 'Reconnect');
  await wrong.getByRole('button', { name: 'Use another account' }).click();
  await as(wrong, 'ben');
  await wrong.getByRole('button', { name: 'Accept' }).click();
  await wrong.getByText('but this account belongs to ada@sandbox.test').waitFor();
  await page.getByRole('alert').getByText('Somebody else signed in').waitFor();
  const closed = wrong.waitForEvent('close');
  // The window may be gone before the click in it is over.
  const click = wrong.getByRole('link', { name: 'Back' }).click();
  await Promise.all([closed, click.catch(() => undefined)]);

  const more = await popUpBy(page, 'Add Shared mailboxes');
  await more.getByRole('button', { name: 'Use another account' }).click();
  await as(more, 'ada');
  await more.getByRole('button', { name: 'Accept' }).click();
  await page.getByText('ada@sandbox.test is connected.').waitFor();
  await expect.poll(async () => (await accounts())[0]?.permissionTypes).toContain('shared_mailboxes');

  // No window opens: the link is offered, and works in a tab of its own.
  await page.evaluate('window.open = () => null');
  const link = page.getByRole('link', { name: 'Open the sign-in page' });
  // Also where the button that was pressed stands far below it.
  await page.setViewportSize({ width: 390, height: 500 });
  await page.getByRole('button', { name: 'Add Meetings collaboration' }).click();
  await link.waitFor();
  expect((await link.boundingBox())?.y).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('button', { name: 'Add Integration' }).click();
  const url = (await link.getAttribute('href')) ?? '';
  const [tab] = await Promise.all([context.waitForEvent('page'), link.click()]);
  await tab.getByRole('button', { name: /ben@sandbox.test/ }).click();
  await page.getByText('ben@sandbox.test is connected.').waitFor();

  await tab.goto(url);
  await tab.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  expect(complaints).toEqual([]);
});

test('board: Connect leads away and back, denied or allowed; a state that expired says so', async () => {
  await using visit = await openApp({ path: '/integrations/board' });
  const { page, complaints } = visit;
  page.setDefaultTimeout(patience);
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('button', { name: /Continue as Ada/ }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('You did not allow access to Boards, so nothing was connected.').waitFor();
  await page.getByRole('link', { name: 'Back' }).click();

  await page.getByText('No account is connected yet').waitFor();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  const returned = page.waitForRequest(/\/connect\/board\/callback/);
  await page.getByRole('button', { name: 'Allow' }).click();
  const callback = (await returned).url();
  await page.getByRole('status').getByText('is connected.').waitFor();
  expect(new URL(page.url()).search).toMatch(/^\?account=acc_/);
  await page.getByRole('button', { name: 'Test connection' }).click();
  await page.getByText('It works. The service knows this account as').waitFor();

  await page.goto(callback);
  await page.getByRole('heading', { name: 'This link no longer works' }).waitFor();
  await page.getByRole('link', { name: 'Back' }).click();
  expect(complaints).toEqual([]);
});

test('an account is renamed, paused and disconnected, and says first what that stops', async () => {
  const bench = await fileBench();
  const id = await bench.connectBoard();
  const steps = [{ key: 'all', step: 'board.get_boards', account: { id }, input: {} }];
  await bench.owned('POST', '/v1/tools', { name: 'All boards', steps });
  await using visit = await openApp({ path: `/integrations/board?account=${id}`, width: 390 });
  const { page, complaints } = visit;
  page.setDefaultTimeout(patience);
  await page.getByRole('link', { name: 'All boards' }).waitFor();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Team board');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  const card = page.getByRole('article', { name: 'Team board' });
  await card.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
  await card.getByText('Paused', { exact: true }).waitFor();
  // Among many, it is found by what it is called and by how it stands; the address and the way back keep that.
  await page.getByLabel('State').selectOption({ label: 'Connected' });
  await page.getByText('No account is like that').waitFor();
  await page.getByLabel('State').selectOption({ label: 'Paused' });
  await page.getByLabel('Find by name').pressSequentially('TEAM b');
  await page.waitForURL('**/board?state=paused&query=TEAM+b');
  await card.getByRole('button', { name: 'Team board' }).click();
  await page.waitForURL(`**/board?query=TEAM+b&state=paused&account=${id}`);
  await page.goBack();
  await page.getByText('No account is like that').waitFor();
  expect(await page.getByLabel('Find by name').inputValue()).toBe('');
  await page.goForward();
  await card.getByRole('button', { name: 'Resume' }).click();
  await card.getByText('Connected', { exact: true }).waitFor();

  await card.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('dialog').getByText('This stops 1 tool:').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No account is like that').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByText('No account is connected yet').waitFor();
  expect(complaints).toEqual([]);
});

test('an API key + token pair is asked for with a guide, proven, and stored as a secret or an account', async () => {
  const bench = await fileBench();
  const { key = '', token = '' } = await bench.keyAndToken();
  await using visit = await openApp({ path: '/integrations' });
  const { page, complaints } = visit;
  page.setDefaultTimeout(patience);
  await page.getByRole('button', { name: 'Add a secret' }).click();
  const form = page.getByRole('dialog');
  expect(await form.getByRole('link', { name: /power-ups/ }).getAttribute('href')).toBe(
    `${bench.board.url}/power-ups/admin`,
  );
  await form.getByRole('link', { name: `${bench.board.url}/apps/admin` }).waitFor();
  await form.getByLabel('API key', { exact: true }).fill(key);
  expect(await form.getByRole('link', { name: /grants a token/ }).getAttribute('href')).toBe(
    `${bench.board.url}/1/authorize?expiration=never&name=Switchboard&scope=read%2Cwrite&response_type=token&key=${key}`,
  );
  await form.getByLabel('Token').fill(`${token}0`);
  await form.getByRole('button', { name: 'Store' }).click();
  await form.getByRole('alert').getByText('does not accept this credential').waitFor();
  await form.getByLabel('Token').fill(token);
  await form.getByLabel('Name').fill('Robot');
  await form.getByRole('button', { name: 'Store' }).click();
  await page.getByRole('listitem').filter({ hasText: 'Robot' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No secret is stored.').waitFor();
  expect(complaints).toEqual([]);
});

test('an API key is shown once, works, and is refused after it is revoked; a link for an end user is made', async () => {
  const bench = await fileBench();
  await using visit = await openApp({ path: '/integrations' });
  const { page, complaints } = visit;
  page.setDefaultTimeout(patience);
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill('Importer');
  await page.getByRole('button', { name: 'Make the key' }).click();
  const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? '';
  expect((await bench.call('GET', '/v1/accounts', { key })).status).toBe(200);
  await page.getByRole('button', { name: 'I have stored it' }).click();

  const row = page.getByRole('listitem').filter({ hasText: 'Importer' });
  expect(await row.locator('code').textContent()).toBe(`…${key.slice(-4)}`);
  expect(await page.content()).not.toContain(key);
  await row.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('Revoked').waitFor();
  expect((await bench.call('GET', '/v1/accounts', { key })).status).toBe(401);

  await page.getByRole('link', { name: /Mail, calendar/ }).click();
  await page.getByRole('button', { name: 'Link for somebody else' }).click();
  await page.getByLabel('End user').fill('customer-7');
  await page.getByRole('button', { name: 'Make a link' }).click();
  await page.getByText('It expires in').waitFor();
  expect(await page.getByLabel('Link', { exact: true }).inputValue()).toMatch(/\/connect\/sbc_/);
  expect(complaints).toEqual([]);
});
