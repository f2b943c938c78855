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
