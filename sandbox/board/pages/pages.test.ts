import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { violationsIn } from '../../common/axe.ts';
import { connectBrowser } from '../../common/connect-browser.ts';
import { type BoardSandbox, startBoard } from '../server.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await connectBrowser();
});
afterAll(() => browser.close());

/** A window on the board's pages, with all that went wrong in it. */
const open = async (options: BrowserContextOptions = {}) => {
  const board = await startBoard();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(45_000);
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => request.url().startsWith(board.url) || complaints.push(`outside: ${request.url()}`));
  const signIn = async (): Promise<void> => {
    await page.goto(board.url);
    await page.getByRole('button', { name: 'Continue as Ada Marsh' }).click();
    await page.getByRole('link', { name: /Launch/ }).click();
    await page.getByRole('heading', { name: 'Launch' }).waitFor();
  };
  const dispose = async (): Promise<void> => {
    await context.close();
    await board.close();
  };
  return { board, page, complaints, signIn, [Symbol.asyncDispose]: dispose };
};

const until = async (truth: () => boolean): Promise<void> => {
  await expect.poll(truth).toBe(true);
};

const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const namesIn = (board: BoardSandbox, at: number): string[] =>
  board.cardsIn(board.lists()[at]?.id ?? '').map(({ name }) => name);

test('a card is created and dragged to another list', async () => {
  await using bench = await open();
  const { page, board, complaints } = bench;
  await bench.signIn();
  await column(page, 'To do').getByLabel('New card in To do').fill('Buy balloons');
  await column(page, 'To do').getByRole('button', { name: 'Add' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'Buy balloons' });
  await card.waitFor();
  expect(namesIn(board, 0)).toContain('Buy balloons');

  await card.dragTo(page.getByRole('listitem').filter({ hasText: 'Set up status page' }), {
    targetPosition: { x: 40, y: 5 },
  });
  await until(() => namesIn(board, 2).includes('Buy balloons'));
  expect(namesIn(board, 2)).toEqual([
    'Choose the launch date',
    'Buy balloons',
    'Set up status page',
    'Book the venue for the launch party',
  ]);
  expect(board.actions().at(-1)?.data['old']).toHaveProperty('idList');
  expect(board.actions().at(-1)?.appKey).toBeNull();
  expect(complaints).toEqual([]);
});

test('an opened card takes a comment, a label, a due date, a checklist and a link, and is archived', async () => {
  await using bench = await open();
  const { page, board, complaints } = bench;
  await bench.signIn();
  await page.getByRole('link', { name: /Translate the help pages/ }).click();
  const dialog = page.getByRole('dialog');
  const card = board.cardsIn(board.lists()[1]?.id ?? '').find(({ name }) => name === 'Translate the help pages');
  if (!card) throw new Error('the seeded card is gone');
  await dialog.getByLabel('Comment', { exact: true }).fill('French first <b>');
  await dialog.getByRole('button', { name: 'Comment' }).click();
  await dialog.getByText('French first <b>').waitFor();
  await dialog.getByRole('button', { name: 'Urgent' }).click();
  await until(() => card.idLabels.length === 2);
  await dialog.getByLabel('Due (UTC)').fill('2031-03-04T10:00');
  await dialog.getByRole('button', { name: 'Set due date' }).click();
  await until(() => card.due === '2031-03-04T10:00:00.000Z');
  await dialog.getByLabel('New checklist').fill('Languages');
  await dialog.getByLabel('New checklist').press('Enter');
  await dialog.getByLabel('New item in Languages').fill('French');
  await dialog.getByLabel('New item in Languages').press('Enter');
  await dialog.getByLabel('French', { exact: true }).check();
  await until(() => board.checklistsOn(card)[0]?.checkItems[0]?.state === 'complete');
  await dialog.getByLabel('Link').fill('https://example.com/words');
  await dialog.getByRole('button', { name: 'Attach link' }).click();
  await dialog.getByRole('link', { name: 'https://example.com/words' }).waitFor();
  await dialog.getByRole('button', { name: 'Archive this card' }).click();
  await until(() => card.closed);
  expect(complaints).toEqual([]);
});

