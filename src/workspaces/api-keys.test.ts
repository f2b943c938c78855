import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, type Workbench, workbench } from '#test';
import { runStatement } from '../../test/run-statement.ts';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench();
});
afterAll(() => bench[Symbol.asyncDispose]());

const newKey = async (body: Record<string, unknown> = {}) =>
  (await bench.owned('POST', '/v1/api-keys', { name: 'key', scopes: ['admin'], ...body })).body;

test('a key is shown once and never again, and each of its scopes once', async () => {
  const made = await newKey({ name: 'shown once', scopes: ['read', 'run', 'read'] });
  const { body } = await bench.owned('GET', '/v1/api-keys');
  const listed = body.items.find(({ id }: { id: string }) => id === made.id);
  expect(listed).toMatchObject({ name: 'shown once', scopes: ['read', 'run'], hint: `…${made.key.slice(-4)}` });
  expect(JSON.stringify(body)).not.toContain(made.key);
});

test('the key that the operator chose stands in the audit', async () => {
  const { body } = await bench.owned('GET', '/v1/audit?limit=100');
  const made = body.items.filter(({ action }: { action: string }) => action === 'api_key.created');
  expect(made.at(-1)).toMatchObject({ actor: { kind: 'system' }, details: { name: 'Bootstrap key' } });
});

test('the workspaces of a key are its own', async () => {
  const { body: own } = await bench.owned('GET', '/v1/workspace');
  const { status, body } = await bench.call('GET', '/v1/workspaces', { key: (await newKey()).key });
  expect({ status, items: body.items }).toEqual({ status: 200, items: [{ ...own, role: null }] });
});

test('a revoked key is refused at once, which stands in the audit', async () => {
  const { id, key } = await newKey();
  expect((await bench.call('GET', '/v1/workspace', { key })).status).toBe(200);
  await bench.owned('DELETE', `/v1/api-keys/${id}`);
  expect((await bench.call('GET', '/v1/workspace', { key })).status).toBe(401);
  const { body } = await bench.owned('GET', '/v1/audit?action=api_key.revoked');
  expect(body.items).toMatchObject([{ target: id, details: { name: 'key' } }]);
});

test('an expired key is refused, and one cannot be made that has expired already', async () => {
  const expiring = async (ms: number) => (await newKey({ expiresAt: new Date(Date.now() + ms).toISOString() })).key;
  const statusOf = async (key: string) => (await bench.call('GET', '/v1/workspace', { key })).status;
  const [later, soon] = [await expiring(3_600_000), await expiring(700)];
  await expect.poll(() => statusOf(soon)).toBe(401);
  expect(await statusOf(later)).toBe(200);
  const past = await bench.owned('POST', '/v1/api-keys', {
    name: 'x',
    scopes: ['read'],
    expiresAt: '2020-01-01T00:00:00Z',
  });
  expect(past.body.error.code).toBe('invalid_input');
});

test('its use is noted', async () => {
  const { id, key } = await newKey();
  await bench.call('GET', '/v1/workspace', { key });
  const { body } = await bench.owned('GET', '/v1/api-keys?limit=100');
  expect(body.items.find((each: { id: string }) => each.id === id).lastUsedAt).not.toBeNull();
});

test('a key cannot hand out scopes that it does not hold', async () => {
  const { key } = await newKey({ scopes: ['admin'] });
  const make = (scopes: string[]) => bench.call('POST', '/v1/api-keys', { key, body: { name: 'x', scopes } });
  expect((await make(['approvals:decide'])).status).toBe(403);
  expect((await make(['sends:autopilot', 'read'])).status).toBe(403);
  expect((await make(['read', 'run', 'build', 'connect', 'admin'])).status).toBe(201);
});

test('a key makes a person of its holder only if it may decide approvals itself', async () => {
  const { key } = await newKey({ scopes: ['admin'] });
  const { body: member } = await bench.owned('POST', '/v1/members', { email: 'link@keys.test', role: 'owner' });
  expect((await bench.call('POST', `/v1/members/${member.id}/sign-in-link`, { key })).status).toBe(403);
  expect((await bench.owned('POST', `/v1/members/${member.id}/sign-in-link`)).status).toBe(201);
});

test('calls beyond the burst are refused with the time to wait, for that key alone', async () => {
  const [{ id, key: busy }, { key: calm }] = [await newKey(), await newKey()];
  // A slow machine would refill the budget while it spends it.
  await runStatement(
    bench.connectionString,
    `select set_config('app.workspace', '*', false); update api_keys set per_second = 1 where id = '${id}'`,
  );
  const answers: Answer[] = await Promise.all(
    Array.from({ length: 260 }, () => bench.call('GET', '/v1/workspace', { key: busy })),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(200);
  expect(refused[0]?.body.error).toMatchObject({ code: 'rate_limited', retryAfterMs: expect.any(Number) });
  expect((await bench.call('GET', '/v1/workspace', { key: calm })).status).toBe(200);
});

test('lists are paged newest first and end', async () => {
  for (let n = 0; n < 5; n++) await newKey({ name: `paged ${n}` });
  const names: string[] = [];
  let cursor = '';
  do {
    const { body } = await bench.owned('GET', `/v1/api-keys?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    expect(body.items.length).toBeLessThanOrEqual(2);
    names.push(...body.items.map(({ name }: { name: string }) => name));
    cursor = body.nextCursor ?? '';
  } while (cursor !== '');
  expect(names.filter((name) => name.startsWith('paged'))).toEqual([
    'paged 4',
    'paged 3',
    'paged 2',
    'paged 1',
    'paged 0',
  ]);
  expect(names.at(-1)).toBe('Bootstrap key');
});
