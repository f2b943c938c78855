import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { shared } from '../../test/shared.ts';
import { timeOf } from '../src/data/server-time.ts';
import { findCommands } from '../src/shell/find-commands.ts';
import { isOwnPath, keepWanted, takeWanted } from '../src/sign-in/wanted-page.ts';
import { fileBench, openApp } from './browser.ts';

const password = 'correct horse battery';
let email: string;
beforeAll(async () => {
  await shared('bundle');
  const bench = await fileBench();
  const cookie = await bench.signInAsOwner();
  await bench.call('PUT', '/v1/session/password', { cookie, body: { password } });
  email = (await bench.call('GET', '/v1/session', { cookie })).body.member.email;
}, 180_000);

const signIn = async (page: Page, word: string) => {
  await page.getByLabel('Email').fill(email);
  await page.keyboard.press('Tab');
  await page.keyboard.type(word);
  await page.keyboard.press('Enter');
};

test('a member signs in by keyboard or by a link, lands where the address led, and signs out', async () => {
  await using visit = await openApp({ signedIn: false, path: '/audit' });
  const { page, context, bench, complaints } = visit;
  await signIn(page, 'wrong password');
  await page.getByRole('alert').getByText('wrong').waitFor();
  expect(await page.getByLabel('Email').inputValue()).toBe(email);

  await page.getByLabel('Password').fill('');
  await signIn(page, password);
  await page.getByRole('heading', { name: 'Audit' }).waitFor();

  const session = page.getByRole('button', { name: 'Workspace and session' });
  await session.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click({ trial: true });
  await page.keyboard.press('Escape');
  // On a phone it is in the menu, and lies above that.
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Menu' }).click();
  await session.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  // Who leaves on purpose knows.
  expect(await page.getByText('Your session has ended').count()).toBe(0);
  // Nor is it kept where they were: whoever comes next begins at the overview.
  await page.waitForURL(new URL('/', bench.origin).href);
  await page.goto(await bench.signInLink());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();

  // A spent link on the way does not lose what was asked for.
  await context.clearCookies();
  await page.goto(new URL('/audit', bench.origin).href);
  await page.getByLabel('Email').waitFor();
  await page.goto(new URL('/sign-in/spent', bench.origin).href);
  await page.getByRole('link', { name: 'Go to the sign-in page' }).click();
  await page.getByLabel('Email').waitFor();
  await page.goto(await bench.signInLink());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  // That was once; and it leads to no other host.
  await page.goto(bench.origin);
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  expect(
    ['/audit?from=1#x', '//evil.example', '/\\evil.example', 'https://evil.example', ''].filter(isOwnPath),
  ).toEqual(['/audit?from=1#x']);
  expect(complaints).toEqual([]);
});

test('a session that ends in another tab shows the sign-in page here', async () => {
  await using visit = await openApp({ path: '/tools' });
  const { page, context, complaints } = visit;
  await page.getByRole('heading', { name: 'Tools', exact: true }).waitFor();
  await context.clearCookies();

  await page.keyboard.press('Control+k');
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a lost connection says so and recovers, also when the server refused it meanwhile', async () => {
  await using visit = await openApp({ path: '/runs' });
  const { page, context } = visit;
  const lost = page.getByText('The connection is lost.');
  await context.route('**/v1/stream', (route) => route.fulfill({ status: 503, body: '' }));
  await page.reload();
  await lost.waitFor();
  await context.unroute('**/v1/stream');
  await lost.waitFor({ state: 'detached' });
  expect(await page.getByRole('heading', { name: 'Runs' }).isVisible()).toBe(true);

  // A page whose code is not here yet does not take the window with it.
  await context.setOffline(true);
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor();
  await context.setOffline(false);
  await lost.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
});

test('what is slow to arrive is announced, at first and between pages', async () => {
  await using visit = await openApp({ path: '/runs' });
  const { page, context, bench } = visit;
  const held = Promise.withResolvers<void>();
  await context.route(/\/assets\/audit-page-/, (route) => held.promise.then(() => route.continue()));
  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByText('The page is being loaded …').waitFor();
  expect(await page.getByRole('heading', { name: 'Runs' }).isVisible()).toBe(true);
  held.resolve();
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  expect(await page.getByText('The page is being loaded …').count()).toBe(0);

  const first = Promise.withResolvers<void>();
  await context.route(/\/assets\/index-.*\.js/, (route) => first.promise.then(() => route.continue()));
  const fresh = await context.newPage();
  await fresh.goto(`${bench.origin}/runs`, { waitUntil: 'commit' });
  await fresh.getByText('Switchboard is being loaded …').waitFor();
  const second = Promise.withResolvers<void>();
  await context.route(/\/assets\/runs-pages-/, (route) => second.promise.then(() => route.continue()));
  const asked = fresh.waitForRequest(/\/assets\/runs-pages-/);
  first.resolve();
  await asked;
  // The router has drawn by now, if it were to.
  await fresh.waitForTimeout(1_000);
  expect(await fresh.getByText('Switchboard is being loaded …').isVisible()).toBe(true);
  second.resolve();
  await fresh.getByRole('heading', { name: 'Runs' }).waitFor();
  expect(await fresh.getByText('Switchboard is being loaded …').count()).toBe(0);
});

