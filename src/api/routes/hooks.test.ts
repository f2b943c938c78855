import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { storageFault } from '#store';
import type { Env } from '../env.ts';
import { answerFailures } from '../failures.ts';
import { listen } from '../listen.ts';
import { hookRoutes } from './hooks.ts';

const unreachable = () =>
  Promise.reject(Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' }));

// Every wait is over at once.
const impatient = { ...systemClock(), after: (_: number, act: () => void) => systemClock().after(0, act) };

test.each([
  ['cannot be stored', unreachable],
  ['cannot be stored in time', () => new Promise<never>(() => {})],
])('a notification that %s is not taken: the service is told to come again', async (_, intake) => {
  const app = new Hono<Env>();
  app.use(async (c, next) => {
    c.set('log', silentLog);
    c.set('requestId', 'req_1');
    await next();
  });
  app.route('/', hookRoutes(intake, impatient));
  app.onError(answerFailures(storageFault));
  const door = await listen({ fetch: app.fetch, quick: () => false, hostname: '127.0.0.1', port: 0 });

  const answer = await fetch(`http://127.0.0.1:${door.port}/hooks/board/x`, { method: 'POST', body: '{}' });

  expect(answer.status).toBe(503);
  await door.close(100);
});
