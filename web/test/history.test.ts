import { setTimeout } from 'node:timers/promises';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Answer, Workbench } from '#test';
import { SwitchboardError } from '../../client/src/index.ts';
import { runStatement } from '../../test/run-statement.ts';
import { momentsOf } from '../src/data/days.ts';
import { once } from '../src/data/once.ts';
import { refresh, refreshInTurn } from '../src/data/use-read.ts';
import { kinds } from '../src/pages/audit/audit-words.ts';
import { toQuery } from '../src/pages/audit/use-wanted.ts';
import { duration } from '../src/ui/duration.ts';
import { fileBench, openApp } from './browser.ts';

// A busy machine draws slowly.
vi.setConfig({ testTimeout: 60_000 });

let bench: Workbench;
let accountId: string;
let toolId: string;
let agentId: string;

const made = async (path: string, body: unknown): Promise<Answer['body']> => {
  const answer = await bench.owned('POST', path, body);
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return answer.body;
};
const deliver = async (subject: string): Promise<void> => {
  const mail = { to: 'ada@sandbox.test', from: 'zoe@example.com', subject, body: 'Words' };
  const headers = { 'content-type': 'application/json' };
  await fetch(`${bench.mail.url}/_control/deliver`, {
    method: 'POST',
    headers,
    body: JSON.stringify(mail),
  });
};

beforeAll(async () => {
  bench = await fileBench();
  accountId = await bench.connectMail();
  const tool = await made('/v1/tools', {
    name: 'Write to Ben',
    inputs: [{ name: 'about', type: 'string', required: true }],
    steps: [
      {
        key: 'send',
        step: 'mail.send_email',
        account: { id: accountId },
        input: { to: ['ben@sandbox.test'], subject: 'About {{inputs.about}}', body: 'Hello' },
      },
    ],
  });
  toolId = tool.id;
  const input = { about: '{{event.data.message.subject}}' };
  agentId = (
    await made('/v1/agents', {
      name: 'Writer',
      instructions: '',
      tools: [{ toolId }],
      runner: { type: 'tool', toolId, input },
    })
  ).id;
});

test('of a list by days both days are in it, from midnight to midnight where the person sits', () => {
  const { from, to } = momentsOf({ from: '2026-02-27', to: '2026-02-28' });
  expect([new Date(from ?? ''), new Date(to ?? '')]).toEqual([new Date(2026, 1, 27), new Date(2026, 2, 1)]);
  expect(momentsOf({ from: '', to: 'soon' })).toEqual({ from: undefined, to: undefined });
});

test('a workspace without a trigger is led there; charts can be read by keyboard and as tables', async () => {
  await using visit = await openApp({ width: 390 });
  const { page, complaints } = visit;
  await page.getByRole('link', { name: 'Connect an account (done)' }).waitFor();
  await page.getByRole('link', { name: 'Add a trigger' }).waitFor();
  const chart = page.getByRole('group', { name: 'Runs by status' });
  await chart.focus();
  await page.keyboard.press('End');
  await chart.getByText('Nothing').waitFor();
  await page.getByText('As a table').first().click();
  await page.getByRole('columnheader', { name: 'Fired' }).waitFor();
  await page.getByRole('button', { name: '24 hours' }).click();
  await page.getByRole('rowheader', { name: '00:00' }).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(complaints).toEqual([]);
});

test('a time that passed is told in whole parts', () => {
  const told = [999, 999.7, 59_940, 59_990, 119_700, 3_599_400, 3_599_600, 11_100_000, 187_200_000].map(duration);
  const expected = ['999 ms', '1.0 s', '59.9 s', '1 min 0 s', '2 min 0 s', '59 min 59 s', '1 h 0 min', '3 h 5 min'];
  expect(told).toEqual([...expected, '2 d 4 h']);
});

