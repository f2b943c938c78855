import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Workbench } from '#test';
import { fileBench, openApp } from './browser.ts';

// A busy machine draws slowly, and a read is tried three times before it counts as failed.
vi.setConfig({ testTimeout: 60_000 });

let bench: Workbench;
let boardId: string;
beforeAll(async () => {
  bench = await fileBench();
  await bench.connectMail();
  boardId = await bench.connectBoard();
});

/** Lets what is read under these words of the API fail, until the answer is called. */
const failing = async (page: Page, words: string) => {
  const route = new RegExp(`/v1/(?:${words})(?:\\?|$)`);
  await page.route(route, (each) =>
    each.fulfill({
      status: 503,
      contentType: 'application/json',
      body: JSON.stringify({ error: { code: 'unavailable', message: 'Not now.' } }),
    }),
  );
  return () => page.unroute(route);
};

const refusal = (page: Page) => page.getByRole('alert').filter({ hasText: 'Not now.' }).first();
const tryAgain = async (page: Page) => {
  const again = page.getByRole('button', { name: 'Try again' });
  while ((await again.count()) > 0) {
    const before = await again.count();
    await again.first().click();
    await expect.poll(() => again.count()).toBeLessThan(before);
  }
};

const addStep = async (page: Page, title: string) => {
  await page.getByRole('combobox', { name: 'Add a step' }).fill(title);
  await page.getByRole('option', { name: title }).first().click();
};

test('a new tool says what it could not read, of accounts, secrets and integrations, and asks again', async () => {
  await using visit = await openApp({ path: '/tools/new' });
  const { page } = visit;
  const card = page.getByRole('listitem', { name: 'Step 1:' });

  let mend = await failing(page, 'accounts|secrets');
  await addStep(page, 'Create Card');
  await refusal(page).waitFor();
  await expect.poll(() => card.getByRole('button', { name: 'Try again' }).count()).toBe(2);
  await mend();
  await tryAgain(page);
  await card.getByLabel('Account', { exact: true }).selectOption(boardId);

  await page.getByRole('button', { name: 'Discard changes' }).click();
  mend = await failing(page, 'integrations');
  await page.reload();
  // While the page is still being drawn, a click on a busy machine may meet nothing.
  const type = page.getByLabel('Type', { exact: true });
  const added = async () => {
    if ((await type.count()) === 0) await page.getByRole('button', { name: 'Add an input' }).click();
    return type.count();
  };
  await expect.poll(added, { interval: 1_000 }).toBeGreaterThan(0);
  await type.first().selectOption('account');
  await refusal(page).waitFor();
  await mend();
  await tryAgain(page);
  await page.getByLabel('Integration').selectOption('Boards');
});

test('a new agent and the audit say what they could not read, and ask again', async () => {
  await using visit = await openApp({ path: '/' });
  const { page } = visit;
  await bench.owned('POST', '/v1/tools', {
    name: 'Comment',
    inputs: [{ name: 'cardId', type: 'string', required: true }],
    steps: [
      {
        key: 'comment',
        step: 'board.add_comment_to_card',
        account: { id: boardId },
        input: { cardId: '{{inputs.cardId}}', text: 'Seen' },
      },
    ],
  });
  let mend = await failing(page, 'integrations');
  await page.goto(`${bench.origin}/agents/new?from=scratch`);
  await page.getByLabel('Give it a tool').selectOption('Comment');
  await refusal(page).waitFor();
  await mend();
  await tryAgain(page);
  const kinds = page.getByLabel('Fields of the event');
  await kinds.selectOption('New Card');
  expect(await kinds.inputValue()).toBe('board.new_card');

  mend = await failing(page, 'names');
  await page.goto(`${bench.origin}/audit`);
  await refusal(page).waitFor();
  await mend();
  await tryAgain(page);
  const account = page.getByLabel('Account');
  await account.selectOption(boardId);
  expect(await account.inputValue()).toBe(boardId);
});

test('what was typed into a trigger and the account of a step stay when a second look fails', async () => {
  const agent = { name: 'Typed', instructions: '', tools: [], runner: { type: 'model' } };
  const { body } = await bench.owned('POST', '/v1/agents', agent);
  await using visit = await openApp({ path: `/agents/${body.id}?trigger=new` });
  const { page } = visit;
  await page
    .getByRole('button', { name: /New Card/ })
    .first()
    .click();
  await page.getByLabel('Name', { exact: false }).last().fill('My cards');
  const account = page.getByRole('dialog').getByLabel('Account', { exact: true });
  await expect.poll(() => account.inputValue()).toBe(boardId);

  let asked = 0;
  page.on('response', (answer) => {
    if (answer.status() === 503 && answer.url().endsWith('/v1/integrations')) asked += 1;
  });
  await failing(page, 'accounts|integrations');
  // What is old enough is read again when the window comes to the front.
  await page.waitForTimeout(5_100);
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
  await expect.poll(() => asked).toBe(3);
  await page.waitForTimeout(1_000);
  expect(await page.getByLabel('Name', { exact: false }).last().inputValue()).toBe('My cards');
  expect(await account.inputValue()).toBe(boardId);
});

test('while it is not known what uses an account, or what an agent would take along, nobody is told that nothing does', async () => {
  const { body: agent } = await bench.owned('POST', '/v1/agents', {
    name: 'Has one',
    instructions: '',
    tools: [],
    runner: { type: 'model' },
  });
  await bench.owned('POST', '/v1/triggers', {
    agentId: agent.id,
    type: 'board.new_card',
    accountId: boardId,
    name: 'Cards that come',
  });
  await using visit = await openApp({ path: '/' });
  const { page } = visit;
  const mend = await failing(page, 'triggers');
  await page.goto(`${bench.origin}/integrations/board?account=${boardId}`);
  await refusal(page).waitFor();
  expect(await page.getByText('names it yet').count()).toBe(0);
  await page.getByRole('button', { name: 'Disconnect' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('What uses this account could not be read').waitFor();
  expect(await dialog.getByText('Nothing uses this account').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Keep as it is' }).click();

  await page.goto(`${bench.origin}/agents/${agent.id}`);
  await refusal(page).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByText('Its triggers go with it').waitFor();
  expect(await dialog.getByText('It has no triggers').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Keep as it is' }).click();
  await mend();
  await tryAgain(page);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByText('“Cards that come”').waitFor();
});
