import type { Page } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Answer, Workbench } from '#test';
import { runStatement } from '../../test/run-statement.ts';
import { fileBench, openApp } from './browser.ts';

/** Everything that mail has ever tried; whatever worked would call for `pwned`, a dialog or another place. */
const markup = `
<script>window.pwned = 'script'; parent.pwned = 'script'; alert(1)</script>
<img src="https://tracker.example/pixel.gif" onerror="parent.pwned = 'onerror'" srcset="https://tracker.example/2x.gif 2x">
<img src=x onerror=parent.pwned='relative'>
<svg onload="parent.pwned='svg'"><script>parent.pwned='svg script'</script><image href="https://tracker.example/svg.png"/>
  <foreignObject><iframe src="https://tracker.example/in-svg"></iframe></foreignObject></svg>
<math><mtext><table><mglyph><style><!--</style><img title="--><img src=1 onerror=parent.pwned='mxss'>"></table></mtext></math>
<style>@import url(https://tracker.example/a.css); body { background: url(https://tracker.example/b.png) }</style>
<link rel="stylesheet" href="https://tracker.example/c.css"><link rel="prefetch" href="https://tracker.example/d">
<meta http-equiv="refresh" content="0; url=https://tracker.example/refresh"><base href="https://tracker.example/">
<div style="background-image: url('https://tracker.example/e.png'); position: fixed; inset: 0; z-index: 999">cover</div>
<div style="background:u\\72l(https://tracker.example/f.png);list-style-image:image-set('https://tracker.example/g.png' 1x)">css</div>
<table background="https://tracker.example/h.png"><tr><td background="https://tracker.example/i.png">cell</td></tr></table>
<form action="https://tracker.example/form" id="content" name="body"><input name="children" autofocus onfocus="parent.pwned='focus'">
  <button formaction="https://tracker.example/go">Approve</button></form>
<iframe src="https://tracker.example/frame" srcdoc="<script>top.pwned='srcdoc'</script>"></iframe>
<object data="https://tracker.example/o"></object><embed src="https://tracker.example/p">
<video src="https://tracker.example/v" autoplay poster="https://tracker.example/w"></video><audio src="https://tracker.example/x" autoplay></audio>
<a href="javascript:parent.pwned='link'" ping="https://tracker.example/ping">press me</a>
<a href="https://tracker.example/paypal">https://paypal.example/login</a>
<details open ontoggle="parent.pwned='toggle'">details</details><p onmouseover="parent.pwned='hover'">The last words</p>`;
const odd = 'Pay \u202egnp.exe\u202c zero\u200b\u200d\u2060width \u2066isolate\u2069';

// A busy machine draws slowly.
vi.setConfig({ testTimeout: 60_000 });

let bench: Workbench;
let accountId: string;
beforeAll(async () => {
  bench = await fileBench();
  accountId = await bench.connectMail();
});

const ask = async (input: object): Promise<Answer['body']> =>
  (await bench.owned('POST', '/v1/steps/mail.send_email/run', { accountId, input })).body.approval;

/** The page still answers: within the time of a blink it draws and reacts. */
const isAwake = async (page: Page): Promise<boolean> => {
  const frames = page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))',
  );
  return (await frames) === true;
};

const hostileVisit = async (path: string) => {
  const visit = await openApp({ path });
  const dialogs: string[] = [];
  visit.page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const harm = async () => ({
    pwned: await visit.page.evaluate('window.pwned ?? null'),
    dialogs,
    elsewhere: visit.elsewhere,
    // What the policy itself stopped, while the markup was being made harmless, is its work and no harm.
    complaints: visit.complaints.filter((each) => !each.includes('The action has been blocked')),
    awake: await isAwake(visit.page),
  });
  return { ...visit, harm };
};
const unharmed = { pwned: null, dialogs: [], elsewhere: [], complaints: [], awake: true };

test('hostile markup in an approval runs nothing and reaches nobody, however it is shown', async () => {
  const { id } = await ask({
    to: ['ben@sandbox.test'],
    subject: `${odd} <img src=x onerror=alert(1)>`,
    body: markup,
    bodyFormat: 'html',
  });
  await using visit = await hostileVisit(`/approvals/${id}`);
  const { page, harm } = visit;
  const frame = page.frameLocator('iframe');
  const last = frame.getByText('The last words');
  await last.hover();
  await frame.getByText('press me').click();
  await frame.getByText('https://paypal.example/login').click();
  await page
    .getByText('A link reads “https://paypal.example/login” and leads to https://tracker.example/paypal.')
    .waitFor();
  await page.getByText('U+202E').first().waitFor();
  // The window is called by it, and what would reorder its words is not obeyed there either.
  expect(await page.title()).toMatch(/^Pay ·gnp\.exe· zero···width .* · Approval · Switchboard$/);
  expect(
    await frame
      .locator('script, form, input, svg, iframe, style, link, meta[http-equiv=refresh], [href], [onerror]')
      .count(),
  ).toBe(0);
  // What would cover the page stays where it is, inside its frame.
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await page.getByRole('region', { name: 'The body as text' }).getByText('The last words').waitFor();
  await page.getByRole('button', { name: 'Exact request' }).click();
  await page.getByText('POST /me/messages', { exact: true }).waitFor();
  expect(await harm()).toEqual(unharmed);
  expect((await bench.owned('GET', `/v1/approvals/${id}`)).body.status).toBe('pending');
});

