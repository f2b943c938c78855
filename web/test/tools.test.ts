import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { shared } from '../../test/shared.ts';
import { messageAt } from '../src/forms/problems.ts';
import { inLabels } from '../src/forms/words.ts';
import { fileBench, openApp } from './browser.ts';

let boardAccount: string;
let mailAccount: string;
beforeAll(async () => {
  await shared('bundle');
  const bench = await fileBench();
  boardAccount = await bench.connectBoard();
  mailAccount = await bench.connectMail('ada@sandbox.test');
}, 180_000);

const stepCard = (page: Page, at: number) => page.getByRole('listitem', { name: `Step ${at}:` });

const addStep = async (page: Page, words: string, title: string) => {
  await page.getByRole('combobox', { name: 'Add a step' }).fill(words);
  await page.getByRole('option', { name: title }).first().click();
};

/** A saved tool that comments on a card. */
const commentTool = async (name: string) => {
  const bench = await fileBench();
  const { body } = await bench.owned('POST', '/v1/tools', {
    name,
    inputs: [{ name: 'cardId', type: 'string', required: true }],
    steps: [
      {
        key: 'comment',
        step: 'board.add_comment_to_card',
        account: { id: boardAccount },
        input: { cardId: '{{inputs.cardId}}', text: 'Seen' },
      },
    ],
  });
  return body.id as string;
};

