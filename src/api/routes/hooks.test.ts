import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Intake } from '#events';
import { silentLog } from '#log';
import { storageFault } from '#store';
import type { Env } from '../env.ts';
import { answerFailures } from '../failures.ts';
import { listen } from '../listen.ts';
import { hookRoutes } from './hooks.ts';

const unreachable = () =>
  Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }));

const doorTo = (intake: Intake) => {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    c.set('log', silentLog);
    c.set('requestId', 'req_1');
    await next();
  });
  app.route('/', hookRoutes(intake));
  app.onError(answerFailures(storageFault));
  return listen({ fetch: app.fetch, quick: () => false, hostname: '127.0.0.1', port: 0 });
};

test('a notification that cannot be stored is not taken: the service is told to come again', async () => {
  const door = await doorTo(unreachable);

  const answer = await fetch(`http://127.0.0.1:${door.port}/hooks/board/x`, { method: 'POST', body: '{}' });

  expect(answer.status).toBe(503);
  await door.close({ lullMs: 0, drainMs: 100 });
});

test('a text that is repeated to the service is never a page', async () => {
  const door = await doorTo(async (_integration, _token, { query }) => ({ status: 200, body: query.get('say') ?? '' }));
  const page = '<script>alert(1)</script>';

  for (const method of ['GET', 'POST']) {
    const url = `http://127.0.0.1:${door.port}/hooks/mail/x?say=${encodeURIComponent(page)}`;
    const answer = await fetch(url, { method });
    expect([answer.headers.get('content-type'), await answer.text()]).toEqual(['text/plain; charset=utf-8', page]);
  }
  await door.close({ lullMs: 0, drainMs: 100 });
});
