import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startMail } from './server.ts';
import { type Bench, idOf, listOf, mailBench, to } from './test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

const subjects = async () => (await bench.all('/me/messages?$select=subject&$top=100')).map(({ subject }) => subject);

test('the seeded world makes sense: people, threads, folders, drafts, a shared mailbox', async () => {
  expect((await subjects()).length).toBeGreaterThan(15);
  expect((await bench.all('/me/mailFolders')).map(({ displayName }) => displayName)).toEqual(
    expect.arrayContaining(['Inbox', 'Sent Items', 'Drafts', 'Customers']) as unknown,
  );
  const thread = listOf(
    await bench.ask('GET', "/me/messages?$filter=subject eq 'RE: Launch checklist'&$select=conversationId"),
  );
  expect(new Set(thread.map(({ conversationId }) => conversationId)).size).toBe(1);
  expect((await bench.all('/me/messages', { as: 'cy@sandbox.test' })).length).toBeGreaterThan(0);
});

test('a delivered mail has what it was given', async () => {
  const { id, internetMessageId } = await bench.order('/deliver', {
    to: ['ada@sandbox.test'],
    from: 'Zed <zed@example.com>',
    subject: 'S',
    html: '<i>h</i>',
    headers: [{ name: 'X-A', value: '1' }],
    attachments: [{ name: 'f.bin', contentType: 'application/x', size: 2048 }],
    receivedAt: '2026-01-02T03:04:05Z',
  });
  const { json } = await bench.ask('GET', `/me/messages/${String(id)}?$expand=attachments`);
  expect(json).toMatchObject({
    internetMessageId,
    subject: 'S',
    receivedDateTime: '2026-01-02T03:04:05Z',
    hasAttachments: true,
    attachments: [{ size: 2048 }],
    from: { emailAddress: { name: 'Zed', address: 'zed@example.com' } },
  });
  await expect(bench.order('/deliver', { to: 'nobody@example.com', from: 'a@b.c', subject: 'x' })).rejects.toThrow(
    'Nobody',
  );
  await expect(bench.order('/deliver', { subject: 'x' })).rejects.toThrow('to');
});

test('an answer from outside joins its thread by In-Reply-To', async () => {
  const first = await bench.order('/deliver', {
    to: 'ada@sandbox.test',
    from: 'z@example.com',
    subject: 'Q',
    body: 'x',
  });
  const second = await bench.order('/deliver', {
    to: 'ada@sandbox.test',
    from: 'z@example.com',
    subject: 'RE: Q',
    body: 'y',
    headers: { 'In-Reply-To': String(first['internetMessageId']) },
  });
  const conversation = async (id: unknown) =>
    (await bench.ask('GET', `/me/messages/${String(id)}`)).json['conversationId'];
  expect(await conversation(second['id'])).toBe(await conversation(first['id']));
});

test('faults strike requests; accepted work is done although the answer fails', async () => {
  await bench.order('/faults', { match: { path: '/v1.0/me/sendMail' }, kind: 'accept_then', status: 504, times: 1 });
  const body = { message: { subject: 'Unsure', toRecipients: to('ben@sandbox.test') } };
  expect((await bench.ask('POST', '/me/sendMail', { body })).status).toBe(504);
  const { items } = (await bench.order('/outbox')) as { items: Record<string, unknown>[] };
  expect(items).toMatchObject([{ subject: 'Unsure', from: 'ada@sandbox.test', to: ['ben@sandbox.test'] }]);
  await bench.order('/faults', { match: { method: 'GET' }, kind: 'status', status: 429, retryAfter: 7, times: 1 });
  const struck = await bench.ask('GET', '/me');
  expect([struck.status, struck.headers.get('retry-after')]).toEqual([429, '7']);
  const { items: log } = (await bench.order('/requests?path=sendMail')) as { items: Record<string, unknown>[] };
  expect(log).toMatchObject([{ method: 'POST', status: 504, user: 'ada@sandbox.test' }]);
});

test('authorize answers at once when told to, and the pages for people are there', async () => {
  await bench.order('/consent', { mode: 'auto', as: 'ada@sandbox.test' });
  const redirect_uri = 'http://127.0.0.1:9/back';
  const query = new URLSearchParams({
    client_id: 'switchboard-sandbox',
    response_type: 'code',
    redirect_uri,
    scope: 'openid Mail.Read',
    state: 's1',
  });
  const answer = await fetch(`${bench.url}/common/oauth2/v2.0/authorize?${query}`, { redirect: 'manual' });
  const back = new URL(answer.headers.get('location') ?? '');
  expect([back.origin + back.pathname, back.searchParams.get('state'), back.searchParams.has('code')]).toEqual([
    redirect_uri,
    's1',
    true,
  ]);
  const page = await fetch(`${bench.url}/`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  expect((await fetch(`${bench.url}/no/such/page`)).status).toBe(404);
});

test('a snapshot holds mailboxes, ids, tokens and subscriptions; restoring brings them back', async () => {
  const before = await subjects();
  const token = bench.tokenFor('ben@sandbox.test');
  const snapshot = bench.snapshot();
  const [first] = listOf(await bench.ask('GET', '/me/messages?$top=1'));
  await bench.ask('POST', `/me/messages/${idOf(first)}/permanentDelete`);
  await bench.order('/deliver', { to: 'ada@sandbox.test', from: 'x@example.com', subject: 'Later', body: '' });
  bench.restore(snapshot);
  expect(await subjects()).toEqual(before);
  expect((await bench.ask('GET', `/me/messages/${idOf(first)}`)).status).toBe(200);
  expect((await bench.ask('GET', '/me', { token })).status).toBe(200);
});

test('with a file the world outlives the server', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mail-sandbox-'));
  const file = join(folder, 'state');
  const first = await startMail({ file });
  first.world.deliver({
    from: { name: 'X', address: 'x@example.com' },
    to: [{ name: 'Ada', address: 'ada@sandbox.test' }],
    subject: 'Kept',
    body: { contentType: 'text', content: '' },
  });
  await first.close();
  const second = await startMail({ file });
  expect(second.world.mailboxOf('ada@sandbox.test')?.timeline.at(-1)?.subject).toBe('Kept');
  await second.close();
  rmSync(folder, { recursive: true });
});

test('bulk mail and accounts; a hundred thousand messages are listed, filtered by time and searched', async () => {
  const seeded = await bench.order('/seed', { messages: 100_000, accounts: 2 });
  expect(seeded['accounts']).toHaveLength(2);
  expect(Number((await bench.ask('GET', '/me/messages/$count')).text)).toBeGreaterThan(100_000);
  expect((await bench.ask('GET', '/me/messages?$skip=90000&$top=1000&$select=subject')).status).toBe(200);
  const [user] = seeded['accounts'] as string[];
  expect((await bench.ask('GET', '/me', { as: String(user) })).json['userPrincipalName']).toBe(user);
  const found = await bench.ask('GET', '/me/messages?$search="subject:\\"Invoice 99999\\""&$select=subject');
  expect(listOf(found).map(({ subject }) => subject)).toEqual(['Invoice 99999']);
});
