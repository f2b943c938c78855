import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Clock, defaultIntervals, systemClock } from '#clock';
import { type Workbench, workbench } from '#test';
import { guardedConnector, mayReach } from '#upstream';
import { openReceiver } from '../../test/webhook-receiver.ts';
import { createReceiver } from './receiver.ts';

const intervals = { ...defaultIntervals, noticeRetryMs: 2, drainMs: 500 };
const events = ['run.finished'];

describe('in live mode', () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await workbench({ config: { intervals, sandbox: { enabled: false, port: 1 } } });
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test.each([
    'http://example.com/hook',
    'http://127.0.0.1/hook',
    'https://127.0.0.1/hook',
    'https://127.9.9.9/hook',
    'https://2130706433/hook',
    'https://0x7f.1/hook',
    'https://0/hook',
    'https://10.0.0.1/hook',
    'https://172.16.0.1/hook',
    'https://192.168.1.1/hook',
    'https://100.64.0.1/hook',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/hook',
    'https://[::]/hook',
    'https://[::ffff:127.0.0.1]/hook',
    'https://[::ffff:a9fe:a9fe]/hook',
    'https://[64:ff9b::7f00:1]/hook',
    'https://[fd00::1]/hook',
    'https://[fe80::1]/hook',
    'https://user:password@example.com/hook',
    'https://example.com/hook#part',
    'ftp://example.com/hook',
    'javascript:alert(1)',
    'example.com',
  ])('%s is refused, when it is given first and when it is changed', async (url) => {
    const made = await bench.owned('POST', '/v1/webhooks', { url, events });
    expect([made.status, made.body.error?.details?.fields?.[0]?.field]).toEqual([400, 'url']);
    const { body } = await bench.owned('POST', '/v1/webhooks', { url: 'https://example.com/hook', events });
    expect(await bench.owned('PATCH', `/v1/webhooks/${body.id}`, { url })).toMatchObject({ status: 400 });
    await bench.owned('DELETE', `/v1/webhooks/${body.id}`);
  });

  test('a name that leads to this machine is not even connected to', async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const url = `https://localhost:${port}/hook`;
    const { body } = await bench.owned('POST', '/v1/webhooks', { url, events });
    await bench.owned('POST', `/v1/webhooks/${body.id}/test`);

    const tries = async () => (await bench.owned('GET', `/v1/webhooks/${body.id}`)).body.recentDeliveries[0].tries;
    await expect.poll(async () => (await tries()).length).toBeGreaterThan(1);

    expect((await tries())[0]).toMatchObject({ error: expect.stringContaining('not allowed') });
    expect(connections).toBe(0);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('in the sandbox', () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await workbench({ config: { intervals } });
  });
  afterAll(() => bench[Symbol.asyncDispose]());

  test.each(['http://127.0.0.1:9/hook', 'http://localhost:9/hook', 'http://[::1]:9/hook', 'https://example.com/hook'])(
    '%s is taken',
    async (url) => {
      expect(await bench.owned('POST', '/v1/webhooks', { url, events })).toMatchObject({ status: 201 });
    },
  );

  test.each([
    'http://example.com/hook',
    'http://192.168.1.1/hook',
    'https://192.168.1.1/hook',
    'https://10.0.0.1/hook',
    'https://169.254.169.254/hook',
    'http://127.0.0.1.example.com/hook',
  ])('%s is refused', async (url) => {
    expect(await bench.owned('POST', '/v1/webhooks', { url, events })).toMatchObject({ status: 400 });
  });
});

test('a receiver that says nothing for ten seconds has not taken it', async () => {
  await using silent = await openReceiver(() => new Promise(() => {}));
  // Time passes at once, but only when the request has arrived.
  const clock: Clock = {
    ...systemClock(),
    sleep: async (ms) => {
      expect(ms).toBe(10_000);
      await expect.poll(() => silent.received.length).toBe(1);
    },
  };
  const receiver = createReceiver({
    clock,
    outside: {
      connect: guardedConnector({ allowPrivate: 'loopback', timeoutMs: 1_000 }),
      mayReach: (address) => mayReach(address, 'loopback'),
      plainLoopback: true,
    },
  });

  const reception = await receiver.post(silent.url, {}, '{}', new AbortController().signal);

  expect(reception).toEqual({ error: 'No answer within 10 s.' });
  await receiver.close();
});

test('an endless answer counts by its status and is not read to its end', async () => {
  let taken = 0;
  const server = (await import('node:http')).createServer((_, response) => {
    response.writeHead(200);
    const more = () => {
      while (response.write('x'.repeat(65_536)));
      taken = response.socket?.bytesWritten ?? taken;
      response.once('drain', more);
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const connect = guardedConnector({ allowPrivate: 'loopback', timeoutMs: 1_000 });
  const outside = { connect, mayReach: () => true, plainLoopback: true };
  const receiver = createReceiver({ clock: systemClock(), outside });

  const reception = await receiver.post(`http://127.0.0.1:${port}/`, {}, '{}', new AbortController().signal);

  expect(reception).toEqual({ status: 200, response: 'x'.repeat(500), retryAfterMs: undefined });
  // No more than fits into the pipes between the two.
  expect(taken).toBeLessThan(50_000_000);
  await receiver.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