test('a run is followed as it goes on, is cancelled, and is tried again as a run of its own', async () => {
  const first = await made(`/v1/tools/${toolId}/run`, { input: { about: 'one' } });
  await using visit = await openApp({ path: `/runs/${first.runId}` });
  const { page, complaints } = visit;
  await page.getByRole('heading', { name: 'Run of Write to Ben' }).waitFor();
  await page.getByText('Asked for approval').waitFor();
  await made(`/v1/approvals/${first.approval.id}/approve`, { digest: first.approval.digest });
  const journal = page.getByRole('list', { name: 'Journal' });
  await journal.getByText('Finished').waitFor();
  await journal.getByRole('heading', { name: 'Send Email' }).getByText('send · mail.send_email').waitFor();
  await journal.getByText('POST /me/messages', { exact: true }).waitFor();
  // The service's ids, as long as a line, are folded away.
  const whole = journal.getByText(/^\/me\/messages\/[^/…]{24,}\/send$/);
  expect(await whole.isVisible()).toBe(false);
  await journal.getByText('POST /me/messages/…/send', { exact: true }).click();
  await whole.waitFor();
  await journal.getByText('Request id at the service').filter({ visible: true }).waitFor();
  await journal.getByRole('link', { name: 'See what it asked for, and who decided' }).waitFor();

  const second = await made(`/v1/tools/${toolId}/run`, { input: { about: 'two' } });
  await page.goto(`${bench.origin}/runs/${second.runId}`);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByRole('alert').getByText('Cancelled by').waitFor();
  expect(await page.getByRole('alert').innerText()).toBe('Cancelled by Owner.');
  expect((await bench.owned('GET', `/v1/approvals/${second.approval.id}`)).body.status).toBe('void');
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('link', { name: 'An earlier run' }).waitFor();
  expect(page.url()).not.toContain(second.runId);
  expect(complaints).toEqual([]);
});

test('what happened to a mail is found by its id or by what people remember of it, with the reason, and can be replayed', async () => {
  const config = { searchFilter: 'subject:order' };
  await made('/v1/triggers', { agentId, type: 'mail.new_email', accountId, config });
  await deliver('An order');
  await deliver('A joke');
  const events = async (): Promise<Answer['body'][]> => (await bench.owned('GET', '/v1/events')).body.items;
  await expect.poll(async () => (await events()).length).toBe(2);
  const all = await events();
  const idOf = (subject: string): string => all.find(({ summary }) => summary.startsWith(subject)).upstreamId;

  await using visit = await openApp({ path: '/events', width: 390 });
  const { page, complaints } = visit;
  await page.getByRole('searchbox').fill(idOf('A joke'));
  await page.keyboard.press('Enter');
  await page.getByText('The configuration did not admit it').waitFor();
  expect(await page.getByRole('list', { name: 'Events' }).getByRole('listitem').count()).toBe(1);
  await page.reload();
  await page.getByRole('link', { name: 'A joke' }).waitFor();
  // Nobody is shown an id by their mail program: the subject and the sender find it as well.
  const sought = async (text: string) => {
    await page.getByRole('searchbox').fill(text);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('query') === text);
  };
  await sought('zoe@EXAMPLE.com  joke');
  await page.getByRole('link', { name: 'A joke' }).waitFor();
  expect(await page.getByRole('list', { name: 'Events' }).getByRole('listitem').count()).toBe(1);
  await sought('order joke');
  await page.getByRole('heading', { name: 'No event tells of this' }).waitFor();
  await sought(`order ${'%_'.repeat(150)}`);
  await page.getByRole('heading', { name: 'No event tells of this' }).waitFor();
  await sought('joke');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('To', { exact: true }).fill('2020-02-02');
  await page.getByRole('heading', { name: 'No event tells of this' }).waitFor();
  await page.getByLabel('To', { exact: true }).fill('');
  await page.getByRole('link', { name: 'A joke' }).waitFor();
  // Another kind of id is not taken for proof that nothing watches.
  await page.getByRole('searchbox').fill('<1234@mail.example>');
  await page.keyboard.press('Enter');
  await page.getByText('not the Message-ID of a mail program').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  // Which agent it was for is told: many have a trigger of this kind.
  await page.getByRole('listitem').filter({ hasText: 'An order' }).getByText('New Email, Writer').waitFor();
  // What happens next is shown, and not a trigger is read again for it.
  const [{ id: triggerId }] = (await bench.owned('GET', '/v1/triggers')).body.items;
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const { body: test } = await bench.owned('POST', `/v1/triggers/${triggerId}/test`);
  await page.locator(`a[href="/events/${test.id}"]`).waitFor();
  expect(asked).not.toContain('/v1/triggers');
  await page.getByRole('searchbox').fill(all.find(({ summary }) => summary.startsWith('An order')).id);
  await page.keyboard.press('Enter');
  const told = page.getByRole('region', { name: 'What the agent is told' });
  await told.getByText('An order').first().waitFor();
  await told.getByText('All of it, as JSON').click();
  await told.getByText(idOf('An order')).waitFor();
  expect(await page.title()).toMatch(/^An order.* · Event · Switchboard$/);
  // Fingers do not hover: the exact time is there to read.
  await page
    .getByText(/^\w{3} \d+, \d{4}, \d+:\d\d:\d\d [AP]M \(/)
    .first()
    .waitFor();

  await page.getByRole('button', { name: 'Replay the event' }).click();
  await page.getByText('may be done a second time').waitFor();
  await page.getByRole('button', { name: 'Start it again' }).click();
  await page.getByRole('heading', { name: 'Run of Writer' }).waitFor();
  expect((await bench.owned('GET', '/v1/events')).body.items).toMatchObject([{ delivery: 'replay' }, {}, {}, {}]);
  expect(complaints).toEqual([]);
});

