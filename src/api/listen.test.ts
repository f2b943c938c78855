import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from './listen.ts';
import { giveTime } from './slow-bodies.ts';

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

test('requests that come in one turn go on abreast', async () => {
  const seen: string[] = [];
  const door = await listen({
    fetch: () => new Response(),
    quick: (_, outgoing) => {
      seen.push('begins');
      void Promise.resolve().then(() => {
        seen.push('goes on');
        outgoing.end();
      });
      return true;
    },
    hostname: '127.0.0.1',
    port: 0,
  });
  const ask = async (socket: ReturnType<typeof connect>): Promise<void> => {
    socket.write(`GET / HTTP/1.1\r\nhost: here\r\n\r\n`);
    await once(socket, 'data');
  };
  const sockets = [connect(door.port, '127.0.0.1'), connect(door.port, '127.0.0.1')];
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  const askBoth = async (): Promise<string[]> => {
    seen.length = 0;
    await Promise.all(sockets.map(ask));
    return [...seen];
  };

  // A busy machine may bring them in two turns.
  await expect.poll(askBoth).toEqual(['begins', 'begins', 'goes on', 'goes on']);
  await door.close({ lullMs: 0, drainMs: 100 });
});

test('a request that comes too slowly is ended with 408; one that was given time goes on', async () => {
  const door = await listen({
    fetch: () => new Response(),
    quick: (incoming, outgoing) => {
      if (incoming.url === '/large') giveTime(incoming);
      void incoming.resume().once('end', () => outgoing.end('whole'));
      return true;
    },
    hostname: '127.0.0.1',
    port: 0,
    requestMs: 50,
  });
  const begin = (path: string) => {
    const socket = connect(door.port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`POST ${path} HTTP/1.1\r\nhost: here\r\ncontent-length: 2\r\n\r\na`);
    return socket;
  };
  const large = begin('/large');
  const other = begin('/other');

  expect(String(await once(other, 'data'))).toMatch(/^HTTP\/1.1 408 /);
  large.write('b');
  expect(String(await once(large, 'data'))).toMatch(/^HTTP\/1.1 200 /);
  await door.close({ lullMs: 0, drainMs: 100 });
});
