import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { listen } from './listen.ts';
import { controlRoutes, createControl, redact, type SandboxEnv, watchRequests } from './server.ts';

const bench = async () => {
  const control = createControl();
  let written = 0;
  const app = new Hono<SandboxEnv>();
  watchRequests(app, control, (status) => ({ body: JSON.stringify({ status }), contentType: 'application/json' }));
  app.route(
    '/_control',
    controlRoutes(control, () => {
      written = 0;
    }),
  );
  app.get('/things', (c) => c.json({ a: 1 }));
  app.post('/things', (c) => {
    written++;
    c.set('user', 'ada');
    return c.json({ written }, 201, { 'X-Made-By': 'handler' });
  });
  const server = await listen({ service: 'model', fetch: app.fetch });
  const call = (method: string, path: string, body?: unknown) =>
    fetch(server.url + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const requests = async (query = '') => {
    const { items } = (await (await call('GET', `/_control/requests${query}`)).json()) as {
      items: { seq: number; method: string; path: string; status: number; user: string | null }[];
    };
    return items;
  };
  return { control, call, requests, written: () => written, [Symbol.asyncDispose]: server.close };
};

test('every request is logged with who asked and what came of it, control calls are not', async () => {
  await using sandbox = await bench();
  await sandbox.call('GET', '/things?token=secret&x=1');
  await sandbox.call('POST', '/things');
  await sandbox.call('GET', '/nowhere');
  const items = await sandbox.requests();
  expect(items.map(({ method, path, status, user }) => [method, path, status, user])).toEqual([
    ['GET', '/things?token=…&x=1', 200, null],
    ['POST', '/things', 201, 'ada'],
    ['GET', '/nowhere', 404, null],
  ]);
  expect(await sandbox.requests(`?since=${items[1]?.seq}`)).toHaveLength(1);
  expect(await sandbox.requests('?path=/things')).toHaveLength(2);
  expect((await sandbox.call('GET', '/_control/requests?since=soon')).status).toBe(400);
});

test('credentials are redacted wherever they stand in an address', () => {
  expect(redact('/1/cards?key=a&token=b&name=c')).toBe('/1/cards?key=…&token=…&name=c');
  expect(redact('/1/tokens/abc/webhooks')).toBe('/1/tokens/…/webhooks');
  expect(redact('/callback?code=1&state=2')).toBe('/callback?code=…&state=2');
});

test('a status fault answers instead of the handler, as often as it was told to', async () => {
  await using sandbox = await bench();
  const fault = { match: { method: 'post', path: '/things' }, kind: 'status', status: 503, retryAfter: 7, times: 2 };
  await sandbox.call('POST', '/_control/faults', fault);
  const struck = await sandbox.call('POST', '/things');
  expect([struck.status, struck.headers.get('retry-after'), await struck.json()]).toEqual([503, '7', { status: 503 }]);
  expect((await sandbox.call('GET', '/things')).status).toBe(200);
  expect((await sandbox.call('POST', '/things')).status).toBe(503);
  expect((await sandbox.call('POST', '/things')).status).toBe(201);
  expect(sandbox.written()).toBe(1);
});

test('accept_then does the work and fails afterwards, by status or by hanging up', async () => {
  await using sandbox = await bench();
  await sandbox.call('POST', '/_control/faults', { kind: 'accept_then', status: 504, times: 1 });
  const failed = await sandbox.call('POST', '/things');
  expect([failed.status, failed.headers.get('x-made-by'), await failed.json()]).toEqual([504, null, { status: 504 }]);
  await sandbox.call('POST', '/_control/faults', { kind: 'accept_then', times: 1 });
  await expect(sandbox.call('POST', '/things')).rejects.toThrow();
  expect(sandbox.written()).toBe(2);
  expect((await sandbox.requests()).map(({ status }) => status)).toEqual([504, 0]);
});

test('reset hangs up before the work', async () => {
  await using sandbox = await bench();
  await sandbox.call('POST', '/_control/faults', { kind: 'reset', times: 1 });
  await expect(sandbox.call('POST', '/things')).rejects.toThrow();
  expect(sandbox.written()).toBe(0);
});

test('latency keeps the answer right, a rate of nothing never strikes', async () => {
  await using sandbox = await bench();
  await sandbox.call('POST', '/_control/faults', { kind: 'latency', ms: 5, times: 1 });
  await sandbox.call('POST', '/_control/faults', { kind: 'status', status: 500, rate: 0 });
  expect((await sandbox.call('GET', '/things')).status).toBe(200);
  expect((await sandbox.call('GET', '/things')).status).toBe(200);
});

test('a path with signs of an expression is one, others are prefixes', async () => {
  await using sandbox = await bench();
  await sandbox.call('POST', '/_control/faults', { match: { path: '^/th.*s$' }, kind: 'status', status: 500 });
  expect((await sandbox.call('GET', '/things')).status).toBe(500);
  expect((await sandbox.call('GET', '/things?x=1')).status).toBe(200);
  const { items } = (await (await sandbox.call('GET', '/_control/faults')).json()) as { items: unknown[] };
  expect(items).toHaveLength(1);
  await sandbox.call('DELETE', '/_control/faults');
  expect((await sandbox.call('GET', '/things')).status).toBe(200);
});

test.each([
  ['/faults', { kind: 'sulk' }],
  ['/faults', { kind: 'status', status: 9 }],
  ['/faults', { kind: 'status', match: { path: '/me(' } }],
  ['/notifications', { drop: 2 }],
  ['/clock', { now: 'yesterday' }],
  ['/clock', {}],
])('a mistaken %s %o is told, not swallowed', async (path, body) => {
  await using sandbox = await bench();
  const answer = await sandbox.call('POST', `/_control${path}`, body);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toEqual({ error: expect.any(String) });
});

test('a control body that is no JSON is told', async () => {
  await using sandbox = await bench();
  const answer = await sandbox.call('POST', '/_control/clock');
  expect(answer.status).toBe(400);
});

test('reset brings back the world, real time and a clean slate', async () => {
  await using sandbox = await bench();
  await sandbox.call('POST', '/things');
  await sandbox.call('POST', '/_control/faults', { kind: 'status' });
  await sandbox.call('POST', '/_control/notifications', { drop: 1, pause: true });
  await sandbox.call('POST', '/_control/clock', { advanceMs: 1e9 });
  await sandbox.call('POST', '/_control/reset', {});
  expect(sandbox.written()).toBe(0);
  expect(await sandbox.requests()).toEqual([]);
  expect(await (await sandbox.call('GET', '/_control/notifications')).json()).toMatchObject({ drop: 0, pause: false });
  expect(Math.abs(sandbox.control.clock.now() - Date.now())).toBeLessThan(1000);
  expect((await sandbox.call('GET', '/things')).status).toBe(200);
});