const copyOfEvent = (id: string, over: string): Promise<void> =>
  runStatement(
    bench.connectionString,
    `set app.workspace = '*'; insert into events select (jsonb_populate_record(null::events, to_jsonb(e)
      || jsonb_build_object('id', '${id}', 'key', '${id}', 'run_id', null) || '${over}')).*
    from events e where outcome = 'fired' order by id limit 1`,
  );

test('what was given up is listed apart from what is tried again', async () => {
  const failed = { outcome: 'failed', reason: 'The service was away', attempts: 8 };
  const later = new Date(Date.now() + 86_400_000);
  await copyOfEvent('evt_dead', JSON.stringify({ ...failed, summary: 'Given up', retry: 'dead' }));
  const retried = { ...failed, summary: 'Tried again', retry: 'retrying', next_try_at: later };
  await copyOfEvent('evt_retried', JSON.stringify(retried));
  await using visit = await openApp({ path: '/events', width: 390 });
  const { page, complaints } = visit;
  const rows = page.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await page.getByRole('button', { name: 'Filters' }).click();
  await page.getByLabel('Outcome').selectOption('Failed');
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByLabel('Outcome').selectOption('Given up');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.getByText('Given up after 8 tries: The service was away').waitFor();
  await page.reload();
  await rows.getByRole('link', { name: 'Given up' }).waitFor();
  expect(await rows.count()).toBe(1);
  await rows.getByText('Dead', { exact: true }).waitFor();

  await page.goto(new URL('/', page.url()).href);
  const needs = page.getByRole('list', { name: 'Needs you' }).getByRole('listitem');
  await needs.filter({ hasText: '1 event was given up' }).getByRole('link', { name: 'See why' }).click();
  await rows.getByText('Dead', { exact: true }).waitFor();

  const replay = { key: 'replay evt_dead 1', delivery: 'replay', summary: 'Given up' };
  await copyOfEvent('evt_replay', JSON.stringify(replay));
  await page.reload();
  await rows.getByText('Replayed', { exact: true }).waitFor();
  expect(await rows.getByText('Dead', { exact: true }).count()).toBe(0);
  await rows.getByRole('link', { name: 'A replay started the agent' }).click();
  await page.waitForURL(/\/events\/evt_replay$/);
  await page.goto(new URL('/', page.url()).href);
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  expect(await page.getByText('was given up').count()).toBe(0);

  // Replayed before it was tried again.
  await copyOfEvent('evt_once', JSON.stringify({ ...failed, attempts: 1, retry: 'dead' }));
  await page.goto(new URL('/events/evt_once', page.url()).href);
  await page.getByText('Given up after 1 try: The service was away').waitFor();
  expect(complaints).toEqual([]);
});

