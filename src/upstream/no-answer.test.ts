import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { UpstreamRequest } from '#kit';
import { createLog } from '#log';
import { isAmbiguous } from './no-answer.ts';
import type { UpstreamClient } from './types.ts';
import { failureOf, get, newClient, post, rawServer, upstreamServer } from './upstream-server.fixture.ts';

const unsent = { code: 'upstream_unavailable', details: { sent: false } };
const lost = { code: 'upstream_unavailable', details: { sent: true } };
const unknown = { code: 'outcome_unknown', details: { sent: true } };

test('a refused connection is proof that nothing was sent', async () => {
  const base = new URL('http://127.0.0.1:1');
  expect(await failureOf(newClient().call({ base, request: post(), headers: {} }))).toMatchObject(unsent);
});

test('a name that leads nowhere is proof that nothing was sent', async () => {
  // A label this long is refused by the resolver itself, so the question leaves no machine.
  const base = new URL(`http://${'n'.repeat(64)}.invalid`);
  expect(await failureOf(newClient().call({ base, request: post(), headers: {} }))).toMatchObject(unsent);
});

test('an address inside our own network is refused, by number and by name', async () => {
  await using upstream = await upstreamServer();
  const client = newClient({ allowPrivate: false });
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1']) {
    const base = new URL(`http://${host}:${upstream.port}`);
    const fault = await failureOf(client.call({ base, request: post(), headers: {} }));
    expect(fault).toMatchObject({ code: 'upstream_unavailable', details: { reason: 'not_allowed', sent: false } });
  }
  expect(upstream.seen).toEqual([]);
});

test.each([
  ['before reading', (socket: Socket) => socket.resetAndDestroy()],
  ['after reading', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy())],
  ['by closing after reading', (socket: Socket) => socket.once('data', () => socket.end())],
  [
    'amid the answer',
    (socket: Socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')),
  ],
  ['with noise', (socket: Socket) => socket.once('data', () => socket.end('SMTP ready\r\n\r\n'))],
])('a connection lost %s leaves a write unknown and a read to be tried again', async (_, onConnection) => {
  await using raw = await rawServer(onConnection);
  const { base, connections } = raw;
  const client = newClient();
  const write = await failureOf(client.call({ base, request: post(), headers: {} }));
  expect([unsent.code, unknown.code]).toContain(write.code);
  // Only proof that nothing left may make a write repeatable.
  expect(write.code === 'upstream_unavailable').toBe(write.details?.['sent'] === false);
  expect(isAmbiguous(write)).toBe(write.code === 'outcome_unknown');
  expect(await failureOf(client.call({ base, request: get(), headers: {} }))).toMatchObject({ code: lost.code });
  const query = await failureOf(client.call({ base, request: post(), headers: {}, effect: 'read' }));
  expect(query).toMatchObject({ code: lost.code });
  expect(connections()).toBe(3);
});

