import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Bench, mailBench } from './test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

type Part = {
  id: string;
  status: number;
  headers: Record<string, string>;
  body: { error?: { code: string }; value?: unknown[] };
};
const batch = async (requests: object[]) => {
  const reply = await bench.ask('POST', '/$batch', { body: { requests } });
  const parts = new Map(((reply.json['responses'] ?? []) as Part[]).map((part) => [part.id, part]));
  return { status: reply.status, part: (id: string) => parts.get(id) as Part, size: parts.size };
};
const get = (id: string, url: string, more: object = {}) => ({ id, method: 'GET', url, ...more });

test('each part is answered on its own, whatever becomes of the others', async () => {
  const { status, part } = await batch([
    get('1', '/me/messages?$top=1'),
    get('2', 'me/messages/nonsense'),
    get('3', '/me/messages/$count'),
  ]);
  expect(status).toBe(200);
  expect(part('1').body.value).toHaveLength(1);
  expect([part('2').status, part('2').body.error?.code]).toEqual([400, 'ErrorInvalidIdMalformed']);
  expect(Buffer.from(part('3').body as unknown as string, 'base64').toString()).toMatch(/^\d+$/);
});

test('bodies need a Content-Type; headers such as Prefer count per part', async () => {
  const write = { id: '1', method: 'POST', url: '/me/messages', body: { subject: 'By batch' } };
  expect((await batch([write])).status).toBe(400);
  const { part } = await batch([
    { ...write, headers: { 'content-type': 'application/json', Prefer: 'IdType="ImmutableId"' } },
  ]);
  expect(part('1')).toMatchObject({
    status: 201,
    body: { subject: 'By batch', id: expect.stringMatching(/^AAkALg/) as string },
  });
});

test('from 1 to 20 requests, ids unique in any letter case, urls relative', async () => {
  expect((await batch([])).status).toBe(400);
  expect((await batch(Array.from({ length: 21 }, (_, at) => get(String(at), '/me')))).status).toBe(400);
  expect((await batch(Array.from({ length: 20 }, (_, at) => get(String(at), '/me')))).size).toBe(20);
  expect((await batch([get('a', '/me'), get('A', '/me')])).status).toBe(400);
  expect((await batch([get('a', 'https://elsewhere.example/me')])).status).toBe(400);
});

test('a failed dependency fails its dependents with 424; other shapes than a chain or a star are refused', async () => {
  const { part } = await batch([
    get('1', '/me/messages/nonsense'),
    get('2', '/me', { dependsOn: ['1'] }),
    get('3', '/me', { dependsOn: ['2'] }),
  ]);
  expect([part('1').status, part('2').status, part('3').status]).toEqual([400, 424, 424]);
  expect((await batch([get('1', '/me'), get('2', '/me', { dependsOn: ['1'] })])).part('2').status).toBe(200);
  expect((await batch([get('1', '/me'), get('2', '/me', { dependsOn: ['9'] })])).status).toBe(400);
  expect(
    (
      await batch([
        get('1', '/me'),
        get('2', '/me'),
        get('3', '/me', { dependsOn: ['1'] }),
        get('4', '/me', { dependsOn: ['2'] }),
      ])
    ).status,
  ).toBe(400);
});

test('throttling strikes inside: the batch is 200, a part 429 with Retry-After in its headers', async () => {
  await bench.order('/limits', { perMailbox: 2 });
  const { status, part } = await batch([get('1', '/me/messages'), get('2', '/me/messages'), get('3', '/me/messages')]);
  expect(status).toBe(200);
  const struck = ['1', '2', '3'].map(part).filter((one) => one.status === 429);
  expect(struck).toHaveLength(1);
  expect(Number(struck[0]?.headers['Retry-After'])).toBeGreaterThan(0);
});
