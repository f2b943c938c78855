import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from './listen.ts';

test('what was sent to a process before it was known to stop is answered, and the connection is closed', async () => {
  const door = await listen({ fetch: () => new Response('hello'), quick: () => false, hostname: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const ask = () =>
    new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port: door.port, agent }, (answer) => {
        answer.resume().on('end', () => resolve([answer.statusCode, answer.headers.connection]));
      });
      asked.on('error', reject).end();
    });
  expect(await ask()).toEqual([200, 'keep-alive']);

  const closing = door.close({ lullMs: 100, drainMs: 1_000 });

  expect(await ask()).toEqual([200, 'close']);
  await closing;
  await expect(ask()).rejects.toThrow('ECONNREFUSED');
});

test('of many who come at once nobody is left at the door when it closes', async () => {
  const many = 150;
  const busyMs = 3;
  const door = await listen({
    fetch: () => {
      for (const until = performance.now() + busyMs; performance.now() < until; );
      return new Response('hello');
    },
    quick: () => false,
    hostname: '127.0.0.1',
    port: 0,
  });
  const crowd = fork(new URL('./crowd.fixture.ts', import.meta.url), [String(door.port), String(many)]);
  onTestFinished(() => void crowd.kill());
  // All are connected, and have asked; hardly any was let in.
  await once(crowd, 'message');

  const closing = door.close({ lullMs: 0, drainMs: 10_000 });

  const [statuses] = await once(crowd, 'message');
  expect(statuses).toEqual({ 200: many });
  await closing;
});