test('a first page that cannot be fetched says so, and comes when it is tried again', async () => {
  await using visit = await openApp({ path: '/tools' });
  const { context, bench } = visit;
  await context.route(/\/assets\/runs-pages-/, (route) => route.abort());
  const fresh = await context.newPage();
  await fresh.goto(`${bench.origin}/runs`);
  await fresh.getByRole('alert').waitFor();
  expect(await fresh.getByRole('heading', { level: 1 }).innerText()).toBe('This page broke');
  await context.unroute(/\/assets\/runs-pages-/);
  await fresh.getByRole('button', { name: /again/i }).click();
  await fresh.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
});

test.each([
  ['moves while it waits', undefined, 'running'],
  ['stands still for whoever wants no motion', 'reduce', 'finished'],
] as const)('what stands for a list that is still to come %s', async (_, reducedMotion, state) => {
  await using visit = await openApp({ path: '/tools', ...(reducedMotion && { reducedMotion }) });
  const { page, context } = visit;
  await context.route(/\/v1\/runs\?/, () => {});
  await page.getByRole('link', { name: 'Runs' }).click();
  const places = page.locator('[aria-busy=true] > [aria-hidden=true]');
  await places.first().waitFor();
  const states = () =>
    places.first().evaluate((each) => {
      // One that is over is listed no more.
      const [motion] = each.getAnimations();
      return motion?.playState ?? 'finished';
    });
  await expect.poll(states).toBe(state);
});