test('a write on a kept connection that dies is not sent again on a new one', async () => {
  const requests: string[] = [];
  await using raw = await rawServer((socket, count) => {
    let served = 0;
    socket.on('data', (chunk) => {
      requests.push(chunk.toString().split(' ', 1)[0] ?? '');
      served += 1;
      // The first connection answers once and dies under the second request.
      if (count === 1 && served === 2) socket.destroy();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  });
  const { base, connections } = raw;
  const client = newClient({ connections: 1 });
  await client.call({ base, request: get(), headers: {} });

  const fault = await failureOf(client.call({ base, request: post(), headers: {} }));

  expect(fault).toMatchObject(unknown);
  await client.call({ base, request: get(), headers: {} });
  expect(requests).toEqual(['GET', 'POST', 'GET']);
  expect(connections()).toBe(2);
});

test('a write after the service closed the kept connection goes out once, on a new one', async () => {
  const requests: string[] = [];
  await using raw = await rawServer((socket) => {
    socket.on('data', (chunk) => {
      requests.push(chunk.toString().split(' ', 1)[0] ?? '');
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  });
  const { base } = raw;
  const client = newClient({ connections: 1 });
  await client.call({ base, request: get(), headers: {} });
  await new Promise((resolve) => setTimeout(resolve, 20));

  expect(await client.call({ base, request: post(), headers: {} })).toMatchObject({ status: 200 });

  expect(requests).toEqual(['GET', 'POST']);
});

test.each([
  ['the headers never come', () => {}],
  ['the body never ends', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc')],
  [
    'the body drips',
    (socket: Socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n');
      const drip = setInterval(() => socket.write('x'), 10);
      socket.on('close', () => clearInterval(drip));
    },
  ],
])('the deadline ends the call when %s', async (_, behave) => {
  await using raw = await rawServer((socket) => void socket.on('data', () => behave(socket)));
  const { base } = raw;
  const client = newClient();
  const options = { base, headers: {}, deadlineMs: 100 };
  expect(await failureOf(client.call({ ...options, request: get() }))).toMatchObject(lost);
  expect(await failureOf(client.call({ ...options, request: post() }))).toMatchObject({
    ...unknown,
    details: { reason: 'deadline', sent: true },
  });
});

test('a call that is still waiting for a connection at its deadline is never sent', async () => {
  const gate = Promise.withResolvers<void>();
  await using upstream = await upstreamServer((_, response) => void gate.promise.then(() => response.end()));
  const client = newClient({ connections: 1 });
  const base = new URL(upstream.origin);
  const first = client.call({ base, request: get(), headers: {} });

  expect(await failureOf(client.call({ base, request: post(), headers: {}, deadlineMs: 50 }))).toMatchObject(unsent);

  gate.resolve();
  await first;
  await client.call({ base, request: get('/last'), headers: {} });
  expect(upstream.seen.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /x', 'GET /last']);
});

test('a raised signal and a closing client end what is on the wire', async () => {
  await using upstream = await upstreamServer(() => {});
  const client = newClient();
  const base = new URL(upstream.origin);
  const stop = new AbortController();
  const stopped = failureOf(client.call({ base, request: post(), headers: {}, signal: stop.signal }));
  const closed = failureOf(client.call({ base, request: get(), headers: {} }));
  await expect.poll(() => upstream.seen.length).toBe(2);

  stop.abort();
  expect(await stopped).toMatchObject({ ...unknown, details: { reason: 'aborted' } });
  await client.close();
  expect(await closed).toMatchObject({ code: 'upstream_unavailable', details: { reason: 'closed' } });
  expect(await failureOf(client.call({ base, request: get(), headers: {} }))).toMatchObject({
    code: 'upstream_unavailable',
  });
  const late = newClient().call({ base, request: post(), headers: {}, signal: AbortSignal.abort() });
  expect(await failureOf(late)).toMatchObject(unsent);
});

test.each([
  ['stopped', (_: UpstreamClient, stop: AbortController) => stop.abort()],
  ['ended with the process', (client: UpstreamClient) => void client.close()],
])('a write whose answer is there is answered, although it is %s before anybody went on with it', async (_, end) => {
  await using upstream = await upstreamServer((_seen, response) => response.writeHead(201).end('made'));
  const client = newClient();
  const stop = new AbortController();
  const onWhole = () => queueMicrotask(() => end(client, stop));
  subscribe('undici:request:trailers', onWhole);
  onTestFinished(() => void unsubscribe('undici:request:trailers', onWhole));

  const answer = client.call({ base: new URL(upstream.origin), request: post(), headers: {}, signal: stop.signal });

  expect(await answer).toMatchObject({ status: 201, body: 'made' });
});

test('the queue has a bound', async () => {
  await using upstream = await upstreamServer(() => {});
  const client = newClient({ connections: 1 });
  const base = new URL(upstream.origin);
  const waiting = Array.from({ length: 16 }, () => failureOf(client.call({ base, request: get(), headers: {} })));

  expect(await failureOf(client.call({ base, request: post(), headers: {} }))).toMatchObject({
    details: { reason: 'busy', sent: false },
  });

  await client.close();
  await Promise.all(waiting);
});

test('the credential appears in no error and no log line', async () => {
  const lines: string[] = [];
  const log = createLog('trace', { write: (line: string) => void lines.push(line) });
  const client = newClient({ log });
  await using raw = await rawServer((socket) => void socket.once('data', () => socket.resetAndDestroy()));
  const { base } = raw;
  const secret = 'planted-7f3a';
  const request: UpstreamRequest = { ...post({ note: secret }), query: { q: secret }, headers: { prefer: secret } };
  const headers = { authorization: `Bearer ${secret}` };
  const faults = [
    await failureOf(client.call({ base, request, headers })),
    await failureOf(client.call({ base: new URL('http://127.0.0.1:1'), request, headers })),
    await failureOf(client.call({ base, request, headers: { authorization: `${secret}\n` } })),
  ];

  for (const fault of faults) {
    expect(`${fault.stack}${JSON.stringify(fault.details)}${String(fault.cause)}`).not.toContain(secret);
  }
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.join('')).not.toContain(secret);
});
