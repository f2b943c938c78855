import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { listen } from './listen.ts';
import type { SandboxEnv } from './server.ts';

const standard = { Request: globalThis.Request, Response: globalThis.Response };
const { QuickResponse } = await import('./quick-response.ts');
const { createControl, watchRequests } = await import('./server.ts');

test('the quick response is another class and leaves the global ones as they were', () => {
  expect(QuickResponse).not.toBe(standard.Response);
  expect(globalThis.Response).toBe(standard.Response);
  expect(globalThis.Request).toBe(standard.Request);
});

test('a quick answer arrives whole, is logged, and can still be struck by a fault', async () => {
  const control = createControl();
  const app = new Hono<SandboxEnv>();
  watchRequests(app, control, () => ({
    body: 'broken',
    contentType: 'text/plain',
  }));
  app.get('/', () => new QuickResponse('{"a":"ü"}', { status: 201, headers: { 'X-Own': 'yes' } }));
  const server = await listen({ service: 'model', fetch: app.fetch });
  const good = await fetch(server.url);
  expect([good.status, good.headers.get('x-own'), await good.json()]).toEqual([201, 'yes', { a: 'ü' }]);
  control.faults.add({ match: {}, kind: 'accept_then', status: 504 });
  const struck = await fetch(server.url);
  expect([struck.status, struck.headers.get('x-own'), await struck.text()]).toEqual([504, null, 'broken']);
  expect(control.log.list().map(({ status }) => status)).toEqual([201, 504]);
  await server.close();
});