test('a replay of what started nothing is not said to start the agent again', async () => {
  const left = { outcome: 'skipped', reason: 'junk', summary: 'Left out', data: null };
  await copyOfEvent('evt_skipped', JSON.stringify(left));
  await using visit = await openApp({ path: '/events/evt_skipped' });
  const { page, complaints } = visit;
  await page.getByRole('button', { name: 'Replay the event' }).click();
  const dialog = page.getByRole('dialog', { name: 'Judge this event anew?' });
  await dialog.getByText('The agent was not started from it.').waitFor();
  expect(await dialog.getByText('may be done a second time').count()).toBe(0);
  await dialog.getByRole('button', { name: 'Judge it anew' }).click();
  await page.waitForURL(/\/(events\/(?!evt_skipped)|runs\/)/);
  expect(complaints).toEqual([]);
});

test('what happened can be read beside the longest names', async () => {
  const { id, name } = (await bench.owned('GET', '/v1/triggers')).body.items[0];
  await bench.owned('PATCH', `/v1/triggers/${id}`, { name: 'Mail about orders and deliveries '.repeat(6) });
  await using visit = await openApp({ path: '/events', width: 1280 });
  const { page, complaints } = visit;
  const row = page.getByRole('list', { name: 'Events' }).getByRole('listitem').first();
  await row.getByText('Mail about orders').waitFor();
  const box = await row.getByRole('link').first().locator('..').boundingBox();
  expect(box?.width ?? 0).toBeGreaterThan(400);
  // On a usual screen what narrows a list is one row.
  for (const path of ['/events', '/runs', '/approvals']) {
    await page.goto(new URL(path, bench.origin).href);
    const bar = page.getByRole('search').locator('..');
    await bar.waitFor();
    // What is offered comes a moment later, and moves what stands there.
    const rows = async () => {
      const tops = await bar.locator('.field').evaluateAll((all) => all.map((each) => each.getBoundingClientRect().y));
      return [path, new Set(tops).size, tops.length > 3];
    };
    await expect.poll(rows).toEqual([path, 1, true]);
  }
  await bench.owned('PATCH', `/v1/triggers/${id}`, { name });
  expect(complaints).toEqual([]);
});

