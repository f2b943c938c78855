import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { storageFault } from '#store';
import { bootstrapKey, type Workbench, workbench } from '#test';
import { answerAgain } from './answer-again.ts';
import type { Env } from './env.ts';
import { answerFailures } from './failures.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const keyed = (key: string, body: unknown) =>
  bench.call('POST', '/v1/api-keys', { key: bootstrapKey, body, headers: { 'idempotency-key': key } });

test('a repeated write is answered again and done once, secrets that are shown once included', async () => {
  const [first, second] = [
    await keyed('a', { name: 'once', scopes: ['read'] }),
    await keyed('a', { name: 'once', scopes: ['read'] }),
  ];
  expect(second.status).toBe(201);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('idempotent-replayed')).toBe('true');
  const { body } = await bench.owned('GET', '/v1/api-keys?limit=100');
  expect(body.items.filter(({ name }: { name: string }) => name === 'once')).toHaveLength(1);
});

test('the same key for another request is a conflict', async () => {
  await keyed('b', { name: 'one', scopes: ['read'] });
  expect((await keyed('b', { name: 'two', scopes: ['read'] })).body.error.code).toBe('conflict');
});

test('a refused request leaves the key free for the corrected one', async () => {
  expect((await keyed('c', { name: '', scopes: ['read'] })).status).toBe(400);
  expect((await keyed('c', { name: 'corrected', scopes: ['read'] })).status).toBe(201);
});

test('many at the same moment do it once', async () => {
  const answers = await Promise.all(Array.from({ length: 12 }, () => keyed('d', { name: 'crowd', scopes: ['read'] })));
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
  const { body } = await bench.owned('GET', '/v1/api-keys?limit=100');
  expect(body.items.filter(({ name }: { name: string }) => name === 'crowd')).toHaveLength(1);
});

test("one caller's key means nothing for another", async () => {
  const tenant = await bench.newTenant('Other');
  const mine = await keyed('e', { name: 'same key', scopes: ['read'] });
  const theirs = await bench.call('POST', '/v1/api-keys', {
    key: tenant.key,
    body: { name: 'same key', scopes: ['read'] },
    headers: { 'idempotency-key': 'e' },
  });
  const { body: colleague } = await bench.owned('POST', '/v1/api-keys', { name: 'colleague', scopes: ['admin'] });
  const besides = await bench.call('POST', '/v1/api-keys', {
    key: colleague.key,
    body: { name: 'same key', scopes: ['read'] },
    headers: { 'idempotency-key': 'e' },
  });
  expect([theirs.status, besides.status]).toEqual([201, 201]);
  expect(new Set([mine, theirs, besides].map(({ body }) => body.key)).size).toBe(3);
});

test('an answer without content is repeated without one', async () => {
  const { body } = await keyed('f', { name: 'leaving', scopes: ['read'] });
  const leave = async () => {
    const headers = { 'idempotency-key': 'g' };
    const { status, headers: told } = await bench.call('DELETE', `/v1/api-keys/${body.id}`, {
      key: bootstrapKey,
      headers,
    });
    return [status, told.get('content-type'), told.get('idempotent-replayed')];
  };
  expect([await leave(), await leave()]).toEqual([
    [204, null, null],
    [204, null, 'true'],
  ]);
});

test('an unprintable key is refused', async () => {
  expect((await keyed('x'.repeat(201), { name: 'x', scopes: ['read'] })).status).toBe(400);
});

describe('when storage goes away in the middle', () => {
  const away = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' });
  const cut = new Error('Connection terminated unexpectedly');

  /** Answers what became of the key of one request. */
  const ask = async (handle: () => Response, failures: number, method = 'POST') => {
    const became: string[] = [];
    const note = (what: string) => async () => {
      became.push(what);
      if (became.length <= failures) throw away;
    };
    const idempotency = {
      begin: async () => undefined,
      finish: note('kept'),
      release: note('released'),
      sweep: async () => {},
    };
    const impatient = { ...systemClock(), sleep: () => Promise.resolve() };
    const app = new Hono<Env>();
    app.use(async (c, next) => {
      c.set('log', silentLog);
      c.set('requestId', 'req_1');
      c.set('caller', { workspaceId: 'ws', actor: { id: 'key' } } as unknown as Env['Variables']['caller']);
      await next();
    });
    const none = async () => ({});
    const anew = { approvals: none, events: none, runs: none };
    app.use(answerAgain({ idempotency, anew, storageFault, clock: impatient }));
    app.all('/', handle);
    app.onError(answerFailures(storageFault));
    const answer = await app.request('/', { method, headers: { 'idempotency-key': 'k' } });
    await expect.poll(() => became.length === 0 || became.length > failures).toBe(true);
    return { status: answer.status, became, body: await answer.text() };
  };

  const failing = (error: Error) => () => {
    throw error;
  };

  test.each([
    ['before anything was asked frees the key', failing(away), 0, 503, ['released']],
    ['after something was asked keeps it: it may have happened', failing(cut), 0, 503, []],
    [
      'before the answer was kept keeps it later',
      () => new Response('{}', { status: 201 }),
      2,
      503,
      Array(3).fill('kept'),
    ],
  ] as const)('a request that was cut off %s', async (_, handle, failures, status, became) => {
    expect(await ask(handle, failures)).toMatchObject({ status, became });
  });

  test('a read that was cut off stored nothing, and is simply tried again', async () => {
    expect((await ask(failing(cut), 0)).body).toContain('may have been stored');
    const { body } = await ask(failing(cut), 0, 'GET');
    expect(JSON.parse(body).error).toMatchObject({
      message: expect.not.stringContaining('stored'),
      details: { retryable: true },
    });
  });
});
