import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Answer } from '#test';
import { violationsIn } from '../../test/browser.ts';
import { shared } from '../../test/shared.ts';
import { fileBench, openApp } from './browser.ts';

let paths: string[];
beforeAll(async () => {
  await shared('bundle');
  const bench = await fileBench();
  const made = async (path: string, body: object): Promise<Answer['body']> =>
    (await bench.owned('POST', path, body)).body;
  const accountId = await bench.connectMail();
  await bench.connectBoard();
  const tool = await made('/v1/tools', {
    name: 'Answer mail',
    description: 'Answers a mail.',
    inputs: [{ name: 'messageId', type: 'string', required: true, description: 'The mail.' }],
    steps: [
      {
        key: 'reply',
        step: 'mail.reply',
        account: { id: accountId },
        input: { messageId: '{{inputs.messageId}}', body: 'Thank you.' },
      },
    ],
  });
  const agent = await made('/v1/agents', {
    name: 'Responder',
    instructions: '',
    tools: [{ toolId: tool.id, permission: 'approval' }],
    runner: { type: 'tool', toolId: tool.id, input: { messageId: '{{event.data.message.id}}' } },
  });
  const trigger = await made('/v1/triggers', { agentId: agent.id, type: 'mail.new_email', accountId, config: {} });
  const mail = { to: 'ada@sandbox.test', from: 'luis@contoso.example', subject: 'Late delivery', body: 'When?' };
  const headers = { 'content-type': 'application/json' };
  await fetch(`${bench.mail.url}/_control/deliver`, { method: 'POST', headers, body: JSON.stringify(mail) });
  await vi.waitUntil(async () => (await bench.owned('GET', '/v1/approvals?status=pending')).body.items.length > 0, {
    timeout: 45_000,
    interval: 200,
  });
  const [approval, event, run] = await Promise.all(
    ['/v1/approvals', '/v1/events', '/v1/runs'].map(async (path) => (await bench.owned('GET', path)).body.items[0]),
  );
  paths = [
    ...['/', '/approvals', '/agents', '/agents/new', '/tools', '/tools/new', '/events', '/runs', '/audit', '/settings'],
    ...['/integrations', '/integrations/mail', '/integrations/board', '/triggers', '/sandbox', '/nowhere'],
    `/approvals/${approval.id}`,
    `/agents/${agent.id}`,
    `/triggers/${trigger.id}`,
    `/tools/${tool.id}`,
    `/events/${event.id}`,
    `/runs/${run.id}`,
  ];
}, 180_000);

test('the app is built as it is shipped, without what React has for its developers', async () => {
  const { folder } = await shared('bundle');
  const scripts = globSync('assets/*.js', { cwd: folder });
  expect(scripts.length).toBeGreaterThan(10);
  expect(scripts.filter((name) => readFileSync(join(folder, name), 'utf8').includes('jsxDEV'))).toEqual([]);
});

/** Fingers need room: what is no link within a text, and does not reach over its whole row, has a height. */
const tooSmall = `[...document.querySelectorAll('a, button, summary, select, input:not([type=checkbox], [type=radio])')]
  .filter((each) => {
    const { width, height } = each.getBoundingClientRect();
    const isWithinText = getComputedStyle(each).display === 'inline';
    const reaches = getComputedStyle(each, '::after').position === 'absolute';
    return !each.matches('.sr-only') && width > 1 && height > 1 && height < 24 && !isWithinText && !reaches;
  })
  .map((each) => each.textContent)`;

/** Colours of the other scheme come with the next pictures: what takes them from its parent changes after that one. */
const drawn = `(async () => {
  const changing = () => document.getAnimations().filter((each) => each instanceof CSSTransition);
  for (let calm = 0; calm < 2; calm++) {
    await new Promise(requestAnimationFrame);
    for (let found = changing(); found.length > 0; found = changing()) {
      calm = 0;
      for (const each of found) each.finish();
    }
  }
})()`;

