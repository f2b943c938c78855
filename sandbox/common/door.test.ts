import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Asked } from './asked.ts';
import { type Answered, watchDoor } from './door.ts';
import { listen } from './listen.ts';
import { createControl } from './server.ts';

const plainly = async (asked: Asked, heard: string[]): Promise<Answered> => {
  if (asked.url.includes('bug')) throw new Error('A bug, on purpose.');
  asked.user = 'ada';
  const said = (await asked.body()).toString();
  heard.push(said);
  const body = `${asked.origin} ${asked.method} ${asked.url} ${said}`;
  return { status: 200, headers: ['Content-Type', 'text/plain', 'X-Own', asked.header('X-Sent') ?? ''], body };
};

const open = async () => {
  const control = createControl();
  const inside = { now: 0, most: 0 };
  const heard: string[] = [];
  const faultBody = (status: number) => ({ body: `failed ${status}`, contentType: 'text/plain' });
  const door = watchDoor(control, faultBody, {
    opens: (url) => url.startsWith('/api/'),
    enter: () => {
      inside.now++;
      inside.most = Math.max(inside.most, inside.now);
    },
    answer: (asked) => plainly(asked, heard),
    leave: () => void inside.now--,
  });
  const app = new Hono().get('*', (c) => c.text(`page ${c.req.path}`));
  const server = await listen({ service: 'model', fetch: app.fetch, door });
  const ask = async (path: string, init?: RequestInit) => {
    const answer = await fetch(server.url + path, init);
    return { status: answer.status, headers: answer.headers, said: await answer.text() };
  };
  const said = () => control.log.list().map(({ method, path, status, user }) => [method, path, status, user]);
  return { ...server, control, inside, heard, ask, said, [Symbol.asyncDispose]: server.close };
};

/** What a client that writes its own lines gets to hear. */
const wire = async (port: number, lines: string[]): Promise<string> => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return text(socket);
};

test('what is behind the door is answered there, with body, headers and who asked in the log', async () => {
  await using house = await open();
  const answer = await house.ask('/api/things?x=%20ü', { method: 'POST', body: 'grün', headers: { 'x-sent': 'yes' } });
  expect(answer.said).toBe(`${house.url} POST /api/things?x=%20%C3%BC grün`);
  expect([answer.status, answer.headers.get('x-own'), answer.headers.get('content-length')]).toEqual([
    200,
    'yes',
    String(Buffer.byteLength(answer.said)),
  ]);
  expect((await house.ask('/elsewhere')).said).toBe('page /elsewhere');
  expect((await house.ask('/api/things', { method: 'HEAD' })).said).toBe('');
  expect(house.said()).toEqual([
    ['POST', '/api/things?x=%20%C3%BC', 200, 'ada'],
    ['HEAD', '/api/things', 200, 'ada'],
  ]);
});

test('a path that leads upwards is followed before it is looked at', async () => {
  await using house = await open();
  const get = (target: string) => wire(house.port, [`GET ${target} HTTP/1.1`, 'Host: Here', 'Connection: close']);
  expect(await get('/api/../secret')).toContain('page /secret');
  expect(await get('/pages/%2e%2e/api/x')).toContain('http://here GET /api/x');
  expect(await get('/api/x#part')).toContain('http://here GET /api/x ');
  expect(await get('http://other.test/api/x')).toContain('http://other.test GET /api/x');
  expect(await wire(house.port, ['GET /api/x HTTP/1.1', 'Host: [', 'Connection: close'])).toContain('400 Bad Request');
});

test('faults strike behind the door as they do elsewhere', async () => {
  await using house = await open();
  const { faults } = house.control;
  faults.add({ match: {}, kind: 'status', status: 429, retryAfter: 3, times: 1 });
  const refused = await house.ask('/api/a');
  expect([refused.status, refused.headers.get('retry-after'), refused.said]).toEqual([429, '3', 'failed 429']);
  faults.add({ match: {}, kind: 'reset', times: 1 });
  await expect(house.ask('/api/b')).rejects.toThrow();
  faults.add({ match: {}, kind: 'accept_then', times: 1 });
  await expect(house.ask('/api/c')).rejects.toThrow();
  faults.add({ match: {}, kind: 'accept_then', status: 504, ms: 1, times: 1 });
  expect((await house.ask('/api/d')).said).toBe('failed 504');
  expect(house.said().map(([, path, status, user]) => [path, status, user])).toEqual([
    ['/api/a', 429, null],
    ['/api/b', 0, null],
    ['/api/c', 0, 'ada'],
    ['/api/d', 504, 'ada'],
  ]);
});

test('a request counts as inside while a fault delays it, and no longer', async () => {
  await using house = await open();
  house.control.faults.add({ match: {}, kind: 'latency', ms: 30 });
  await Promise.all(['/api/a', '/api/b', '/api/c'].map((path) => house.ask(path)));
  expect(house.inside).toEqual({ now: 0, most: 3 });
});

test('a bug is a 500 that is told, and whoever hangs up does no harm', async () => {
  await using house = await open();
  const warned = once(process, 'warning');
  expect((await house.ask('/api/bug')).said).toBe('failed 500');
  expect(String((await warned)[0])).toContain('A bug, on purpose.');
  const told: unknown[] = [];
  const hear = (warning: unknown) => void told.push(warning);
  process.on('warning', hear);
  const hangUpAfter = async (path: string, body: string): Promise<void> => {
    const socket = connect(house.port, '127.0.0.1');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: here\r\nContent-Length: 5\r\n\r\n${body}`);
    await expect.poll(() => house.inside.now).toBe(1);
    socket.destroy();
    await expect.poll(() => house.inside.now).toBe(0);
  };
  await hangUpAfter('/api/half', 'ha');
  expect(house.said().at(-1)).toEqual(['POST', '/api/half', 0, 'ada']);
  house.control.faults.add({ match: {}, kind: 'latency', ms: 50 });
  await hangUpAfter('/api/half', 'ha');
  expect(house.said().at(-1)).toEqual(['POST', '/api/half', 0, 'ada']);
  await hangUpAfter('/api/whole', 'whole');
  expect(house.said().at(-1)).toEqual(['POST', '/api/whole', 200, 'ada']);
  expect(house.heard.at(-1)).toBe('whole');
  process.off('warning', hear);
  expect(told).toEqual([]);
});