test('ten thousand runs are paged through without a jam, and filters stay in the address and offer every agent', async () => {
  const { body: workspace } = await bench.owned('GET', '/v1/workspace');
  await runStatement(
    bench.connectionString,
    `set app.workspace = '*';
    insert into runs (id, workspace_id, step_id, status, started_by, input, may_send, created_at, finished_at, error)
    select 'run_0' || lpad(n::text, 25, '0'), '${workspace.id}', 'mail.find_email',
      case when n % 100 = 0 then 'failed' else 'succeeded' end, '{"kind":"system","id":"x","name":"Load"}', '{}', false,
      now() - interval '2 days', now() - interval '2 days',
      case when n % 100 = 0 then '{"code":"internal","message":"Row ' || n || '"}' end::json
    from generate_series(1, 10000) n`,
  );
  // So many newer ones that the agent that ran stands on another page of the list.
  await runStatement(
    bench.connectionString,
    `set app.workspace = '*';
    insert into agents select (jsonb_populate_record(null::agents, to_jsonb(a) || jsonb_build_object(
      'id', 'agt_9' || lpad(n::text, 25, '0'), 'name', 'Newer ' || n, 'created_at', now()))).*
    from agents a, generate_series(1, 101) n where a.id = '${agentId}';
    insert into agent_versions (workspace_id, agent_id, version, definition, made_by, created_at)
    select v.workspace_id, a.id, v.version, (v.definition::jsonb || jsonb_build_object('name', a.name))::json,
      v.made_by, v.created_at
    from agent_versions v, agents a where v.agent_id = '${agentId}' and a.id like 'agt_9%'`,
  );
  await using visit = await openApp({ path: '/runs' });
  const { page, complaints } = visit;
  const rows = page.getByRole('list', { name: 'Runs' }).getByRole('listitem');
  await rows.first().waitFor();
  expect(await rows.count()).toBeLessThan(200);
  const scrolled = async () => {
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    return rows.count();
  };
  // While one thing happens after the other, a list that is read slowly is read to its end each time.
  let isBrokenOff = false;
  let asked = 0;
  page.on('requestfailed', (request) => {
    isBrokenOff ||= request.url().includes('/v1/runs?');
  });
  await page.route('**/v1/runs?**', async (route) => {
    asked += 1;
    await setTimeout(400);
    await route.continue();
  });
  const whileBusy = async () => {
    await bench.owned('POST', `/v1/tools/${toolId}/run`, { input: { about: 'one of many' } });
    return asked;
  };
  await expect.poll(whileBusy, { interval: 50 }).toBeGreaterThan(2);
  expect(isBrokenOff).toBe(false);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await expect.poll(scrolled).toBeGreaterThanOrEqual(200);
  await page.getByLabel('Status').selectOption('Failed');
  await page.getByText('Row 10000').waitFor();
  expect(page.url()).toContain('status=failed');
  await rows.first().click();
  await page.getByRole('alert').getByText('Row 10000').waitFor();
  await page.goBack();
  await page.getByText('Row 9900').waitFor();
  // One of them is found by what it said, and by the day: those of long ago are not of today.
  await page.getByRole('searchbox').fill('row 7700');
  await page.keyboard.press('Enter');
  await expect.poll(() => rows.allInnerTexts()).toEqual([expect.stringContaining('Row 7700')]);
  await page.getByLabel('From', { exact: true }).fill(new Date().toISOString().slice(0, 10));
  await page.getByRole('heading', { name: 'No run is like that' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'No run is like that' }).waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  // Among so many, one is looked for by its name: by keyboard alone.
  const agent = page.getByRole('combobox', { name: 'Agent' });
  await agent.click();
  await page.getByText('3 more are not shown. Type a part of the name to find them.').waitFor();
  await page.keyboard.type('writ');
  await page.keyboard.press('Enter');
  expect(await agent.inputValue()).toBe('Writer');
  await rows.getByText('Writer', { exact: true }).first().waitFor();

  // An account that stands on another page of its list, too, is found by typing, and shown.
  await runStatement(
    bench.connectionString,
    `set app.workspace = '*';
    insert into accounts select (jsonb_populate_record(null::accounts, to_jsonb(a) || jsonb_build_object(
      'id', 'acc_9' || lpad(n::text, 25, '0'), 'name', 'Newer ' || n, 'identity_id', n::text))).*
    from accounts a, generate_series(1, 51) n where a.id = '${accountId}'`,
  );
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Page, agent, tool or account' }).fill('ada@sandbox.test');
  await page.getByRole('option', { name: /^ada@sandbox.test/ }).click();
  await page.getByRole('article', { name: 'ada@sandbox.test' }).getByRole('button', { expanded: true }).waitFor();

  // Where more need somebody than are named, the overview says so and leads to them.
  await runStatement(
    bench.connectionString,
    `set app.workspace = '*'; update accounts set state = 'needs_reconnect' where id like 'acc_9%'`,
  );
  await page.goto(bench.origin);
  await page.getByText('31 more accounts need to be connected again').waitFor();
  await page.getByRole('link', { name: 'All of Mail' }).click();
  await page.getByRole('article', { name: 'Newer 51' }).waitFor();
  expect(await page.getByRole('article', { name: 'ada@sandbox.test' }).count()).toBe(0);
  expect(complaints).toEqual([]);
});

test('what is pressed again because its answer was lost is asked for with the same key, and not done twice', async () => {
  let now = 0;
  const doOnce = once(() => now);
  const keys: unknown[] = [];
  const ask = async (route: string, name: string, failure?: object) => {
    const asked = doOnce(route, { body: { name } }, async ({ idempotencyKey }) => {
      keys.push(idempotencyKey);
      if (failure !== undefined) throw failure;
    });
    await asked.catch(() => {});
  };
  const lost = new SwitchboardError(0, { code: 'unreachable', message: '' });
  const handled = new SwitchboardError(409, { code: 'conflict', message: '', retryAfterMs: 1_000 });
  const refused = new SwitchboardError(400, { code: 'invalid_input', message: '' });

  const inDoubt = new SwitchboardError(503, { code: 'unavailable', message: '', details: { inDoubt: true } });

  for (const failure of [lost, handled, inDoubt, undefined]) await ask('POST /v1/triggers', 'A', failure);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[\d-]{7,43}$/);
  await expect(doOnce('POST /v1/tools', {}, () => Promise.reject(lost))).rejects.toThrow('it is not done twice');
  // It is known what came of it by then, or it is another one.
  for (const failure of [refused, lost, undefined]) await ask('POST /v1/triggers', 'A', failure);
  await ask('POST /v1/triggers', 'B');
  expect(new Set(keys).size).toBe(4);
  await ask('POST /v1/triggers', 'C', lost);
  now = 3_600_000;
  await ask('POST /v1/triggers', 'C');
  expect(new Set(keys).size).toBe(6);
  // To stop once more is meant anew.
  for (const failure of [lost, undefined]) await ask('POST /v1/stop', 'A', failure);
  expect(keys.slice(-2)).toEqual([undefined, undefined]);
});

