import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { runStatement } from '../../test/run-statement.ts';
import { shared } from '../../test/shared.ts';
import { fillFromEvent } from '../src/pages/agents/agent/fill-from-event.ts';
import { bodyOf, draftOf } from '../src/pages/agents/editor/agent-draft.ts';
import { missingFields } from '../src/pages/agents/missing-fields.ts';
import { mailResponder } from '../src/pages/agents/templates/recipes.ts';
import { withoutDefaults } from '../src/pages/agents/trigger-form/config-draft.ts';
import { fileBench, openApp } from './browser.ts';

type Bench = Awaited<ReturnType<typeof fileBench>>;

let bench: Bench;
let mailId: string;
// Apart, so that each has its own time.
beforeAll(async () => void (await shared('bundle')));
beforeAll(async () => {
  bench = await fileBench();
  mailId = await bench.connectMail();
  await bench.connectBoard();
});

const deliver = async (mail: object) => {
  const body = JSON.stringify({ to: 'ada@sandbox.test', from: 'luis@contoso.example', body: 'When?', ...mail });
  await fetch(`${bench.mail.url}/_control/deliver`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  });
};

/** The items of a list, once there are as many as expected. */
const listed = async (path: string, count = 1) => {
  for (;;) {
    const { items } = (await bench.owned('GET', path)).body;
    if (items.length >= count) return items;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** Lets what is written there wait for its answer, and counts how often it was asked for. */
const holdWrites = async (page: Page, where: string) => {
  const released = Promise.withResolvers<void>();
  let count = 0;
  await page.route(where, async (route) => {
    if (route.request().method() !== 'GET') {
      count += 1;
      await released.promise;
    }
    await route.fallback();
  });
  return { count: () => count, release: released.resolve };
};

const visitAt = (path: string, width = 1440) => openApp({ path, width });

type Offered = { label: string };

/** The trigger of the first sentence, or one like it. */
const mailTrigger = async () => {
  const { items } = (await bench.owned('GET', `/v1/triggers?accountId=${mailId}`)).body;
  if (items.length > 0) return items[0];
  const given = { name: 'Responder', accountId: mailId, instructions: '', searchFilter: '' };
  const recipe = mailResponder({ ...given, permission: 'approval' });
  const tool = await bench.owned('POST', '/v1/tools', recipe.tool);
  const agent = await bench.owned('POST', '/v1/agents', recipe.agent(tool.body.id));
  return (await bench.owned('POST', '/v1/triggers', { ...recipe.trigger, agentId: agent.body.id })).body;
};

test('two clicks lead from no agent to one that wants to answer the next mail', async () => {
  await using visit = await visitAt('/agents');
  const { page, complaints } = visit;
  await page.getByRole('navigation', { name: 'Start from' }).getByText('Mail responder').click();
  await page.getByRole('form', { name: 'Mail responder' }).getByText('ada@sandbox.test').waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Create agent' }).click();

  await page.getByText('Mail responder is ready and enabled.').waitFor();
  await page.getByRole('list', { name: 'Triggers' }).getByText('ada@sandbox.test').waitFor();
  await deliver({ subject: 'Order 7' });
  await page.getByRole('list', { name: 'Recent runs' }).getByText('Waiting for approval').waitFor();
  await page.getByText('Scripted sandbox model').waitFor();

  await page.getByRole('link', { name: 'Agents' }).first().click();
  await page.getByText('1 approval waits').waitFor();
  // Also where a hundred newer ones of others wait, and it leads to this agent's own.
  await runStatement(
    bench.connectionString,
    `set app.workspace = '*';
    insert into approvals (id, workspace_id, run_id, ordinal, account_id, step_id, input, requests, view, headline, cause,
      digest, status, composed_at, created_at, expires_at)
    select 'apr_9' || lpad(n::text, 25, '0'), workspace_id, run_id, 900000 + n, account_id, step_id, input, requests, view,
      '{"kind":"mail","to":[],"cc":[],"bcc":[],"subject":"Of another","attachments":0,"warnings":0}',
      '{"startedBy":{"kind":"system","id":"x","name":"Load"},"stepId":"mail.send_email"}',
      digest, status, composed_at, created_at, date_trunc('second', now()) + interval '1 hour'
    from approvals, generate_series(1, 101) n where status = 'pending'`,
  );
  await page.reload();
  // All of them are counted beside the menu, as in the overview.
  await page.getByRole('navigation', { name: 'Main' }).getByText('102 waiting').waitFor();
  await page.getByText('1 approval waits').click();
  const waiting = page.getByRole('list', { name: 'Approvals, pending' }).getByRole('listitem');
  await expect.poll(() => waiting.allInnerTexts()).toEqual([expect.stringContaining('Order 7')]);
  await page.getByLabel('First', { exact: true }).selectOption('Next to expire');
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.waitForURL('**/approvals?order=expiring');
  await waiting.nth(49).waitFor();
  expect((await waiting.allInnerTexts()).filter((words) => words.includes('Order 7'))).toEqual([]);
  await runStatement(bench.connectionString, `set app.workspace = '*'; delete from approvals where ordinal > 900000`);
  expect(complaints).toEqual([]);
});

test('the board greeter of the template comments on a new card', async () => {
  await using visit = await visitAt('/agents/new?from=board-greeter');
  const { page, complaints } = visit;
  await page.getByLabel('Board', { exact: true }).selectOption({ label: 'Launch' });
  await page.getByLabel('Comment').fill('Hello, {{event.data.card.name}}');
  // What was typed is not lost by a slip.
  await page.getByRole('link', { name: 'Runs' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stay here' }).click();
  // Two presses make one agent, or each card would be greeted twice.
  await page.getByRole('button', { name: 'Create agent' }).dblclick();
  await page.getByText('Board greeter is ready').waitFor();

  const [list] = [...bench.board.world.lists.values()].filter(({ name }) => name === 'To do');
  const card = bench.board.newCard({ ...(list === undefined ? {} : { list }), name: 'Bread', as: 'ben' });
  await expect.poll(() => bench.board.comments(card.id)).toEqual(['Hello, Bread']);

  // What it is narrowed to is told by the names that people know.
  const { items } = (await bench.owned('GET', '/v1/triggers')).body;
  const { id, config } = items[0];
  const narrowed = { config: { ...config, lists: [list?.id] } };
  expect((await bench.owned('PATCH', `/v1/triggers/${id}`, narrowed)).status).toBe(200);
  await page.goto(`${bench.origin}/triggers/${id}`);
  for (const name of ['“Launch”', '“To do”']) await page.getByRole('definition').filter({ hasText: name }).waitFor();
  expect(complaints).toEqual([]);
});

test('a filter is refused at its position, tried on recent mail, and saved', async () => {
  const trigger = await mailTrigger();
  await using visit = await visitAt(`/agents/${trigger.agentId}?trigger=${trigger.id}`);
  const { page, context, complaints } = visit;
  const filter = page.getByLabel('Search filter');
  const mistake = page.locator('[data-part=mistake]');
  // While it is typed, the cursor stays where it is.
  await filter.fill(' frm:x');
  await page.getByRole('status').getByText('Position 1.').waitFor();
  expect(await mistake.textContent()).toBe('f');
  expect(await filter.evaluate((input) => (input as HTMLTextAreaElement).selectionStart)).toBe(6);
  await filter.fill('from:x');
  await mistake.waitFor({ state: 'detached' });
  await filter.fill('subject:order or from:x');
  await page.getByRole('status').getByText('"or" is looked for as a word.').waitFor();
  await page.setViewportSize({ width: 360, height: 900 });
  await filter.fill(`from:ada@contoso.example AND ${'subject:order OR '.repeat(6)}subject:invoice`);
  const hidden = await filter.evaluate((field) => [
    field.scrollWidth - field.clientWidth,
    field.scrollHeight - field.clientHeight,
  ]);
  // All of a long one is seen, also on a phone.
  expect(hidden).toEqual([0, 0]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await filter.fill('subject:👍 AND (from:x');
  await page.getByRole('button', { name: 'Try on recent history' }).click();
  await page.getByRole('alert').getByText('This parenthesis is never closed.').waitFor();
  expect(await mistake.textContent()).toBe('(');
  expect(await filter.evaluate((input) => (input as HTMLTextAreaElement).selectionStart)).toBe(15);

  await filter.fill('subject:order');
  await page.getByRole('button', { name: 'Try on recent history' }).click();
  await page
    .getByRole('region', { name: /^Would have fired for these \d/ })
    .getByText('Late delivery of order 5512')
    .first()
    .waitFor();
  const rest = page.getByRole('region', { name: /^Not for these \d/ });
  await rest.getByText('did not fit: subject:order').first().waitFor();
  await rest.getByText('It is in the junk folder.').waitFor();

  // Who went back and comes again finds it, told from what is saved.
  const notSaved = page.getByRole('status').getByText('What you set here before is not saved yet.');
  expect(await notSaved.count()).toBe(0);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('list', { name: 'Triggers' }).getByRole('button', { name: 'Edit' }).click();
  await filter.fill('subject:other');
  // On a slow machine a window is told that it was closed when it is open again.
  await page.evaluate(`HTMLDialogElement.prototype.close = new Proxy(HTMLDialogElement.prototype.close, {
    apply: (close, dialog) => {
      close.call(dialog);
      setTimeout(() => { dialog.dispatchEvent(new Event('close')); window.told = true; }, 400);
    },
  })`);
  await page.goBack();
  await filter.waitFor({ state: 'detached' });
  await page.goForward();
  await notSaved.waitFor();
  await expect.poll(() => page.evaluate('window.told')).toBe(true);
  expect(await filter.inputValue()).toBe('subject:other');
  await page.getByRole('button', { name: 'Throw it away' }).click();
  await expect.poll(() => filter.inputValue()).toBe('');
  expect(await notSaved.count()).toBe(0);
  await filter.fill('subject:order');

  // A session that ends meanwhile takes nothing of it along.
  const cookies = await context.cookies();
  await context.clearCookies();
  // Something else on the page may have noticed first.
  await page.evaluate("document.querySelector('dialog[open] button[type=submit]')?.click()");
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await context.addCookies(cookies);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await expect.poll(() => filter.inputValue()).toBe('subject:order');
  await page.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('list', { name: 'Triggers' });
  await row.getByText('subject:order').waitFor();
  await page.waitForURL((url) => !url.searchParams.has('trigger'));

  // Who changes its name leaves the filter as somebody else has set it by then.
  await row.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Name (optional)').fill('Orders');
  await bench.owned('PATCH', `/v1/triggers/${trigger.id}`, { config: { searchFilter: 'subject:bill' } });
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await row.getByText('Orders').waitFor();
  await row.getByText('subject:bill').waitFor();

  // Who changes the settings themselves is shown what somebody else has saved by then, also where nothing told it before.
  const news = Promise.withResolvers<void>();
  await context.route('**/v1/triggers?*', (route) => news.promise.then(() => route.continue()));
  await row.getByRole('button', { name: 'Edit' }).click();
  await filter.fill('subject:mine');
  await bench.owned('PATCH', `/v1/triggers/${trigger.id}`, { config: { searchFilter: 'subject:theirs' } });
  const refused = page.waitForResponse((answer) => answer.status() === 409);
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await refused;
  news.resolve();
  const told = page.getByRole('alert').filter({ hasText: 'Somebody changed these settings meanwhile.' });
  await told.getByText('subject:theirs').waitFor();
  expect(await filter.inputValue()).toBe('subject:mine');
  await told.getByRole('button', { name: 'Take theirs' }).click();
  await expect.poll(() => filter.inputValue()).toBe('subject:theirs');
  await page.getByRole('button', { name: 'Cancel' }).click();

  // Enter sends a form once, however slow the answer is; who has gone elsewhere by then stays there, and it is no draft any more.
  const held = await holdWrites(page, `**/v1/triggers/${trigger.id}`);
  await row.getByRole('button', { name: 'Edit' }).click();
  await filter.fill('subject:once');
  await filter.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Save', disabled: true }).waitFor();
  await filter.press('Enter');
  await page.goBack();
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page.waitForURL('**/events');
  const answered = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  held.release();
  await answered;
  await page.waitForTimeout(300);
  expect([held.count(), new URL(page.url()).pathname]).toEqual([1, '/events']);
  await page.goBack();
  await row.getByRole('button', { name: 'Edit' }).click();
  await expect.poll(() => filter.inputValue()).toBe('subject:once');
  expect(await notSaved.count()).toBe(0);
  await page.getByRole('button', { name: 'Cancel' }).click();

  await row.getByRole('link', { name: 'Why it fires' }).click();
  const testing = await holdWrites(page, '**/v1/triggers/*/test');
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByRole('button', { name: 'Start the agent with a sample' }).click();
  await expect.poll(testing.count).toBe(1);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Events', exact: true }).click();
  await page.waitForURL('**/events');
  testing.release();
  await page.getByRole('list', { name: 'Events' }).getByText('a test').first().waitFor();
  await page.waitForTimeout(300);
  expect(new URL(page.url()).pathname).toBe('/events');
  await bench.owned('PATCH', `/v1/triggers/${trigger.id}`, {
    name: 'New Email',
    config: { searchFilter: 'subject:order' },
  });
  expect(complaints).toEqual([]);
});

test('a page says what a closed board holds back and claims no more than that; a run of a test event says that it is one', async () => {
  const boardId = (await bench.owned('GET', '/v1/accounts?integration=board')).body.items[0].id;
  const tool = await bench.owned('POST', '/v1/tools', {
    name: 'Find the card',
    inputs: [{ name: 'cardId', type: 'string', required: true }],
    steps: [{ key: 'it', step: 'board.get_card', account: { id: boardId }, input: { cardId: '{{inputs.cardId}}' } }],
  });
  const runner = { type: 'tool', toolId: tool.body.id, input: { cardId: '{{event.data.card.id}}' } };
  const tools = [{ toolId: tool.body.id, permission: 'approval', recipients: 'guarded' }];
  const agent = await bench.owned('POST', '/v1/agents', { name: 'Board greeter', instructions: '', tools, runner });
  const { id: board } = bench.board.newBoard({ name: 'Attic' });
  const { body: trigger } = await bench.owned('POST', '/v1/triggers', {
    agentId: agent.body.id,
    type: 'board.new_card',
    accountId: boardId,
    config: { boards: [board], includeCard: false },
  });
  const { key, token } = bench.board.credentials('ada');
  const closing = new URLSearchParams({ key, token, closed: 'true' });
  await fetch(`${bench.board.url}/1/boards/${board}?${closing}`, { method: 'PUT' });
  const look = `set app.workspace = '*'; update watches set next_look_at = now() where resource = 'board/${board}'`;
  await runStatement(bench.connectionString, look);
  const isTold = async () => (await bench.owned('GET', `/v1/triggers/${trigger.id}/diagnosis`)).body.cause.check;
  await expect.poll(isTold).toBe('watch');

  await using visit = await visitAt(`/triggers/${trigger.id}`, 390);
  const { page, complaints } = visit;
  await page.getByText('The board is closed, so nothing happens on it').first().waitFor();
  expect(await page.getByText('everything that happened was seen').count()).toBe(0);
  await page.getByText('No gaps are known.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await page.getByRole('button', { name: 'Start the agent with a sample' }).click();
  await page.getByText('A test event started this.').waitFor();
  await page.getByRole('alert').getByText('(not found)').waitFor();
  const [tested] = (await bench.owned('GET', `/v1/events?triggerId=${trigger.id}`)).body.items;
  const { runId } = (await bench.owned('POST', `/v1/events/${tested.id}/replay`)).body;
  await page.goto(new URL(`/runs/${runId}`, page.url()).href);
  await page.getByText('A replay of a test event started this.').waitFor();
  expect(complaints).toEqual([]);
});

test('a paused trigger says so, and catches up when it is resumed', async () => {
  const trigger = await mailTrigger();
  await using visit = await visitAt(`/triggers/${trigger.id}`);
  const { page, complaints } = visit;
  const fired = await listed(`/v1/events?triggerId=${trigger.id}&outcome=fired`, 0);
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('list', { name: 'Checks' }).getByText('The trigger is paused; resume it.').waitFor();

  await deliver({ subject: 'Order 8, in the pause' });
  await listed(`/v1/events?triggerId=${trigger.id}&outcome=skipped`);
  const left = page.getByRole('region', { name: 'Last events' }).getByText('the trigger was paused (since');
  const since = left.locator('..').locator('time');
  const said = await since.innerText();
  expect(said).toMatch(/^[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d:\d\d [AP]M$/);
  expect(Date.parse(said)).toBe(Math.floor(Date.parse((await since.getAttribute('datetime')) ?? '') / 1_000) * 1_000);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('One occurrence was skipped during the pause.').waitFor();
  expect(asked.filter((url) => url.includes('outcome=skipped'))).toEqual([]);
  await page.getByLabel('Catch up').check();
  // While it goes on, nothing says that it could stay paused.
  const resuming = await holdWrites(page, `**/v1/triggers/${trigger.id}`);
  await page.getByRole('button', { name: 'Resume now' }).click();
  await page.getByRole('button', { name: 'Stay paused', disabled: true }).waitFor();
  resuming.release();
  await page.getByRole('heading', { name: 'Nothing stands in its way' }).waitFor();
  await listed(`/v1/events?triggerId=${trigger.id}&outcome=fired`, fired.length + 1);
  expect(complaints).toEqual([]);
});

test('a trigger that looks for itself says that it did not look in the pause, and what only a pause kept back is started as it was found', async () => {
  const accountId = (await bench.owned('GET', '/v1/accounts?integration=board')).body.items[0].id;
  const { agentId } = await mailTrigger();
  const given = { agentId, accountId, type: 'board.card_due_reminder', config: { leadTime: 'PT1H' } };
  const trigger = (await bench.owned('POST', '/v1/triggers', given)).body;
  await bench.owned('PATCH', `/v1/triggers/${trigger.id}`, { state: 'paused' });
  await using visit = await visitAt(`/triggers/${trigger.id}`);
  const { page, complaints } = visit;
  await page.getByRole('button', { name: 'Resume' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It did not look during the pause.').waitFor();
  expect(await dialog.getByText('Nothing was skipped').count()).toBe(0);
  await dialog.getByText('What happened during the pause starts the agent after all.').waitFor();
  bench.board.newCard({ name: 'Held back', due: new Date(Date.now() + 600_000).toISOString(), as: 'ada' });
  await page.getByRole('button', { name: 'Resume now' }).click();
  await dialog.waitFor({ state: 'hidden' });

  const [event] = await listed(`/v1/events?triggerId=${trigger.id}&outcome=skipped`);
  await page.goto(new URL(`/events/${event.id}`, bench.origin).href);
  await page.getByRole('button', { name: 'Replay the event' }).click();
  await dialog.getByText('Only a pause kept the agent from it.').waitFor();
  await dialog.getByRole('button', { name: 'Start it' }).click();
  await page.waitForURL('**/runs/*');
  await bench.owned('DELETE', `/v1/triggers/${trigger.id}`);
  expect(complaints).toEqual([]);
});

test('the form of a trigger begins with what was chosen, as far as there still is such a choice', () => {
  const schema = { properties: { boards: { type: 'array' }, ignoreSelf: { default: true } } };
  const stored = { boards: ['b'], ignoreSelf: true, shelves: ['s'] };
  expect(withoutDefaults(stored, schema)).toEqual({ boards: ['b'] });
});

test('triggers are told apart by what they are narrowed to, in the words that people chose it by', async () => {
  const { agentId } = await mailTrigger();
  const boardId = (await bench.owned('GET', '/v1/accounts?integration=board')).body.items[0].id;
  const offered = async (picker: string, accountId: string, query = '') =>
    (await bench.owned('GET', `/v1/options/${picker}?accountId=${accountId}${query}`)).body.items;
  const [{ value: board, label: boardName }] = await offered('boards', boardId);
  const [[from, to], [card], folders] = await Promise.all([
    offered('lists', boardId, `&board=${board}`),
    offered('cards', boardId, `&board=${board}`),
    offered('folders', mailId),
  ]);
  const quoted = ({ label }: Offered) => `“${label}”`;
  const [archive, inbox] = ['Archive', 'Inbox'].map((name) => folders.find(({ label }: Offered) => label === name));
  const folder = async (displayName: string): Promise<string> =>
    (await bench.run('mail.api_call', { method: 'POST', endpoint: '/me/mailFolders', body: { displayName } })).data.id;
  const [mineId, goneId] = [await folder('Orders, unpaid'), await folder('Gone soon')];
  const add = async (type: string, accountId: string, config: object): Promise<string> =>
    (await bench.owned('POST', '/v1/triggers', { agentId, type, accountId, config })).body.id;
  const chosen = new Map([
    [
      await add('board.card_moved', boardId, { boards: [board], fromLists: [from.value], toLists: [to.value] }),
      [quoted(from), quoted(to)],
    ],
    [await add('board.card_archived', boardId, { boards: [board], cards: [card.value] }), [quoted(card)]],
    [
      await add('mail.new_email', mailId, { folders: [archive.value], searchFilter: 'subject:invoice' }),
      [quoted(archive), 'Ignore own mail', 'listed'],
    ],
    [await add('board.card_updated', boardId, { fields: ['idList', 'desc', 'due'] }), ['list, description, due']],
    [
      await add('mail.new_email', mailId, { folders: [mineId, inbox.id, goneId] }),
      ['“Orders, unpaid”, “Inbox”, “Gone soon” (not in the list any more)'],
    ],
    [await add('board.new_board', boardId, { workspaces: ['Analytical Engines'] }), ['“Analytical Engines”']],
  ]);

  await bench.run('mail.api_call', { method: 'DELETE', endpoint: `/me/mailFolders/${goneId}` });
  await using visit = await visitAt('/triggers');
  const { page, complaints } = visit;
  await page.getByRole('list', { name: 'Triggers' }).getByText('subject:invoice', { exact: true }).waitFor();
  for (const words of [`on “${boardName}”`, 'in “Orders, unpaid”, “Inbox” and 1 more', 'in “Analytical Engines”'])
    await page.getByRole('list', { name: 'Triggers' }).getByText(words).first().waitFor();
  for (const [id, words] of chosen) {
    await page.goto(new URL(`/triggers/${id}`, bench.origin).href);
    for (const text of words)
      await page.getByRole('region', { name: 'Settings' }).getByText(text, { exact: true }).waitFor();
    await bench.owned('DELETE', `/v1/triggers/${id}`);
  }
  expect(complaints).toEqual([]);
});

test('who may not ask the service, or asks in vain, reads what a trigger was narrowed to by its name', async () => {
  const { agentId } = await mailTrigger();
  const folder = { method: 'POST', endpoint: '/me/mailFolders', body: { displayName: 'Bills \u202e' } };
  const folderId: string = (await bench.run('mail.api_call', folder)).data.id;
  const accountId = (await bench.owned('GET', '/v1/accounts?integration=board')).body.items[0].id;
  const launch = bench.board.launch();
  const add = async (type: string, account: string, config: object): Promise<string> =>
    (await bench.owned('POST', '/v1/triggers', { agentId, type, accountId: account, config })).body.id;
  const ofMail = await add('mail.new_email', mailId, { folders: [folderId] });
  const ofBoard = await add('board.new_card', accountId, { boards: [launch.id] });
  const cookie = await bench.signInAsOwner();
  const body = { email: 'vera@example.com', name: 'Vera', role: 'viewer' };
  const { body: member } = await bench.call('POST', '/v1/members', { cookie, body });
  const { body: link } = await bench.call('POST', `/v1/members/${member.id}/sign-in-link`, { cookie });
  const [name = '', value = ''] = (await bench.signIn(link.url)).split('=');
  await using viewer = await openApp({ signedIn: false });
  await viewer.context.addCookies([{ name, value, url: bench.origin, httpOnly: true }]);
  const settings = viewer.page.getByRole('region', { name: 'Settings' });
  await viewer.page.goto(`${bench.origin}/triggers/${ofMail}`);
  await settings.getByText('“Bills').waitFor();
  await settings.getByText('U+202E').waitFor();
  await viewer.page.goto(`${bench.origin}/triggers/${ofBoard}`);
  await settings.getByText(`“${launch.name}”`, { exact: true }).waitFor();
  await viewer.page.getByText(`The board “${launch.name}”`).first().waitFor();
  expect(await viewer.page.getByRole('main').textContent()).not.toContain(launch.id);
  // What only leads to a form that a viewer has not is not offered.
  await viewer.page.getByText('It has not fired yet').waitFor();
  expect(await viewer.page.getByRole('link', { name: 'Look at its settings' }).count()).toBe(0);

  await using visit = await visitAt(`/triggers/${ofMail}`);
  const { page } = visit;
  await page.route('**/v1/options/**', (route) => route.abort());
  await page.reload();
  await page.getByRole('region', { name: 'Settings' }).getByText('“Bills').waitFor();
  await page.goto(`${bench.origin}/agents/${agentId}?trigger=${ofMail}`);
  await page.getByRole('list', { name: 'Folders, chosen' }).getByText('Bills').waitFor();
  for (const id of [ofMail, ofBoard]) await bench.owned('DELETE', `/v1/triggers/${id}`);
  expect(viewer.complaints).toEqual([]);
});

test('the setting that held an event back is called as on the form, in the diagnosis, the trial and the list of events', async () => {
  const { agentId } = await mailTrigger();
  const accountId = (await bench.owned('GET', '/v1/accounts?integration=board')).body.items[0].id;
  const [from, to] = [...bench.board.world.lists.values()];
  const config = { boards: [from?.idBoard], toLists: [from?.id], ignoreSelf: false };
  const given = { agentId, type: 'board.card_moved', accountId, config };
  const { id } = (await bench.owned('POST', '/v1/triggers', given)).body;
  const card = bench.board.newCard({ ...(from === undefined ? {} : { list: from }), name: 'Elsewhere', as: 'ada' });
  const another = { ...config, toLists: undefined, cards: [bench.board.newCard().id] };
  const { id: onCards } = (
    await bench.owned('POST', '/v1/triggers', { ...given, type: 'board.card_updated', config: another })
  ).body;
  await bench.run('board.move_card', { cardId: card.id, list: to?.id });
  await listed(`/v1/events?triggerId=${id}&outcome=filtered`);

  await using visit = await visitAt(`/triggers/${id}`);
  const { page, complaints } = visit;
  const held = 'It saw what it waits for, but its own settings held it back: “To lists”.';
  await page.getByRole('list', { name: 'Checks' }).getByText(held).waitFor();
  await page.getByRole('region', { name: 'Last events' }).getByText('did not fit: “To lists”').waitFor();
  await page.getByRole('link', { name: 'All events of this trigger' }).click();
  await page.getByText('The configuration did not admit it: “To lists”').waitFor();
  await page.goto(`${bench.origin}/agents/${agentId}?trigger=${id}`);
  await page.getByRole('button', { name: 'Try on recent history' }).click();
  await page.getByRole('status').getByText('did not fit: “To lists”').first().waitFor();
  await page.goto(`${bench.origin}/triggers/${onCards}`);
  await page.getByRole('list', { name: 'Checks' }).getByText('held it back: “Cards”.').waitFor();
  await page.getByRole('region', { name: 'Last events' }).getByText('did not fit: “Cards”').waitFor();
  for (const each of [id, onCards]) await bench.owned('DELETE', `/v1/triggers/${each}`);
  expect(complaints).toEqual([]);
});

test('a trigger whose folder is gone is refused at that field, and the form leads there from its end', async () => {
  const { agentId } = await mailTrigger();
  const folder = { method: 'POST', endpoint: '/me/mailFolders', body: { displayName: 'Short-lived' } };
  const goneId: string = (await bench.run('mail.api_call', folder)).data.id;
  const given = { agentId, type: 'mail.new_email', accountId: mailId, config: { folders: [goneId] } };
  const { id } = (await bench.owned('POST', '/v1/triggers', given)).body;
  await bench.run('mail.api_call', { method: 'DELETE', endpoint: `/me/mailFolders/${goneId}` });
  await using visit = await visitAt(`/agents/${agentId}?trigger=${id}`, 390);
  const { page, complaints } = visit;
  const gone = 'Short-lived (not in the list any more)';
  await page.getByRole('list', { name: 'Folders, chosen' }).getByText(gone).waitFor();
  await page.getByLabel('Search filter').fill('subject:order');
  await page.setViewportSize({ width: 390, height: 480 });
  const save = page.getByRole('button', { name: 'Save' });
  await save.scrollIntoViewIfNeeded();
  const folders = page.getByRole('combobox', { name: 'Folders' });
  const isInSight = () =>
    folders.evaluate((each) => {
      const { top, bottom } = each.getBoundingClientRect();
      const body = each.closest('[data-part=body]')?.getBoundingClientRect();
      return top >= (body?.top ?? 0) && bottom <= (body?.bottom ?? 0);
    });
  expect(await isInSight()).toBe(false);
  await save.click();
  const why = page.getByText('The folder “Short-lived” is gone; leave it out, or name another one.');
  await why.waitFor();
  await folders.and(page.locator(':focus')).waitFor();
  await expect.poll(isInSight).toBe(true);
  await page.getByRole('button', { name: `Remove ${gone}` }).click();
  await why.waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Folders' }).fill(goneId);
  await page.getByRole('option', { name: goneId }).click();
  await page.getByRole('button', { name: 'Try on recent history' }).click();
  await why.waitFor();
  await bench.owned('DELETE', `/v1/triggers/${id}`);
  expect(complaints).toEqual([]);
});

test('the diagnosis names a paused account and leads to it, on a phone, too', async () => {
  const trigger = await mailTrigger();
  await bench.owned('PATCH', `/v1/accounts/${mailId}`, { paused: true });
  await using visit = await visitAt(`/triggers/${trigger.id}`, 390);
  const { page, complaints } = visit;
  const why = page.getByRole('region', { name: 'Why it fires or not' });
  await why.getByText('ada@sandbox.test is paused; resume it.').first().waitFor();
  expect(await why.getByRole('link', { name: 'To the account' }).getAttribute('href')).toBe(
    `/integrations/mail?account=${mailId}`,
  );
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  // A refusal is told in the window that it is about, where it would lie behind it.
  const body = JSON.stringify({ error: { code: 'conflict', message: 'It is not the time.', requestId: 'req_1' } });
  await page.route('**/v1/triggers/*', (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 409, contentType: 'application/json', body })
      : route.fallback(),
  );
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete the trigger' }).click();
  await page.getByRole('dialog').getByText('It is not the time.').click();
  await page.getByText('It is not the time.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Keep as it is' }).click();
  await page.getByText('when the account works again').waitFor();
  expect(await page.getByText('everything that happened was seen').count()).toBe(0);

  // What does not work is one click away from where it is counted.
  const account = (state: string) =>
    `set app.workspace = '*'; update accounts set state = '${state}' where id = '${mailId}'`;
  await runStatement(bench.connectionString, account('needs_reconnect'));
  const broken = (await bench.owned('GET', '/v1/triggers?state=broken')).body.items;
  await page.getByRole('link', { name: 'Overview' }).first().click();
  await page.getByRole('link', { name: broken.length === 1 ? '1 trigger is broken' : 'triggers are broken' }).click();
  await page.getByRole('list', { name: 'Triggers' }).getByText('Broken').first().waitFor();
  const rows = await page.getByRole('list', { name: 'Triggers' }).getByRole('link').all();
  expect(await Promise.all(rows.map((row) => row.getAttribute('href')))).toEqual(
    broken.map(({ id }: { id: string }) => `/triggers/${id}`),
  );
  await page.getByRole('button', { name: 'Go to' }).first().click();
  await page.keyboard.type(`${trigger.name} trigger of`);
  await page.getByRole('option', { name: trigger.name }).first().click();
  await page.waitForURL(/\/triggers\/trg_/);
  await runStatement(bench.connectionString, account('connected'));
  await bench.owned('PATCH', `/v1/accounts/${mailId}`, { paused: false });
  expect(complaints).toEqual([]);
});

test('a trigger whose board is closed or gone says so, leads to its settings, and does not claim that everything was seen', async () => {
  const accountId = (await bench.owned('GET', '/v1/accounts?integration=board')).body.items[0].id;
  const { agentId } = await mailTrigger();
  const board = bench.board.newBoard({ name: 'Doomed' });
  const given = { agentId, accountId, type: 'board.card_moved', config: { boards: [board.id] } };
  const { id } = (await bench.owned('POST', '/v1/triggers', given)).body;
  // The first look would say that all is well.
  await expect
    .poll(async () => Date.parse((await bench.owned('GET', `/v1/triggers/${id}`)).body.watches[0].nextLookAt))
    .toBeGreaterThan(Date.now() + 1_000);
  const isClosed = `set app.workspace = '*'; update watches set state = 'healthy', hindrance = 'The board is closed; reopen it.'`;
  await runStatement(bench.connectionString, `${isClosed} where resource = 'board/${board.id}'`);
  await using closed = await visitAt(`/triggers/${id}`);
  const told = closed.page.getByRole('region', { name: 'Why it fires or not' });
  await told.getByText('The board “Doomed” is degraded: The board is closed; reopen it.').first().waitFor();
  await told.getByRole('link', { name: 'Look at its settings' }).waitFor();
  const state = `update watches set state = 'broken', reason = 'The board was deleted.', next_look_at = now() + interval '1 hour'`;
  await runStatement(bench.connectionString, `set app.workspace = '*'; ${state} where resource = 'board/${board.id}'`);
  await using visit = await visitAt(`/triggers/${id}`);
  const { page, complaints } = visit;
  const why = page.getByRole('region', { name: 'Why it fires or not' });
  await why.getByText('The board “Doomed” cannot be watched: The board was deleted.').first().waitFor();
  await page.getByText('No gaps are known.').waitFor();
  await why.getByRole('link', { name: 'Look at its settings' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).waitFor();
  expect(complaints).toEqual([]);
});

test('an agent is written from scratch, corrected where the server says, started by hand, and deleted', async () => {
  const step = {
    key: 'boards',
    step: 'board.get_boards',
    account: { input: 'account' },
    input: { query: '{{inputs.word}}' },
  };
  const inputs = [
    { name: 'word', type: 'string', required: true, description: 'What to look for.' },
    { name: 'account', type: 'account', integration: 'board' },
    { name: 'more', type: 'object' },
  ];
  await bench.owned('POST', '/v1/tools', { name: 'Look for boards', inputs, steps: [step] });
  await using visit = await visitAt('/agents/new?from=scratch');
  const { page, context, complaints } = visit;
  await page.getByLabel('Name').fill('Finder');
  await page.getByText('One tool', { exact: true }).click();
  await page.getByLabel('Tool', { exact: true }).selectOption({ label: 'Look for boards' });
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.locator('[data-field=word]').getByText('must be given').waitFor();
  await page.getByLabel('Account: account').selectOption({ label: 'ada' });
  await page.getByRole('textbox', { name: /^Word/ }).fill('{{event.data.message.subject}}');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByText('Finder is ready and enabled.').waitFor();
  const filled = page.getByRole('region', { name: 'What it does' }).getByRole('listitem');
  await filled.filter({ hasText: 'account: ada' }).waitFor();
  expect((await filled.allInnerTexts()).join(' ')).not.toContain('acc_');

  await page.getByRole('button', { name: 'Start by hand' }).click();
  await page.getByRole('dialog').getByRole('textbox', { name: /^Word/ }).fill('Launch');
  // What is no value yet is not left out: nothing starts without it.
  const more = page.getByRole('dialog').getByRole('textbox', { name: 'More' });
  await more.fill('{"a": 1');
  await page.getByRole('button', { name: 'Start and watch the run' }).click();
  await more.and(page.locator(':focus')).waitFor();
  await more.fill('{"a": 1}');
  await page.getByRole('button', { name: 'Start and watch the run' }).click();
  await page.waitForURL('**/runs/run_*');
  await page.getByText('"a": 1').waitFor();
  await page.goBack();

  await page.getByRole('link', { name: 'Instructions, model and tools' }).click();
  await page.getByLabel('Instructions').fill('Find it.');
  await page.getByRole('link', { name: 'Overview' }).last().click();
  await page.getByText('What you changed here is not saved.').waitFor();
  await page.getByRole('button', { name: 'Stay here' }).click();
  // A session that ends meanwhile takes nothing of it along.
  const cookies = await context.cookies();
  await context.clearCookies();
  // Something else on the page may have noticed first.
  await page.evaluate("document.querySelector('form[aria-label=Agent] button[type=submit]')?.click()");
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await context.addCookies(cookies);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await expect.poll(() => page.getByLabel('Instructions').inputValue()).toBe('Find it.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Version 2 is saved.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('It was so already, as version 2.').waitFor();
  // What somebody else saved, and this page was not told of yet, is not overwritten unseen.
  const mine = (await bench.owned('GET', '/v1/agents?query=Finder')).body.items[0].id;
  const told = Promise.withResolvers<void>();
  await page.route(`**/v1/agents/${mine}`, async (route) => {
    if (route.request().method() === 'GET') await told.promise;
    await route.continue();
  });
  await bench.owned('PATCH', `/v1/agents/${mine}`, { instructions: 'Theirs.' });
  await page.getByLabel('Instructions').fill('Mine.');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('it is at version 3 now').waitFor();
  told.resolve();
  await page.getByText('Somebody saved version 3 meanwhile.').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Version 4 is saved.').waitFor();
  // Who is not writing sees what somebody else saves.
  await bench.owned('PATCH', `/v1/agents/${mine}`, { instructions: 'Theirs again.' });
  await expect.poll(() => page.getByLabel('Instructions').inputValue()).toBe('Theirs again.');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByText('It has no triggers.').waitFor();
  await page.getByRole('button', { name: 'Delete the agent' }).click();
  await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor();
  await page.getByText('Finder').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

test('a trigger whose events lack what the agent takes from them is told before it is enabled, and after', async () => {
  const account = (await bench.owned('GET', '/v1/accounts?integration=board')).body.items[0].id;
  const inputs = [{ name: 'word', type: 'string', required: true }];
  const step = {
    key: 'boards',
    step: 'board.get_boards',
    account: { id: account },
    input: { query: '{{inputs.word}}' },
  };
  const tool = await bench.owned('POST', '/v1/tools', { name: 'Look by subject', inputs, steps: [step] });
  const toolId = tool.body.id;
  const runner = { type: 'tool', toolId, input: { word: '{{event.data.message.subject}}' } };
  const agent = { name: 'By subject', instructions: '', tools: [{ toolId }], runner };
  const { id } = (await bench.owned('POST', '/v1/agents', agent)).body;
  await using visit = await visitAt(`/agents/${id}`);
  const { page, complaints } = visit;
  const unfit = page.getByText('Card Moved does not tell what the agent’s inputs take from the event');
  await page.getByRole('button', { name: 'Add a trigger' }).click();
  await page.getByRole('dialog').getByText('Card Moved', { exact: true }).click();
  await page.getByRole('dialog').getByText('{{event.data.message.subject}}').and(unfit).waitFor();
  // Whoever goes by keyboard goes on in what took the place of the button.
  const focused = page.locator(':focus');
  await page.getByRole('button', { name: 'Another kind' }).and(focused).click();
  await page.getByLabel('Search the triggers').and(focused).waitFor();
  await page.getByRole('dialog').getByText('New Email', { exact: true }).click();
  await page.getByRole('button', { name: 'Enable the trigger' }).waitFor();
  expect(await page.getByText('Each run that it starts would fail').count()).toBe(0);
  await page.getByRole('button', { name: 'Another kind' }).click();
  // Which types of activity there are need not be known.
  await page.getByRole('dialog').getByText('New Board Activity', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Activity types' }).click();
  // However low its field stands, the list comes into sight.
  const box = page.getByRole('listbox', { name: 'Activity types' }).locator('..');
  const isInSight = () =>
    box.evaluate((each) => {
      const { bottom } = each.closest('dialog')?.getBoundingClientRect() ?? { bottom: 0 };
      return each.clientHeight > 200 && each.getBoundingClientRect().bottom < bottom;
    });
  await expect.poll(isInSight).toBe(true);
  await page.getByRole('combobox', { name: 'Activity types' }).fill('comment');
  await page.getByRole('option', { name: 'Comment card' }).first().click();
  await page.getByRole('list', { name: 'Activity types, chosen' }).getByText('Comment card').waitFor();
  await page.getByRole('button', { name: 'Another kind' }).click();
  await page.getByRole('dialog').getByText('Card Moved', { exact: true }).click();
  await page.getByRole('button', { name: 'Enable the trigger' }).click();
  const row = page.getByRole('list', { name: 'Triggers' }).getByRole('listitem');
  await row.getByText('{{event.data.message.subject}}').and(unfit).waitFor();
  await row.getByRole('link', { name: 'Why it fires' }).click();
  await page.getByText('{{event.data.message.subject}}').and(unfit).waitFor();
  await bench.owned('PATCH', `/v1/agents/${id}`, { runner: { ...runner, input: { word: 'Milk' } } });
  await unfit.waitFor({ state: 'detached' });
  await bench.owned('DELETE', `/v1/agents/${id}`);
  expect(complaints).toEqual([]);
});

test('among many, agents are found by their state, too; the address keeps it', async () => {
  const runner = { type: 'model', input: {} };
  const make = async (name: string): Promise<string> =>
    (await bench.owned('POST', '/v1/agents', { name, runner })).body.id;
  const [resting, working] = [await make('Resting'), await make('Working')];
  await bench.owned('PATCH', `/v1/agents/${resting}`, { state: 'paused' });
  await using visit = await visitAt('/agents');
  const { page, complaints } = visit;
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  await link('Working').waitFor();
  await page.getByLabel('State').selectOption({ label: 'Paused' });
  await link('Working').waitFor({ state: 'detached' });
  await link('Resting').waitFor();
  await page.getByLabel('Find by name').fill('work');
  await page.getByText('No agent is like that').waitFor();
  await page.waitForURL('**/agents?state=paused&query=work');
  await page.getByLabel('State').selectOption({ label: 'Enabled' });
  await link('Working').waitFor();
  await page.reload();
  await link('Working').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  await link('Resting').waitFor();
  for (const id of [resting, working]) await bench.owned('DELETE', `/v1/agents/${id}`);
  expect(complaints).toEqual([]);
});

test('an agent saved before its tools were read keeps what is filled in', async () => {
  const [known] = (await bench.owned('GET', '/v1/tools')).body.items;
  const tools = [{ toolId: known.id }];
  const runner = { type: 'model', input: { account: 'acc_1', ofAnotherTool: 'x' } };
  const draft = draftOf({ name: 'Early', instructions: '', tools, runner } as unknown as Parameters<typeof draftOf>[0]);
  expect(bodyOf(draft, []).runner.input).toEqual(runner.input);
  expect(bodyOf(draft, [{ ...known, inputs: [{ name: 'account' }] }]).runner.input).toEqual({ account: 'acc_1' });
});

test('what no event of a kind has is named, and what one may have is not', () => {
  const none = { type: 'null' };
  const card = { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false };
  const properties = { card: { anyOf: [card, none] }, labels: { type: 'array', items: card }, fields: {} };
  const event = { type: 'object', properties, additionalProperties: false };
  const input = {
    whole: '{{event.data}}',
    fits: ['{{event.data.card.id}} of {{ event.data.labels[0].id }}', { open: '{{event.data.fields.any.where}}' }],
    about: '{{event.summary}} \\{{event.data.literal}}',
    unfit: ['{{event.data.message.id}}', { deeper: 'Re: {{event.data.card.id.of}} {{event.data.labels[0].name}}' }],
    unfitList: '{{event.data.labels.id}}',
  };
  const deeper = ['{{event.data.card.id.of}}', '{{event.data.labels[0].name}}', '{{event.data.labels.id}}'];
  const missing = ['{{event.data.message.id}}', ...deeper];
  expect(missingFields(input, event)).toEqual(missing);
});

test('a start by hand takes from an event what the mapping would have taken', () => {
  const event = { summary: 'Hello', data: { message: { id: 'm1', to: [{ address: 'a@b.example' }], size: 3 } } };
  const mapping = {
    messageId: '{{event.data.message.id}}',
    size: '{{ event.data.message.size }}',
    first: '{{event.data.message.to[0].address}}',
    text: '{{event.summary}}: {{event.data.message.size}}',
    nowhere: '{{event.data.card.id}}',
    inherited: '{{event.data.constructor}}',
    account: 'acc_1',
  };
  expect(fillFromEvent(mapping, event)).toEqual({ messageId: 'm1', size: 3, first: 'a@b.example', text: 'Hello: 3' });
});