test('what somebody is typing outlives the changes of others', async () => {
  await using bench = await open();
  const { page, board } = bench;
  await bench.signIn();
  await page.getByRole('link', { name: /Translate the help pages/ }).click();
  const dialog = page.getByRole('dialog');
  const comment = dialog.getByLabel('Comment', { exact: true });
  await comment.fill('Half a thou');
  await dialog.getByRole('button', { name: 'Urgent' }).click();
  await dialog.getByRole('button', { name: 'Urgent', pressed: true }).waitFor();
  expect(await comment.inputValue()).toBe('Half a thou');
  expect(board.labels()).toHaveLength(4);
});

test('what others do shows up by itself', async () => {
  await using bench = await open();
  await bench.signIn();
  bench.board.newCard({ name: 'From elsewhere', as: 'ben' });
  await bench.page.getByRole('link', { name: /From elsewhere/ }).waitFor();
});

test('consent in the browser leads back with the token in the fragment', async () => {
  await using bench = await open();
  const { page, board } = bench;
  const { key } = board.credentials();
  const query = { key, name: 'Switchboard', scope: 'read', expiration: '1day', return_url: `${board.url}/sandbox` };
  await page.goto(`${board.url}/1/authorize?${new URLSearchParams(query)}`);
  await page.getByLabel('Email or username').fill('ben');
  await page.getByLabel('Password').fill('sandbox');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.waitForURL(/\/sandbox#token=ATTA[0-9a-f]{72}$/);
});

test('behind the page addresses there is JSON, for those who may see it', async () => {
  await using bench = await open();
  const { board, page } = bench;
  const { shortLink } = board.launch();
  const [card] = board.cardsIn(board.lists()[0]?.id ?? '');
  expect((await fetch(`${board.url}/b/${shortLink}.json`)).status).toBe(401);
  await bench.signIn();
  const whole = await page.request.get(`${board.url}/b/${shortLink}.json`);
  expect(await whole.json()).toMatchObject({ name: 'Launch', lists: { length: 3 }, cards: { length: 12 } });
  const one = await page.request.get(`${board.url}/c/${card?.shortLink}.json`);
  expect(await one.json()).toMatchObject({ id: card?.id, actions: expect.any(Array) });
});

test('pages load nothing from outside and run no foreign script', async () => {
  await using bench = await open();
  const answer = await fetch(bench.board.url);
  const policy = answer.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|https?:|\*/);
});

const looks = [
  [390, 'light'],
  [1440, 'dark'],
] as const;
test('pages are usable on a phone by day and on a wide screen at night', { timeout: 120_000 }, async () => {
  await using bench = await open();
  const { page, board, complaints } = bench;
  const look = async (path: string): Promise<void> => {
    await page.goto(board.url + path);
    if (path.startsWith('/b/')) await page.getByRole('link', { name: /Fix the sign-in/ }).click();
    if (path.startsWith('/b/')) await page.getByRole('dialog').getByText('Comments').waitFor();
    for (const [width, colorScheme] of looks) {
      await page.setViewportSize({ width, height: 850 });
      await page.emulateMedia({ colorScheme });
      const violations = await violationsIn(page);
      const where = `${path} at ${width} px`;
      expect.soft(violations.map(({ id, nodes }) => `${where} ${id} ${nodes[0]?.html}`)).toEqual([]);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect.soft(wider, `${where} is wider than the window`).toBeLessThanOrEqual(0);
    }
  };
  const { key } = board.credentials();
  await look('/');
  await bench.signIn();
  const [card] = board.cardsIn(board.lists()[1]?.id ?? '');
  const paths = ['/', `/b/${board.launch().shortLink}`, `/c/${card?.shortLink}`, '/power-ups/admin', '/sandbox'];
  for (const path of [...paths, `/1/authorize?key=${key}`]) await look(path);
  expect(complaints).toEqual([]);
});
