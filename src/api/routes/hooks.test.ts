import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { silentLog } from '#log';
import { storageFault } from '#store';
import type { Env } from '../env.ts';
import { answerFailures } from '../failures.ts';
import { listen } from '../listen.ts';
import { hookRoutes } from './hooks.ts';

const unreachable = () =>
  Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }));

test('a notification that cannot be stored is not taken: the service is told to come again', async () => {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    c.set('log', silentLog);
    c.set('requestId', 'req_1');
    await next();
  });
  app.route('/', hookRoutes(unreachable));
  app.onError(answerFailures(storageFault));
  const door = await listen({ fetch: app.fetch, quick: () => false, hostname: '127.0.0.1', port: 0 });

  const answer = await fetch(`http://127.0.0.1:${door.port}/hooks/board/x`, { method: 'POST', body: '{}' });

  expect(answer.status).toBe(503);
  await door.close({ lullMs: 0, drainMs: 100 });
});