test('what is looked through page after page is not begun anew with each hint', async () => {
  const client = new QueryClient();
  const isReadAgain = async (asked: object, pages: number, of = 'runs'): Promise<boolean> => {
    const key = [`GET /v1/${of}`, 'pages', asked, undefined];
    client.setQueryData(key, { pages: Array.from({ length: pages }, () => ({ items: [] })), pageParams: [] });
    await refreshInTurn(client, [of]);
    return client.getQueryState(key)?.isInvalidated ?? false;
  };
  expect(await isReadAgain({ query: 'order' }, 2)).toBe(false);
  expect(await isReadAgain({ to: '2026-11-01T00:00:00.000Z' }, 2)).toBe(false);
  expect(await isReadAgain({ query: 'order' }, 1)).toBe(true);
  expect(await isReadAgain({ query: 'order' }, 2, 'approvals')).toBe(true);
  expect(await isReadAgain({ status: 'failed', to: undefined }, 2)).toBe(true);
});

test('a list whose first reading was still under way when something was added to it shows it', async () => {
  const client = new QueryClient();
  const slow = Promise.withResolvers<void>();
  const there = ['Ada'];
  const queryFn = async () => {
    const answer = [...there];
    await slow.promise;
    return answer;
  };
  const list = new QueryObserver(client, { queryKey: ['GET /v1/members', 'pages', {}, undefined], queryFn });
  const leave = list.subscribe(() => {});
  there.push('Vera');
  const refreshed = refresh(client, ['members']);
  slow.resolve();
  await refreshed;
  expect(list.getCurrentResult().data).toEqual(['Ada', 'Vera']);
  leave();
});

test('every kind of record that can be chosen is one that the API looks for', async () => {
  const nothing = { text: '', account: '', agent: '', effect: '', from: '', to: '' };
  const asked = kinds.map(([kind]) => new URLSearchParams(toQuery({ kind, ...nothing })).toString());
  expect(asked).toContain('action=effect');
  const answers = await Promise.all(asked.map((query) => bench.owned('GET', `/v1/audit?${query}`)));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
});

test.each(['Pacific/Kiritimati', 'Pacific/Pago_Pago'])(
  'charts count the days of %s for whoever sits there',
  async (timezoneId) => {
    await bench.owned('POST', `/v1/tools/${toolId}/run`, { input: { about: 'days' } });
    await using visit = await openApp({ timezoneId });
    const { page, complaints } = visit;
    await page.getByText(`Days from midnight to midnight, ${timezoneId.replaceAll('_', ' ')} time`).waitFor();
    await page.getByText('As a table').last().click();
    const today = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: timezoneId });
    const last = page.getByRole('region', { name: 'Runs by status, as a table' }).getByRole('row').last();
    expect(await last.getByRole('rowheader').innerText()).toBe(today.format(new Date()));
    expect(await last.getByRole('cell').allInnerTexts()).toContainEqual(expect.stringMatching(/^[1-9]/));
    expect(complaints).toEqual([]);
  },
);

test('a zone that the server does not know is counted in UTC, and said so', async () => {
  await using visit = await openApp({ path: '/audit' });
  const { page } = visit;
  await page.route(/\/v1\/overview\?.*timeZone/, (each) =>
    each.fulfill({
      status: 400,
      contentType: 'application/json',
      body: JSON.stringify({ error: { code: 'invalid_input', message: 'This zone is not known.' } }),
    }),
  );
  await page.goto(bench.origin);
  await page.getByText('Days from midnight to midnight, UTC time').waitFor();
  expect(await page.getByRole('alert').filter({ hasText: 'not known' }).count()).toBe(0);
});