test('a very long body is shown whole, as text at first, and the page stays awake', async () => {
  const { id } = await ask({ to: ['ben@sandbox.test'], subject: 'Long', body: 'Hello' });
  const length = 2_000_000;
  await runStatement(
    bench.connectionString,
    `set app.workspace = '*';
    update approvals set view = jsonb_set(view::jsonb, '{body}', jsonb_build_object(
      'text', repeat('a' || chr(8203), ${length / 2}) || ' The very end',
      'html', repeat('<p onclick="pwned=1">a</p>', ${length / 100}) || '<p>The very end</p>'))
    where id = '${id}'`,
  );
  await using visit = await hostileVisit(`/approvals/${id}`);
  const { page, harm } = visit;
  await page.getByRole('region', { name: 'The body as text' }).waitFor();
  await page.getByText('The body is too long to be looked through').waitFor();
  expect(await page.getByText('The very end').count()).toBe(1);
  await page.getByRole('button', { name: 'Reject' }).click();
  await page.getByLabel('Reason').fill('Too long.');
  await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
  await page.getByText('Rejected by you').waitFor();
  expect(await harm()).toEqual(unharmed);
});

test('hostile text in runs and events is text', async () => {
  const { runId } = (
    await bench.owned('POST', '/v1/steps/mail.send_email/run', {
      accountId,
      input: { to: ['ben@sandbox.test'], subject: odd, body: markup.repeat(100), bodyFormat: 'html' },
    })
  ).body;
  const inputs = [{ name: 'text', type: 'string' }];
  const steps = [{ key: 'find', step: 'mail.find_email', account: { id: accountId }, input: { limit: 1 } }];
  const tool = await bench.owned('POST', '/v1/tools', { name: `Look ${odd}`, inputs, steps });
  const toolId = tool.body.id;
  const runner = { type: 'tool', toolId, input: {} };
  const agent = await bench.owned('POST', '/v1/agents', {
    name: 'Looker',
    instructions: '',
    tools: [{ toolId }],
    runner,
  });
  await bench.owned('POST', '/v1/triggers', { agentId: agent.body.id, type: 'mail.new_email', accountId, config: {} });
  const mail = {
    to: 'ada@sandbox.test',
    from: 'zoe@example.com',
    subject: `${odd} <svg onload=alert(1)>`,
    html: markup,
  };
  const headers = { 'content-type': 'application/json' };
  await fetch(`${bench.mail.url}/_control/deliver`, { method: 'POST', headers, body: JSON.stringify(mail) });
  const events = async (): Promise<Answer['body'][]> => (await bench.owned('GET', '/v1/events')).body.items;
  await expect.poll(async () => (await events())[0]?.runId).toBeTruthy();
  const [event] = await events();

  await using visit = await hostileVisit(`/runs/${runId}`);
  const { page, harm } = visit;
  await page.getByRole('region', { name: 'Input' }).getByText('tracker.example').first().waitFor();
  await page.goto(`${bench.origin}/events`);
  await page.getByRole('link', { name: '<svg onload=alert(1)>' }).click();
  await page.getByRole('region', { name: 'What the agent is told' }).getByText('The last words').waitFor();
  await page.goto(`${bench.origin}/runs/${event.runId}`);
  await page.getByRole('list', { name: 'Journal' }).getByText('find · mail.find_email').waitFor();
  await page.goto(`${bench.origin}/`);
  await page.getByRole('list', { name: 'Needs you' }).getByText('U+202E').first().waitFor();
  expect(await harm()).toEqual(unharmed);
});

