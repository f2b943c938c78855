import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Bench, mailBench } from './test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

test('above the limit an app gets 429 with Retry-After for that mailbox, until the ten minutes are over', async () => {
  await bench.order('/limits', { perMailbox: 3 });
  for (let at = 0; at < 3; at++) expect((await bench.ask('GET', '/me/messages?$top=1')).status).toBe(200);
  const struck = await bench.ask('GET', '/me/messages?$top=1');
  expect([struck.status, struck.code]).toEqual([429, 'ApplicationThrottled']);
  expect(Number(struck.headers.get('retry-after'))).toBeGreaterThan(500);
  expect((await bench.ask('GET', '/me/messages?$top=1', { as: 'ben@sandbox.test' })).status).toBe(200);
  expect((await bench.ask('GET', '/users/team@sandbox.test/messages')).status).toBe(200);
  const other = bench.tokenFor('ada@sandbox.test', undefined, 'another-app');
  expect((await bench.ask('GET', '/me/messages?$top=1', { token: other })).status).toBe(200);
  await bench.order('/clock', { advanceMs: 601_000 });
  expect((await bench.ask('GET', '/me/messages?$top=1')).status).toBe(200);
});

test('a fifth request at the same time is 429 MailboxConcurrency', async () => {
  await bench.order('/faults', { match: { path: '/v1.0/me/messages' }, kind: 'latency', ms: 150 });
  const replies = await Promise.all(Array.from({ length: 5 }, () => bench.ask('GET', '/me/messages?$top=1')));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 429]);
  expect(replies.find(({ status }) => status === 429)?.text).toContain(
    'Application is over its MailboxConcurrency limit.',
  );
  const { peaks } = await bench.order('/limits');
  expect((peaks as Record<string, number>)['switchboard-sandbox ada@sandbox.test']).toBe(5);
});

test('too many bytes are refused too, and limits can be off', async () => {
  await bench.order('/limits', { incomingBytes: 100 });
  const body = { subject: 'x'.repeat(200) };
  const struck = await bench.ask('POST', '/me/messages', { body });
  expect([struck.status, struck.text]).toEqual([429, expect.stringContaining('IncomingBytes')]);
  await bench.order('/limits', { off: true });
  expect((await bench.ask('POST', '/me/messages', { body })).status).toBe(201);
});