test('a tool of two steps is built from nothing with search bar, drop-downs and variables, and rehearsed', async () => {
  await using visit = await openApp({ path: '/tools' });
  const { page, bench, complaints } = visit;
  await page.getByRole('link', { name: 'New tool' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Card and mail');
  await page.getByRole('button', { name: 'Add an input' }).click();
  await page.getByLabel('Name', { exact: true }).nth(1).fill('topic');

  await addStep(page, 'create card', 'Create Card');
  const card = stepCard(page, 1);
  await card.getByLabel('Account', { exact: true }).selectOption(boardAccount);
  await card.getByRole('combobox', { name: 'Board', exact: true }).click();
  await card.getByRole('option', { name: 'Launch' }).click();
  await card.getByRole('combobox', { name: 'List', exact: true }).fill('doi');
  await card.getByRole('option', { name: 'Doing' }).click();
  // Fields for several values go by their names, too.
  await card.getByRole('combobox', { name: 'Labels', exact: true }).waitFor();
  // Whoever goes by keyboard goes on where a variable, or a value instead of it, was put.
  await card.getByRole('button', { name: 'Use a variable in Labels' }).click();
  await page.getByRole('option', { name: 'inputs.topic' }).click();
  await card.getByRole('textbox', { name: 'Labels', exact: true }).and(page.locator(':focus')).waitFor();
  await card.getByRole('button', { name: 'Choose a value for Labels instead of a variable' }).click();
  await card.getByRole('combobox', { name: 'Labels', exact: true }).and(page.locator(':focus')).waitFor();
  await card.getByRole('button', { name: 'Use a variable in Name' }).click();
  await page.getByRole('option', { name: 'inputs.topic' }).click();

  await addStep(page, 'send', 'Send Email');
  const mail = stepCard(page, 2);
  await mail.getByLabel('Account', { exact: true }).selectOption(mailAccount);
  await mail.getByRole('button', { name: 'Add to To' }).click();
  await mail.getByRole('textbox', { name: 'To 1' }).and(page.locator(':focus')).fill('ben@sandbox.test');
  await mail.getByRole('textbox', { name: 'Subject' }).fill('New card: ');
  await mail.getByRole('button', { name: 'Use a variable in Subject' }).click();
  await page.getByLabel('Search the variables').fill('create_card.output.name');
  await page.keyboard.press('Enter');
  await mail.getByRole('textbox', { name: 'Subject' }).and(page.locator(':focus')).waitFor();
  // A slip of the pen is seen before a run has made the card and fails at the mail.
  await mail.getByRole('textbox', { name: 'Body' }).fill('At {{steps.create_card.output.nme}}');
  await mail.getByText('is not among what that step is known to answer').waitFor();
  await mail.getByRole('textbox', { name: 'Body' }).fill('Look at it.');
  expect(await mail.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe(
    'New card: {{steps.create_card.output.name}}',
  );
  expect(await mail.getByRole('radio', { name: 'Ask before each send' }).isChecked()).toBe(true);

  // A name that is erased and typed anew is nothing on the way, or that of another input, whose references stay its own.
  await page.getByRole('button', { name: 'Add an input' }).click();
  const names = page.getByRole('listitem', { name: /^Input / }).getByLabel('Name', { exact: true });
  await names.nth(1).and(page.locator(':focus')).fill('top');
  await mail.getByRole('textbox', { name: 'Body' }).fill('Look at {{inputs.top}}.');
  await names.nth(0).focus();
  for (const key of 'End Backspace Backspace Backspace Backspace Backspace'.split(' ')) await page.keyboard.press(key);
  await page.keyboard.type('theme');
  expect(await card.getByRole('textbox', { name: /^Name(?! in)/ }).inputValue()).toBe('{{inputs.theme}}');
  expect(await mail.getByRole('textbox', { name: 'Body' }).inputValue()).toBe('Look at {{inputs.top}}.');
  await card.getByLabel('Name in variables').fill('');
  await card.getByLabel('Name in variables').fill('made');
  expect(await mail.getByRole('textbox', { name: 'Subject' }).inputValue()).toBe(
    'New card: {{steps.made.output.name}}',
  );

  await page.getByRole('textbox', { name: 'theme' }).fill('Bread');
  await page.getByRole('textbox', { name: /^top/ }).fill('it');
  await page.getByRole('button', { name: 'Save and dry run' }).click();
  const rehearsed = page.getByRole('listitem', { name: 'Dry run of Create Card' });
  await rehearsed.getByText('POST /1/cards').waitFor();
  const body = JSON.parse((await rehearsed.getByLabel('Body of Create Card').textContent()) ?? '');
  const doing = [...bench.board.world.lists.values()].find(({ name }) => name === 'Doing');
  expect(body).toMatchObject({ name: 'Bread', idList: doing?.id });
  await page.getByText('steps.made.output.name, which only').waitFor();
  expect(bench.board.cardsIn(doing?.id ?? '').some(({ name }) => name === 'Bread')).toBe(false);

  await page.waitForURL(/\/tools\/tool_/);
  expect(complaints).toEqual([]);
});

test('a test run asks for the inputs, acts on the board, and says that the mail waits for a person', async () => {
  const bench = await fileBench();
  const list = bench.board.newList();
  const { body } = await bench.owned('POST', '/v1/tools', {
    name: 'Card and mail',
    inputs: [
      { name: 'topic', type: 'string', required: true },
      { name: 'sender', type: 'account', integration: 'mail', permissionType: 'standard' },
      { name: 'more', type: 'array' },
    ],
    steps: [
      {
        key: 'card',
        step: 'board.create_card',
        account: { id: boardAccount },
        input: { idList: list.id, name: '{{inputs.topic}}' },
      },
      {
        key: 'mail',
        step: 'mail.send_email',
        account: { input: 'sender' },
        input: { to: ['ben@sandbox.test'], subject: 'New card: {{steps.card.output.name}}', body: 'Look at it.' },
      },
    ],
  });
  await using visit = await openApp({ path: `/tools/${body.id}` });
  const { page, complaints } = visit;
  // What is no value yet is not left out: nothing runs without it.
  const more = page.getByRole('textbox', { name: 'more' });
  await more.fill('[');
  await page.getByRole('textbox', { name: 'topic' }).fill('Bread');
  await page.getByLabel('sender', { exact: true }).selectOption(mailAccount);
  await page.getByRole('button', { name: 'Run for real' }).click();
  await more.and(page.locator(':focus')).waitFor();
  await more.fill('');
  await page.getByRole('button', { name: 'Run for real' }).click();
  await page.getByText('Waiting for approval').waitFor();
  await page.getByText('New card: Bread').waitFor();
  expect(await page.getByRole('link', { name: 'Look and decide' }).getAttribute('href')).toMatch(/^\/approvals\/apr_/);
  expect(await page.getByRole('link', { name: 'Open the run' }).getAttribute('href')).toMatch(/^\/runs\/run_/);
  expect(bench.board.cardsIn(list.id).map(({ name }) => name)).toEqual(['Bread']);
  expect(complaints).toEqual([]);
});

test('the search bar lists an integration by its name, and adds a step by keyboard alone', async () => {
  await using visit = await openApp({ path: '/tools/new', width: 390 });
  const { page, bench, complaints } = visit;
  const search = page.getByRole('combobox', { name: 'Add a step' });
  await search.focus();
  await page.keyboard.type('board');
  const { body } = await bench.owned('GET', '/v1/steps?integration=board');
  await expect.poll(() => page.getByRole('option').count()).toBe(body.items.length);
  await page.getByRole('option', { name: 'deprecated' }).waitFor();
  await page.keyboard.type(' get');
  await expect.poll(() => page.getByRole('option').count()).toBeLessThan(body.items.length);
  const second = await page.getByRole('option').nth(1).locator('span span').first().textContent();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');

  await stepCard(page, 1).waitFor();
  await expect.poll(() => stepCard(page, 1).getAttribute('aria-label')).toBe(`Step 1: ${second}`);
  await expect.poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(`Step 1: ${second}`);

  // A name that is another's on its way is typed to its end.
  await addStep(page, 'board api', 'Board API Call');
  const call = stepCard(page, 2);
  for (const [at, name] of ['actions', 'actions_limit'].entries()) {
    await call.getByRole('button', { name: 'Add to Query' }).click();
    await call.getByRole('textbox', { name: `Query: name ${at + 1}` }).pressSequentially(name);
  }
  expect(await call.getByRole('textbox', { name: 'Query: name 2' }).inputValue()).toBe('actions_limit');
  // What is removed hands the focus to what stands nearby.
  const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
  await call.getByRole('button', { name: 'Remove actions_limit' }).press('Enter');
  await expect.poll(focused).toBe('Add to Query');
  // On a slow machine, who has gone on before what was added is drawn stays there.
  await page.evaluate(`window.promptly = requestAnimationFrame;
    window.requestAnimationFrame = (then) => setTimeout(() => { then(); window.drawn = true; }, 400)`);
  await call.getByRole('button', { name: 'Add to Query' }).click();
  await search.fill('mail');
  await expect.poll(() => page.evaluate('window.drawn')).toBe(true);
  await page.getByRole('listbox', { name: 'Steps' }).getByRole('option').first().waitFor();
  await page.evaluate('window.requestAnimationFrame = window.promptly');
  await call.getByRole('button', { name: 'Remove Board API Call' }).press('Enter');
  await expect.poll(focused).toBe(`Step 1: ${second}`);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(complaints).toEqual([]);
});

test('a mistake is told at its place, and a run that fails says what to do', async () => {
  const id = await commentTool('Comment');
  await using visit = await openApp({ path: `/tools/${id}` });
  const { page, complaints } = visit;
  const text = stepCard(page, 1).getByRole('textbox', { name: 'Text' });
  await text.fill('About {{steps.later.output.name}}');
  await page.getByText('steps.later.output.name is not there').waitFor();
  // What the form sees and what only the server knows are told together.
  const name = page.getByLabel('Name', { exact: true }).first();
  await name.fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.getByText('{{steps.later.output.name}} names no step of this tool').waitFor();
  await page.getByText('Not saved: 2 places need attention.').waitFor();
  await page.getByText('Give the tool a name.').waitFor();
  expect(await Promise.all([name, text].map((field) => field.getAttribute('aria-invalid')))).toEqual(['true', 'true']);
  await page.getByText('Version 1 ·').waitFor();
  const { items } = (await (await fileBench()).owned('GET', '/v1/tools')).body;
  expect(items.map((tool: { name: string }) => tool.name)).not.toContain('-');
  await name.fill('Comment');

  await text.fill('Seen');
  await page
    .getByRole('button', { name: 'Run for real' })
    .or(page.getByRole('button', { name: 'Dry run' }))
    .first()
    .click();
  const tried = page.getByRole('region', { name: 'Try it' });
  await tried.getByText('must be given', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'cardId' }).fill('000000000000000000000000');
  await page.getByRole('button', { name: 'Run for real' }).click();
  const failed = page.getByRole('alert').filter({ hasText: 'Failed' });
  await failed.getByRole('link', { name: 'Open the run' }).waitFor();
  expect(complaints).toEqual([]);
});

test('changes are not lost: leaving asks, an ended session gives them back, a newer version is not overwritten, a deleted tool can be made anew', async () => {
  const id = await commentTool('Kept');
  await using visit = await openApp({ path: `/tools/${id}` });
  const { page, context, bench } = visit;
  const name = page.getByLabel('Name', { exact: true }).first();
  await name.fill('Kept, mine');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('button', { name: 'Stay here' }).click();
  expect(await name.inputValue()).toBe('Kept, mine');

  // Why it could not be saved is said where the button is, however far down the page.
  await page.setViewportSize({ width: 1440, height: 400 });
  await page.route(`**/v1/tools/${id}`, (route) => route.abort());
  await page.getByRole('button', { name: 'Remove Add Comment to Card' }).scrollIntoViewIfNeeded();
  await page.mouse.wheel(0, 2_000);
  await page.getByRole('button', { name: 'Save', exact: true }).last().click();
  const why = page.getByRole('alert').getByText('The server does not answer');
  await why.waitFor();
  expect((await why.boundingBox())?.y).toBeGreaterThan(0);
  await page.unroute(`**/v1/tools/${id}`);
  await page.setViewportSize({ width: 1440, height: 900 });

  await context.clearCookies();
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  const [cookie = '', value = ''] = (await bench.signInAsOwner()).split('=');
  await context.addCookies([{ name: cookie, value, url: bench.origin, httpOnly: true }]);
  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.getByText('are here again').waitFor();
  expect(await name.inputValue()).toBe('Kept, mine');

  await bench.owned('PATCH', `/v1/tools/${id}`, { name: 'Kept, theirs' });
  await page.getByRole('button', { name: 'Save', exact: true }).first().click();
  await page.getByText('Version 2 was saved').first().waitFor();
  expect((await bench.owned('GET', `/v1/tools/${id}`)).body.name).toBe('Kept, theirs');
  await page.getByRole('button', { name: 'Save mine over it' }).click();
  await expect.poll(async () => (await bench.owned('GET', `/v1/tools/${id}`)).body.name).toBe('Kept, mine');
  await page.getByText('Version 3 ·').waitFor();

  await name.fill('Kept, anew');
  await bench.owned('DELETE', `/v1/tools/${id}`);
  await page.getByRole('alert').getByText('was deleted elsewhere').waitFor();
  await page.getByRole('button', { name: 'Save the tool' }).click();
  await page.getByText('Version 1 ·').waitFor();
  expect(page.url()).not.toContain(id);
  expect((await bench.owned('GET', '/v1/tools')).body.items[0]).toMatchObject({ name: 'Kept, anew', version: 1 });
});

test('changes that were kept and cannot be read are left out: the tool is there as it was saved', async () => {
  const id = await commentTool('Readable');
  await using visit = await openApp({ path: `/tools/${id}` });
  const { page, complaints } = visit;
  const name = page.getByLabel('Name', { exact: true }).first();
  await name.fill('Changed');
  const place = () =>
    page.evaluate(() => Object.keys(sessionStorage).find((key) => key.startsWith('switchboard tool')));
  await expect.poll(place).toBeDefined();
  const kept = (await place()) ?? '';
  page.on('dialog', (dialog) => void dialog.accept());
  for (const text of ['{"draft":', 'null', '{"draft":{"name":"Half"}}']) {
    await page.evaluate(([key = '', value = '']) => sessionStorage.setItem(key, value), [kept, text]);
    await page.reload();
    await name.waitFor();
    expect([text, await name.inputValue()]).toEqual([text, 'Readable']);
  }
  expect(complaints).toEqual([]);
});

test('an account that lacks a permission says which, and opens the window that asks for it', async () => {
  const bench = await fileBench();
  const lacking = await bench.connectMail('ben@sandbox.test', ['Mail.Read', 'offline_access']);
  await using visit = await openApp({ path: '/tools/new' });
  const { page, complaints } = visit;
  await addStep(page, 'send', 'Send Email');
  const step = stepCard(page, 1);
  await step.getByLabel('Account', { exact: true }).selectOption(lacking);
  await step.getByText('This account was not granted: ').waitFor();
  expect(await step.getByLabel('Account', { exact: true }).locator(`[value=${lacking}]`).textContent()).toContain(
    'lacks a permission',
  );
  const [popup] = await Promise.all([
    page.waitForEvent('popup'),
    step.getByRole('button', { name: 'Ask for this permission' }).click(),
  ]);
  await popup.waitForURL(new RegExp(`^${bench.mail.url}`));
  await popup.close();
  await step.getByText('The sign-in window was closed').waitFor();

  await step.getByLabel('With permission').selectOption('meetings_collaboration');
  await step.getByLabel('Account', { exact: true }).selectOption('');
  await step.getByText('No account has the permission').waitFor();
  await step.getByRole('button', { name: 'Show all accounts' }).click();
  await step.getByLabel('Account', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('what is wrong with several parts of a field is told in one sentence', () => {
  const problems = ['is no address.', 'is empty', 'is too long.'].map((message, at) => ({
    field: `to[${at}]`,
    message,
  }));
  expect(messageAt(problems, ['to'], true)).toBe('is no address; is empty; is too long.');
});

test('hints and mistakes call fields as the screen does', () => {
  const names = ['idList', 'list', 'board', 'inReplyTo'];
  const told = [
    'Say which: idList, or board and list.',
    'May be left out with inReplyTo.',
    'Such as updateCard:idList.',
  ];
  expect(told.map((each) => inLabels(each, names))).toEqual([
    'Say which: “List”, or board and list.',
    'May be left out with “In reply to”.',
    'Such as updateCard:idList.',
  ]);
});
