import { beforeAll, expect, test, vi } from 'vitest';
import { shared } from '../../test/shared.ts';
import { openReceiver } from '../../test/webhook-receiver.ts';
import { fileBench, openApp } from './browser.ts';

vi.setConfig({ testTimeout: 120_000 });

beforeAll(async () => {
  await shared('bundle');
  await fileBench();
}, 180_000);

const settings = async () => (await (await fileBench()).owned('GET', '/v1/settings')).body;

test('a person is invited by a link, gets another role, signs in with it, and is removed', async () => {
  const bench = await fileBench();
  await using visit = await openApp({ path: '/settings' });
  const { page, complaints } = visit;
  await page.getByRole('button', { name: 'Invite' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Email').fill('vera@example.com');
  await form.getByLabel('Role').selectOption('viewer');
  await form.getByRole('button', { name: 'Invite' }).click();
  await form.getByRole('button', { name: 'Make the link' }).click();
  const link = (await form.getByLabel('sign-in link', { exact: true }).textContent()) ?? '';
  const cookie = await bench.signIn(link);
  expect((await bench.call('GET', '/v1/session', { cookie })).body.member).toMatchObject({ role: 'viewer' });
  // What is shown this once is not lost by a slip of hand.
  await page.mouse.click(5, 5);
  await page.keyboard.press('Escape');
  await form.getByRole('alert').getByText('not kept').waitFor();
  expect(await form.getByLabel('sign-in link', { exact: true }).textContent()).toBe(link);
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });

  await page.getByLabel('Role of vera@example.com').selectOption('approver');
  await page.getByText('The role is changed.').waitFor();

  // What an approver sees: no form that would be refused.
  await using other = await openApp({ signedIn: false });
  const [name = '', value = ''] = cookie.split('=');
  await other.context.addCookies([{ name, value, url: bench.origin, httpOnly: true }]);
  await other.page.goto(bench.origin);
  await other.page.getByRole('link', { name: 'Choose a password' }).click();
  await other.page.getByRole('button', { name: 'Set the password' }).waitFor();
  await other.page.goto(`${bench.origin}/settings?tab=webhooks`);
  await other.page.getByRole('heading', { name: 'Members' }).waitFor();
  expect(await other.page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  expect(await other.page.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  // Nor a way to what only others do.
  const sandbox = other.page.getByRole('complementary', { name: 'Sandbox' });
  await sandbox.getByRole('link', { name: /Mailbox/ }).waitFor();
  expect(await sandbox.getByRole('link', { name: 'Tour & faults' }).count()).toBe(0);
  await other.page.getByRole('link', { name: 'Sending & stop' }).click();
  await other.page.getByText('An owner can stop everything').waitFor();
  await other.page.getByRole('link', { name: 'Data & access' }).click();
  expect(await other.page.getByLabel('Audit, in days').isDisabled()).toBe(true);
  // Tabs of a browser are told apart, as those of the page.
  expect(await other.page.title()).toBe('Data & access · Settings · Switchboard');

  const row = page.getByRole('listitem').filter({ hasText: 'vera@example.com' });
  await row.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await row.waitFor({ state: 'detached' });
  expect((await bench.call('GET', '/v1/session', { cookie })).status).toBe(401);
  expect([...complaints, ...other.complaints]).toEqual([]);
});

test('limits, recipients, model, retention and return origins are kept; refusals stand at their fields', async () => {
  const bench = await fileBench();
  const id = await bench.connectMail('ada@sandbox.test');
  await using visit = await openApp({ path: '/settings?tab=safety' });
  const { page, complaints } = visit;
  const save = (section: string, button: string | RegExp = 'Save') =>
    page.getByRole('region', { name: section }).getByRole('button', { name: button }).click();
  const saved = () => page.getByText('Saved.').last().waitFor();

  await page.getByLabel('Sends per run').fill('7');
  await page.getByLabel('Strict mode').check();
  await save('Sending without asking');
  await saved();
  await page.getByLabel('Removals per account and hour').fill('12');
  await save('Removing without asking');
  await expect.poll(async () => (await settings()).deletes).toEqual({ perRun: 5, perAccountHour: 12 });
  await page.getByLabel('ada@sandbox.test').fill('nonsense');
  await save('Allowed recipients', /Save for/);
  await page.getByText('must be an address, or *@ with a domain').waitFor();
  await page.getByLabel('ada@sandbox.test').fill('*@contoso.example');
  await save('Allowed recipients', /Save for/);
  await expect.poll(async () => (await settings()).allowedRecipients[id]).toEqual(['*@contoso.example']);
  expect((await settings()).sends).toMatchObject({ perRun: 7, strict: true });

  // What somebody else saves meanwhile is not taken back unseen by what was shown here before.
  await bench.owned('PATCH', '/v1/settings', {
    sends: { perRun: 3 },
    allowedRecipients: { [id]: ['ben@contoso.example'] },
  });
  await page.getByLabel('Sends per account and hour').fill('20');
  await save('Sending without asking');
  await expect.poll(async () => (await settings()).sends).toEqual({ perRun: 3, perAccountHour: 20, strict: true });
  await expect.poll(() => page.getByLabel('ada@sandbox.test').inputValue()).toBe('ben@contoso.example');
  await bench.owned('PATCH', '/v1/settings', { allowedRecipients: { [id]: [] } });
  await page.getByLabel('ada@sandbox.test').fill('zoe@contoso.example');
  await save('Allowed recipients', /Save for/);
  await page.getByText('Somebody changed this meanwhile.').waitFor();
  expect((await settings()).allowedRecipients[id] ?? []).toEqual([]);
  await page.getByRole('button', { name: 'Take it' }).click();
  expect(await page.getByLabel('ada@sandbox.test').inputValue()).toBe('');

  // What is typed in several forms is asked about once, also before another tab of the page.
  await page.getByLabel('Sends per run').fill('9');
  await page.getByLabel('ada@sandbox.test').fill('half@contoso.example');
  await page.getByRole('link', { name: 'Model' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click();
  expect(await page.getByLabel('Sends per run').inputValue()).toBe('9');
  await page.getByRole('link', { name: 'Tools', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click();
  await page.getByRole('button', { name: 'Workspace and session' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click();
  expect(await page.getByLabel('Sends per run').inputValue()).toBe('9');
  await page.getByRole('link', { name: 'Model' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('textbox', { name: 'Model' }).fill('gpt-x');
  await page.getByLabel('API key').fill('secret-model-key');
  const theirs = { provider: 'anthropic', model: 'theirs', baseUrl: 'https://models.example.com/v1' };
  expect((await bench.owned('PATCH', '/v1/settings', { model: theirs })).status).toBe(200);
  await save('Model');
  await page.getByText('theirs at https://models.example.com/v1').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe('secret-model-key');
  await save('Model');
  await expect.poll(async () => (await settings()).model).toMatchObject({ model: 'gpt-x', hasKey: true });
  await page.getByText('One is stored.').waitFor();
  expect(await page.content()).not.toContain('secret-model-key');

  await page.getByRole('link', { name: 'Data & access' }).click();
  await page.getByLabel('Audit, in days').fill('400');
  await save('How long things are kept');
  await page.getByLabel('One origin per line').fill('https://app.example.com');
  await save('Allowed return origins');
  await expect.poll(async () => (await settings()).allowedReturnOrigins).toEqual(['https://app.example.com']);
  expect((await settings()).retention.auditDays).toBe(400);
  // To keep less deletes what is older, and a slip of the finger is no wish.
  await page.getByLabel('Events and runs, in days').fill('3');
  await save('How long things are kept');
  const less = page.getByRole('dialog');
  await less.getByText('that are older than 3 days are deleted within minutes; 30 days were kept.').waitFor();
  expect(await less.getByText('Audit records').count()).toBe(0);
  await less.getByRole('button', { name: 'Keep as it is' }).click();
  expect((await settings()).retention.historyDays).toBe(30);
  await save('How long things are kept');
  await less.getByRole('button', { name: 'Delete what is older' }).click();
  await expect.poll(async () => (await settings()).retention.historyDays).toBe(3);
  await less.waitFor({ state: 'hidden' });
  await page.reload();
  await page.getByLabel('Audit, in days').waitFor();
  expect(await page.getByLabel('Audit, in days').inputValue()).toBe('400');
  expect(complaints).toEqual([]);
});

test('a webhook shows its secret once, is tested, and its deliveries are read and sent again', async () => {
  await using receiver = await openReceiver();
  await using visit = await openApp({ path: '/settings', width: 390 });
  const { page, complaints } = visit;
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'New webhook' }).click();
  const form = page.getByRole('dialog');
  await form.getByLabel('Address').fill(receiver.url);
  // Going back, as phones do, closes the window and not the page, and warns as Escape does.
  const goBack = () => page.evaluate(() => history.back());
  await goBack();
  await form.getByRole('alert').getByText('not kept').waitFor();
  await goBack();
  await form.waitFor({ state: 'detached' });
  await page.waitForURL(/tab=webhooks/);
  await page.getByRole('button', { name: 'New webhook' }).click();
  await form.getByLabel('Address').fill(receiver.url);
  await form.getByLabel(/A run has ended/).check();
  await form.getByRole('button', { name: 'Make the webhook' }).click();
  expect(await form.getByLabel('signing secret', { exact: true }).textContent()).toMatch(/^whsec_/);
  await form.getByRole('button', { name: 'I have stored it' }).click();

  const card = page.getByRole('article', { name: receiver.url });
  await card.getByRole('button', { name: 'Send a test' }).click();
  await card.getByText('Delivered').waitFor();
  await card.getByText('webhook.test', { exact: true }).click();
  await card.getByRole('button', { name: 'Send again' }).click();
  await expect.poll(() => receiver.received.length).toBe(2);

  await card.getByRole('button', { name: 'New secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }).click();
  await page.getByRole('dialog', { name: 'The new secret' }).getByText('whsec_').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await card.getByRole('button', { name: 'Pause' }).click();
  await card.getByText('Paused').waitFor();
  await card.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No webhook yet').waitFor();
  expect(complaints).toEqual([]);
});

test('a delivery that was not taken says when it is tried again, and is sent at once on request', async () => {
  const bench = await fileBench();
  await using receiver = await openReceiver((_, nth) => ({ status: nth < 4 ? 500 : 204 }));
  await bench.owned('POST', '/v1/webhooks', { url: receiver.url, events: ['run.finished'] });
  await using visit = await openApp({ path: '/settings?tab=webhooks', width: 390 });
  const { page, complaints } = visit;
  const card = page.getByRole('article', { name: receiver.url });
  await card.getByRole('button', { name: 'Send a test' }).click();
  await card.getByText(/answered 500 · 2 tries · next try in \d+ minutes/).waitFor();
  // Of a paused webhook no next try is promised.
  await card.getByRole('button', { name: 'Pause' }).click();
  await card.getByText('waits until it is resumed').waitFor();
  await card.getByText('webhook.test', { exact: true }).click();
  expect(await card.getByRole('button', { name: 'Send now' }).isDisabled()).toBe(true);
  // Resumed, it is tried by itself.
  await card.getByRole('button', { name: 'Resume' }).click();
  await card.getByText(/answered 500 · 3 tries · next try in \d+ minutes/).waitFor();
  await card.getByRole('button', { name: 'Send now' }).click();
  await card.getByText('Delivered').waitFor();
  expect(receiver.received).toHaveLength(4);
  expect(complaints).toEqual([]);
});

test('the emergency stop is told on every page, and the audit tells it all in sentences', async () => {
  const bench = await fileBench();
  await using visit = await openApp({ path: '/settings?tab=workspace' });
  const { page, complaints } = visit;
  await page.getByLabel('Name').fill('Kite shop');
  // Another workspace does not take a name that is not saved yet with it.
  await page.getByRole('button', { name: 'New workspace' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Second shop');
  await page.getByRole('button', { name: 'Make the workspace' }).click();
  const ask = page.getByRole('dialog', { name: 'Leave without saving?' });
  await ask.getByRole('button', { name: 'Stay here' }).click();
  await ask.waitFor({ state: 'hidden' });
  await page.getByRole('dialog', { name: 'New workspace' }).getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('button', { name: 'Workspace and session' }).getByText('Kite shop').waitFor();
  await page.getByRole('link', { name: 'Sending & stop' }).click();
  await page.getByRole('button', { name: 'Stop everything' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop everything' }).click();
  await page.getByRole('alert').getByText('Emergency stop: nothing is sent or started.').waitFor();
  expect((await bench.owned('GET', '/v1/workspace')).body.stopped).toBe(true);
  await page.getByRole('button', { name: 'Resume work' }).click();
  await page.getByText('Working', { exact: true }).waitFor();

  await page.getByRole('link', { name: 'Audit' }).click();
  const records = page.getByRole('region', { name: 'Records' });
  await records.getByText('pressed the emergency stop').waitFor();
  await records.getByText('renamed the workspace to “Kite shop”').waitFor();
  await records
    .getByText(/connected the account “\S+”/)
    .first()
    .waitFor();
  await page.getByLabel('Kind').selectOption('member.');
  await records.getByText('removed vera@example.com').click();
  await records.getByRole('region', { name: 'Details' }).getByText('vera@example.com').waitFor();
  await page.getByLabel('Kind').selectOption('');
  await page.getByLabel('Effect').selectOption('send');
  await page.getByText('No record like this').waitFor();
  await page.getByLabel('Effect').selectOption('');
  await page.getByLabel('From').fill('2020-01-01');
  await records.getByText('pressed the emergency stop').waitFor();
  await page.getByLabel('Search').fill('zzz');
  await page.getByText('No record like this').waitFor();
  await page.waitForURL(/text=zzz/);
  await page.reload();
  expect(await page.getByLabel('Search').inputValue()).toBe('zzz');
  await page.getByRole('button', { name: 'Show all' }).click();
  await records.getByText('pressed the emergency stop').waitFor();
  // On a phone the records come first.
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.getByLabel('Kind').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Filters' }).click();
  expect(await page.getByLabel('Kind').isVisible()).toBe(true);
  expect(complaints).toEqual([]);
});

test('a workspace is deleted once its name is typed, and its owner goes on in another', async () => {
  const bench = await fileBench();
  await using visit = await openApp({ path: '/settings?tab=workspace' });
  const { page, complaints } = visit;
  const dialog = page.getByRole('dialog');
  const press = () => page.getByRole('button', { name: 'Delete workspace' }).click();
  const confirm = dialog.getByRole('button', { name: 'Delete for good' });

  // The first one stays, and says why.
  const home = (await bench.owned('GET', '/v1/workspace')).body.name;
  await press();
  await dialog.getByRole('textbox').fill(home);
  await confirm.click();
  await dialog.getByRole('alert').getByText('first workspace of this installation').waitFor();
  await page.keyboard.press('Escape');

  await page.getByRole('button', { name: 'New workspace' }).click();
  await dialog.getByLabel('Name').fill('For a while');
  await dialog.getByRole('button', { name: 'Make the workspace' }).click();
  await page.getByRole('button', { name: /For a while/ }).waitFor();
  // A new one begins with its first steps.
  await page.getByRole('heading', { name: 'First steps' }).waitFor();
  await page.goto(`${bench.origin}/settings?tab=workspace`);
  // What is typed and not saved goes with it, unasked.
  await page.getByLabel('Name').fill('For longer');
  await press();
  await dialog.getByRole('textbox').fill('For a whil');
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('For a while');
  await confirm.click();
  await page.getByText('“For a while” is deleted.').waitFor();
  await page.getByRole('button', { name: new RegExp(home) }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  // The refusal is among them.
  expect(complaints.filter((each) => !each.includes('409'))).toEqual([]);
});