test('a page reads nothing twice, and what changed between reading and following it is shown, too', async () => {
  await using visit = await openApp({ path: '/audit' });
  const { page, context, bench, complaints } = visit;
  const fresh = await context.newPage();
  // However busy the machine is, the page waits until changes are told; it would begin to read after a second.
  await fresh.addInitScript(
    'const { setTimeout: wait } = window; window.setTimeout = (act, ms) => wait(act, ms === 1000 ? 60000 : ms);',
  );
  const asked: string[] = [];
  fresh.on('request', (request) => asked.push(request.url()));
  await fresh.goto(page.url());
  await fresh.getByRole('heading', { name: 'Audit' }).waitFor();
  await expect.poll(() => asked.some((url) => url.includes('/v1/audit'))).toBe(true);
  await expect.poll(() => fresh.locator('[aria-busy=true]').count()).toBe(0);
  await fresh.close();
  const read = asked.slice(asked.findIndex((url) => url.endsWith('/v1/stream'))).filter((url) => url.includes('/v1/'));
  expect(read.filter((url, at) => read.indexOf(url) !== at)).toEqual([]);

  const id = await bench.connectBoard();
  const steps = [{ key: 'it', step: 'board.get_boards', account: { id }, input: {} }];
  const make = async (name: string) =>
    expect((await bench.owned('POST', '/v1/tools', { name, inputs: [], steps })).status).toBe(201);
  const held = Promise.withResolvers<void>();
  await page.route('**/v1/stream', async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(new URL('/tools', bench.origin).href);
  await page.getByRole('heading', { name: 'Tools', level: 1 }).waitFor();
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  await make('Made meanwhile');
  held.resolve();
  await page.getByText('Made meanwhile').first().waitFor();

  // On a slow line the first answer comes when changes are told already, and is older than that.
  const [answered, followed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(
    /\/v1\/tools(\?|$)/,
    async (route) => {
      const answer = await route.fetch();
      answered.resolve();
      await followed.promise;
      await route.fulfill({ response: answer });
    },
    { times: 1 },
  );
  await page.unroute('**/v1/stream');
  await page.route('**/v1/stream', async (route) => {
    await answered.promise;
    await make('Made on a slow line');
    await route.continue();
    setTimeout(followed.resolve, 1_000);
  });
  await page.reload();
  await page.getByText('Made on a slow line').first().waitFor();
  await page.unroute('**/v1/stream');
  await page.getByLabel('Find by name').fill('made earlier');
  await page.getByText('No tool is called that').waitFor();
  await page.getByLabel('Find by name').fill('MEAN');
  await page.getByRole('link', { name: 'Made meanwhile' }).waitFor();
  expect(complaints).toEqual([]);
});

test('a failing server is named, and asked again on request', async () => {
  await using visit = await openApp({ signedIn: false });
  const { page, context } = visit;
  const body = JSON.stringify({ error: { code: 'internal', message: 'Our bug.', requestId: 'req_1' } });
  await context.route('**/v1/session', (route) =>
    route.fulfill({ status: 500, contentType: 'application/json', body }),
  );
  await page.reload();
  await page.getByRole('alert').getByText('Our bug.').waitFor();
  await page.getByText('Reference: req_1').waitFor();

  await context.unroute('**/v1/session');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(await page.getByText('Our bug.').count()).toBe(0);
});

test('Ctrl K and a few letters lead anywhere; Escape leads back; an address of nothing, and of what is gone, says so', async () => {
  await using visit = await openApp({ path: '/nowhere' });
  const { page, bench, complaints } = visit;
  await page.getByRole('heading', { name: 'This address leads nowhere' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('who changed');
  await page.getByRole('option', { name: 'Audit' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Audit' }).waitFor();
  // Who hears pages is told where this led.
  await expect.poll(() => page.evaluate('document.activeElement.outerHTML')).toMatch(/^<h1.*Audit/);

  // What the keys have chosen is in sight, also where not all fit.
  await page.setViewportSize({ width: 1440, height: 300 });
  await page.keyboard.press('Control+k');
  await page.keyboard.press('ArrowUp');
  const chosen = page.locator('[role=option][aria-selected=true]');
  await expect.poll(() => chosen.evaluate((option) => option.getBoundingClientRect().bottom)).toBeLessThan(300);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.keyboard.type('zzz');
  await page.getByText('Nothing has this name.').waitFor();
  const runner = { type: 'model', input: {} };
  await bench.owned('POST', '/v1/agents', { name: 'Zzz, made meanwhile', tools: [], runner });
  await page.getByRole('option', { name: 'Zzz, made meanwhile Agent' }).waitFor();
  await page.keyboard.press('Escape');
  await page.goBack();
  await page.getByRole('heading', { name: 'This address leads nowhere' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('broken');
  await page.getByRole('option', { name: 'Broken triggers' }).click();
  await page.waitForURL(/\/triggers\?state=broken$/);
  await page.getByRole('heading', { name: 'No trigger is like that' }).waitFor();

  await page.goto(new URL('/tools/tool_gone', bench.origin).href);
  await page.getByRole('heading', { name: 'There is no such tool.' }).waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.goto(new URL('/triggers/trg_gone', bench.origin).href);
  await page.getByRole('heading', { name: 'There is no such trigger.' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'All triggers' }).click();
  await page.getByRole('heading', { name: 'Triggers', level: 1 }).waitFor();

  const { body: agent } = await bench.owned('POST', '/v1/agents', { name: 'Short-lived', tools: [], runner });
  await page.goto(new URL('/agents', bench.origin).href);
  await page.getByRole('link', { name: 'Short-lived' }).click();
  await page.getByRole('heading', { name: 'Short-lived' }).waitFor();
  await bench.owned('DELETE', `/v1/agents/${agent.id}`);
  await page.getByRole('alert').getByText('This does not exist any more.').waitFor();

  const { body: kept } = await bench.owned('POST', '/v1/agents', { name: 'Long-lived', tools: [], runner });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit' }).click();
  await page.getByText('made the agent “Long-lived”').click();
  await page.getByRole('link', { name: 'Long-lived' }).click();
  await page.getByRole('heading', { name: 'Long-lived' }).waitFor();
  expect(page.url()).toContain(kept.id);
  expect(complaints).toEqual([]);
}, 90_000);

test('a whole name leads before names that hold more', () => {
  const titles = ['Agent 33', 'Agent 31', 'Agent 3', 'Agents'];
  const found = findCommands(
    titles.map((title) => ({ title, hint: 'Agent', to: '/' })),
    ' agent 3',
  );
  expect(found.map(({ title }) => title)).toEqual(['Agent 3', 'Agent 33', 'Agent 31']);
});

test('a browser that keeps nothing, as here, loses the page that was asked for and nothing else', () => {
  expect('localStorage' in globalThis).toBe(false);
  keepWanted({ pathname: '/audit', search: '', hash: '' } as Location);
  expect(takeWanted()).toBeUndefined();
});

test('the time is that of the server, unless both agree or its answer waited on the way', async () => {
  const told = Date.parse('2026-11-02T09:00:00Z');
  let here = told;
  const time = timeOf(() => here);
  const ask = (arrivesAt: number) => {
    const answer = async () => {
      here = arrivesAt;
      return new Response('', { headers: { date: new Date(told).toUTCString() } });
    };
    return time.hearing(answer)('/v1/session');
  };
  await ask(told + 1_900);
  expect(time.now()).toBe(here);
  await ask(told + 600_000);
  expect(time.now()).toBe(here);
  await ask(told + 600_000);
  expect(time.now()).toBe(told + 500);
  here -= 900_000;
  await ask(told - 300_000);
  expect(time.now()).toBe(told + 500);
});

test('a theme that was chosen is kept', async () => {
  await using visit = await openApp();
  const { page } = visit;
  const scheme = () => page.evaluate('getComputedStyle(document.documentElement).colorScheme');
  await page.getByRole('button', { name: 'Theme: system' }).click();
  await page.getByRole('button', { name: 'Theme: light' }).click();
  expect(await scheme()).toBe('dark');
  await page.reload();
  await page.getByRole('button', { name: 'Theme: dark' }).waitFor();
  expect(await scheme()).toBe('dark');
});