/** The page in letters twice as large, as people set them: what is beyond its edge, and what bars leave of the window. */
const inLargeLetters = `(() => {
  const { style } = document.documentElement;
  style.fontSize = '200%';
  // At once, not only with the next pictures.
  dispatchEvent(new Event('resize'));
  const bars = [...document.querySelectorAll('body *')].filter((each) =>
    ['fixed', 'sticky'].includes(getComputedStyle(each).position));
  const found = {
    beyond: document.documentElement.scrollWidth - window.innerWidth,
    barred: bars.reduce((sum, each) => sum + each.getBoundingClientRect().height, 0) / window.innerHeight,
  };
  style.fontSize = '';
  dispatchEvent(new Event('resize'));
  return found;
})()`;

/** How a page is looked at; by turns one is loaded so, and then seen in the other way. */
const looks = [
  { width: 390, colorScheme: 'dark' },
  { width: 1440, colorScheme: 'light' },
] as const;

test('on a phone at night, in large letters and on a wide screen by day every page is readable by all, complete on a reload, and fetches nothing from elsewhere', async () => {
  await using visit = await openApp({ reducedMotion: 'reduce' });
  const { page, bench, complaints, elsewhere } = visit;
  const wrong: string[] = [];
  const called = new Map<string, string>();
  const load = async (path: string) => {
    await page.goto(new URL(path, bench.origin).href);
    await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor();
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  };
  for (const [at, path] of paths.entries()) {
    for (const [turn, { width, colorScheme }] of (at % 2 === 0 ? looks : looks.toReversed()).entries()) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      if (turn === 0) await load(path);
      await page.evaluate(drawn);
      const where = `${path} at ${width} px`;
      for (const { id, nodes } of await violationsIn(page)) wrong.push(`${where}: ${id} at ${nodes[0]?.html}`);
      for (const each of await page.evaluate<string[]>(tooSmall))
        wrong.push(`${where}: "${each}" is too small to touch`);
      const beyond = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
      if (beyond > 0) wrong.push(`${where}: ${beyond} px are out of sight`);
      if (width > 390) continue;
      const large = await page.evaluate<{ beyond: number; barred: number }>(inLargeLetters);
      if (large.beyond > 0) wrong.push(`${where} in large letters: ${large.beyond} px are out of sight`);
      if (large.barred > 1 / 3) wrong.push(`${where} in large letters: bars cover ${large.barred} of the window`);
    }
    const title = await page.title();
    if (!title.endsWith('· Switchboard')) wrong.push(`${path}: its window is called "${title}"`);
    if (called.has(title)) wrong.push(`${path}: its window is called "${title}", as that of ${called.get(title)}`);
    called.set(title, path);
  }
  expect({ wrong, complaints, elsewhere }).toEqual({ wrong: [], complaints: [], elsewhere: [] });
}, 180_000);

test('the back button leads through every page again, each as it was; a second tab follows what happens in the first, signing out as well', async () => {
  await using visit = await openApp({ reducedMotion: 'reduce' });
  const { page, context, bench, complaints } = visit;
  const heading = () => page.getByRole('main').getByRole('heading', { level: 1 }).innerText();
  const links = page.getByRole('navigation').first().getByRole('link');
  await links.first().waitFor();
  const seen: string[] = [];
  for (const link of await links.all()) {
    const name = (await link.innerText()).split('\n')[0] ?? '';
    await link.click();
    await expect.poll(heading).toBe(name);
    seen.push(name);
  }
  expect(seen.length).toBeGreaterThan(7);
  for (const name of seen.toReversed().slice(1)) {
    await page.goBack();
    await expect.poll(heading).toBe(name);
  }
  await page.goForward();
  await expect.poll(heading).toBe(seen[1]);
  await page.reload();
  await expect.poll(heading).toBe(seen[1]);

  const other = await context.newPage();
  await other.goto(new URL('/agents', bench.origin).href);
  await other.getByText('Responder').first().waitFor();
  await page.goto(new URL(paths.find((path) => path.startsWith('/agents/agt')) ?? '', bench.origin).href);
  await page.getByRole('button', { name: 'Pause' }).click();
  await other.getByRole('list', { name: 'Agents' }).getByText('Paused').first().waitFor();
  // The button was off while it worked; who uses the keyboard is still there.
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Enable');

  // Nothing comes through by which the server could tell it.
  await other.route('**/v1/stream', () => {});
  await other.reload();
  await other.getByText('Responder').first().waitFor();
  await page.getByRole('button', { name: 'Workspace and session' }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await other.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  expect(await other.getByText('Responder').count()).toBe(0);
  expect(complaints).toEqual([]);
}, 120_000);