test('names of one long word stay within a phone, and within its windows', async () => {
  const long = `${'Donaudampfschifffahrts'.repeat(3)}gesellschaft`;
  await bench.owned('PATCH', `/v1/accounts/${accountId}`, { name: long });
  const input = { to: ['ben@sandbox.test'], subject: '{{inputs.about}}', body: 'x' };
  const step = { key: 'send', step: 'mail.send_email', account: { id: accountId }, input };
  const inputs = [{ name: 'about', type: 'string', required: true, description: long }];
  const made = async (path: string, body: object): Promise<string> => (await bench.owned('POST', path, body)).body.id;
  const toolId = await made('/v1/tools', { name: long, description: long, inputs, steps: [step] });
  const runner = { type: 'tool', toolId, input: { about: 'x' } };
  const agentId = await made('/v1/agents', { name: long, instructions: long, tools: [{ toolId }], runner });
  const config = { searchFilter: `subject:${long}` };
  const triggerId = await made('/v1/triggers', { agentId, type: 'mail.new_email', accountId, config });
  const paths = [
    '/agents',
    `/agents/${agentId}`,
    `/agents/${agentId}?tab=edit`,
    `/triggers/${triggerId}`,
    '/tools',
    `/tools/${toolId}`,
    `/integrations/mail?account=${accountId}`,
  ];

  await using visit = await openApp({ width: 360 });
  const { page } = visit;
  const beyond: string[] = [];
  const outside = (where: string) =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('${where} :is(a, p, dd, code, span, h2, button, input)')]
        .map((each) => [each, each.getBoundingClientRect()])
        .filter(([, { left, right }]) => right > 360 || left < 0)
        .map(([each]) => each.outerHTML.slice(0, 200))`,
    );
  for (const path of paths) {
    await page.goto(`${bench.origin}${path}`);
    await page.getByText(long).first().waitFor();
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
    const wide = await outside('main');
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width !== 360 || wide.length > 0) beyond.push(`${path}: ${width} px, ${wide[0]}`);
  }

  await page.goto(`${bench.origin}/agents/${agentId}`);
  for (const opens of ['Start by hand', 'Delete']) {
    await page.getByRole('button', { name: opens }).click();
    await page.getByRole('dialog').getByText(long).waitFor();
    for (const each of await outside('dialog')) beyond.push(`${opens}: ${each}`);
    await page.keyboard.press('Escape');
  }
  // It is shown this once: the way to take it along is there to press.
  await page.goto(`${bench.origin}/integrations`);
  await page.getByRole('button', { name: 'New API key' }).click();
  await page.getByLabel('Name').fill(long);
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).waitFor();
  for (const each of await outside('dialog')) beyond.push(`New API key: ${each}`);
  expect(beyond).toEqual([]);
});

/** What is drawn, or stands in a title, with characters that hide or reorder others. */
const obeyed = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll(':is(main, dialog) :is(h1, h2, p, a, li, dd, span, code, [title])')]
      .flatMap((each) => [each.title, ...[...each.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data)])
      .filter((text) => /[\\u200b\\u200d\\u202a-\\u202e\\u2060-\\u2069]/.test(text))`,
  );

test('hostile names of lists and cards are text in drop-downs, lists of runs, previews and diagnoses', async () => {
  const hostile = `${odd} <img src=x onerror=parent.pwned='card'>`;
  const boardAccount = await bench.connectBoard();
  const { id: board } = bench.board.launch();
  const list = bench.board.newList({ name: hostile });
  const input = { idList: list.id, name: 'x' };
  const step = { key: 'card', step: 'board.create_card', account: { id: boardAccount }, input };
  const tool = await bench.owned('POST', '/v1/tools', { name: 'File', steps: [step] });
  const toolId = tool.body.id;
  const agent = await bench.owned('POST', '/v1/agents', {
    name: 'Filer',
    tools: [{ toolId }],
    runner: { type: 'tool', toolId },
  });
  const config = { boards: [board], lists: [list.id] };
  const trigger = { agentId: agent.body.id, type: 'board.new_card', accountId: boardAccount, config, name: hostile };
  const { body: made } = await bench.owned('POST', '/v1/triggers', trigger);
  bench.board.newCard({ name: hostile, as: 'ben', list });
  const runs = async (): Promise<Answer['body'][]> =>
    (await bench.owned('GET', `/v1/runs?agentId=${agent.body.id}`)).body.items;
  await expect.poll(async () => (await runs())[0]?.about).toContain('onerror');

  await using visit = await hostileVisit(`/agents/${agent.body.id}`);
  const { page, harm } = visit;
  const shown = (name: string) => page.getByRole('list', { name }).getByText('<img src=x onerror').first().waitFor();
  await shown('Recent runs');
  await shown('Triggers');
  expect(await obeyed(page)).toEqual([]);
  await page.getByRole('list', { name: 'Triggers' }).getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('list', { name: 'Lists, chosen' }).getByText('<img src=x onerror').waitFor();
  await page.getByRole('combobox', { name: 'Lists' }).click();
  await page.getByRole('button', { name: 'Try on recent history' }).click();
  await page
    .getByRole('region', { name: /^Would have fired/ })
    .getByText('<img src=x onerror')
    .waitFor();
  expect(await obeyed(page)).toEqual([]);
  await page.goto(`${bench.origin}/runs`);
  await shown('Runs');
  await page.goto(`${bench.origin}/triggers/${made.id}`);
  await page.getByRole('definition').getByText('<img src=x onerror').waitFor();
  await page.getByRole('region', { name: 'Last events' }).getByText('<img src=x onerror').first().waitFor();
  expect(await obeyed(page)).toEqual([]);
  await page.goto(`${bench.origin}/tools/${toolId}`);
  await page
    .getByRole('main')
    .getByText('<img src=x onerror')
    .or(page.locator('input[value*="<img src=x"]'))
    .first()
    .waitFor({ state: 'attached' });
  expect(await harm()).toEqual(unharmed);
});
