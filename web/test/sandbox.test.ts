import { setTimeout as sleep } from 'node:timers/promises';
import type { Route } from 'playwright-core';
import { beforeAll, expect, test, vi } from 'vitest';
import { shared } from '../../test/shared.ts';
import { fileBench, openApp } from './browser.ts';

vi.setConfig({ testTimeout: 120_000 });

beforeAll(async () => {
  await shared('bundle');
  await fileBench();
}, 180_000);

const answeredAfter = (ms: number) => async (route: Route) => {
  const response = await route.fetch();
  await sleep(ms);
  await route.fulfill({ response });
};

/** An agent that answers mail after asking, as a first start sets it up. */
const makeResponder = async () => {
  const bench = await fileBench();
  const id = await bench.connectMail('ada@sandbox.test');
  const reply = {
    key: 'reply',
    step: 'mail.reply',
    account: { id },
    input: { messageId: '{{inputs.messageId}}', body: 'Thank you. We look into it.' },
  };
  const inputs = [{ name: 'messageId', type: 'string', required: true }];
  const tool = await bench.owned('POST', '/v1/tools', { name: 'Answer mail', inputs, steps: [reply] });
  const toolId = tool.body.id;
  const agent = await bench.owned('POST', '/v1/agents', {
    name: 'Responder',
    tools: [{ toolId, permission: 'approval' }],
    runner: { type: 'tool', toolId, input: { messageId: '{{event.data.message.id}}' } },
  });
  const trigger = { agentId: agent.body.id, type: 'mail.new_email', accountId: id, config: {} };
  await bench.owned('POST', '/v1/triggers', trigger);
};

test('the tour leads from a mail to its answer and ticks itself off; the banner leads to it', async () => {
  const bench = await fileBench();
  await using visit = await openApp({ path: '/audit' });
  const { page, complaints } = visit;
  const banner = page.getByRole('complementary', { name: 'Sandbox' });
  expect(await banner.getByRole('link', { name: /Mailbox/ }).getAttribute('href')).toBe(bench.mail.url);
  expect(await banner.getByRole('link', { name: /Board/ }).getAttribute('href')).toBe(bench.board.url);
  await page.route('**/assets/sandbox-page*', answeredAfter(600), { times: 1 });
  // What is looked for comes into the address a moment later, when this page is left already.
  await page.getByRole('searchbox').fill('sign');
  await banner.getByRole('link', { name: 'Tour & faults' }).click();
  const steps = page.getByRole('list', { name: 'Guided tour' }).getByRole('listitem');
  await steps.nth(0).getByText('No agent is started by mail yet.').waitFor();

  await makeResponder();
  await page.reload();
  // Longer than the page waits between two looks.
  await page.route('**/v1/events?*', answeredAfter(1_700));
  await page.getByRole('button', { name: 'Send the mail' }).click();
  await steps.nth(1).getByText('Done').waitFor({ state: 'attached' });
  await steps.nth(2).getByText('Waiting for approval').waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.reload();
  await steps.nth(3).getByRole('link', { name: 'Look at it and decide' }).waitFor();
  expect(bench.mail.world.outbox).toEqual([]);

  const [approval] = (await bench.owned('GET', '/v1/approvals?status=pending')).body.items;
  await bench.owned('POST', `/v1/approvals/${approval.id}/approve`, { digest: approval.digest });
  await steps.nth(4).getByText('left ada@sandbox.test for ben@sandbox.test').waitFor();
  for (const step of await steps.all()) await step.getByText('Done').waitFor({ state: 'attached' });

  // A mail that does not fit starts nothing, and nobody waits for it.
  const [trigger] = (await bench.owned('GET', '/v1/triggers')).body.items;
  await bench.owned('PATCH', `/v1/triggers/${trigger.id}`, { config: { searchFilter: 'subject:elephants' } });
  await page.getByRole('button', { name: 'Send another mail' }).click();
  await steps.nth(2).getByRole('link', { name: 'See why' }).waitFor();
  await steps.nth(0).getByText('that fits its filter').waitFor();
  expect(complaints).toEqual([]);
});

test('a fault is chosen, is listed while it lasts, and ends', async () => {
  const bench = await fileBench();
  await using visit = await openApp({ path: '/sandbox', width: 390, colorScheme: 'dark' });
  const { page, complaints } = visit;
  await page.getByRole('button', { name: 'Boards', exact: true }).click();
  await page.getByRole('button', { name: 'Cause: Notifications come twice' }).click();
  await page.getByRole('button', { name: 'End all of Boards' }).waitFor();
  expect(bench.board.control.outgoing.faults).toMatchObject({ duplicate: 1 });
  await page.getByRole('button', { name: 'End all of Boards' }).click();
  await page.getByText('Nothing goes wrong at the moment.').waitFor();
  expect(bench.board.control.outgoing.faults).toMatchObject({ duplicate: 0 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  expect(complaints).toEqual([]);
});
