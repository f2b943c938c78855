import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const keyed = async (key: string, body: unknown) => {
  const { bootstrapKey } = await import('#test');
  return bench.call('POST', '/v1/api-keys', { key: bootstrapKey, body, headers: { 'idempotency-key': key } });
};

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
  expect(theirs.status).toBe(201);
  expect(theirs.body.id).not.toBe(mine.body.id);
});

test('an unprintable key is refused', async () => {
  expect((await keyed('x'.repeat(201), { name: 'x', scopes: ['read'] })).status).toBe(400);
});
