import type { LookupAddress, lookup } from 'node:dns';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { guardedConnector, mayReach, NotAllowed } from './guard.ts';

test.each([
  '127.0.0.1',
  '127.9.9.9',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '::1',
  '::',
  'fc00::1',
  'fd12:3456::1',
  '2001:db8::1',
  '2002:7f00:1::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '0:0:0:0:0:0:0:1',
  '64:ff9b::10.0.0.1',
  '64:ff9b::a00:1',
  '::127.0.0.1',
  '2001:0:1::1',
  '::ffff:0:127.0.0.1',
  '100:0:0:1::1',
  '3fff::1',
  '5f00::1',
  '8000::1',
])('%s is reached in the sandbox only', (address) => {
  expect(mayReach(address, false)).toBe(false);
});

test.each(['127.0.0.1', '::1', '192.168.1.1', 'fd12:3456::1', '::ffff:127.0.0.1'])(
  'the sandbox reaches %s',
  (address) => {
    expect(mayReach(address, true)).toBe(true);
  },
);

test.each(['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1'])('%s is this machine itself', (address) => {
  expect(mayReach(address, 'loopback')).toBe(true);
});

test.each(['192.168.1.1', '10.1.2.3', 'fd12:3456::1', '::ffff:10.0.0.1', '0.0.0.0', '169.254.169.254', 'fe80::1'])(
  '%s is not this machine',
  (address) => {
    expect(mayReach(address, 'loopback')).toBe(false);
  },
);

test.each([
  '169.254.169.254',
  '::ffff:169.254.169.254',
  '::ffff:a9fe:a9fe',
  '64:ff9b::a9fe:a9fe',
  '::ffff:0:169.254.169.254',
  'fe80::1',
  'fe80::1%eth0',
  '224.0.0.1',
  '255.255.255.255',
  'ff02::1',
  'not an address',
  '',
])('%s is never reached', (address) => {
  expect(mayReach(address, false)).toBe(false);
  expect(mayReach(address, true)).toBe(false);
});

test.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '2606:4700:4700::1111', '64:ff9b::8.8.8.8', '::ffff:8.8.8.8'])(
  '%s is an address like any other',
  (address) => {
    expect(mayReach(address, false)).toBe(true);
  },
);

/** A server that only listens, and an attempt to reach it under a name that leads to these addresses. */
const opening = async (addresses: readonly string[] = []) => {
  const known = addresses.map((address): LookupAddress => ({ address, family: 4 }));
  const resolveName = ((_, __, answer: (error: null, found: LookupAddress[]) => void) =>
    answer(null, known)) as typeof lookup;
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const port = String((server.address() as AddressInfo).port);
  const connect = (protocol: string, hostname: string) =>
    new Promise<Error | Socket | null>((resolve) =>
      guardedConnector({ allowPrivate: 'loopback', timeoutMs: 2_000, resolve: resolveName })(
        { hostname, protocol, port },
        (...[error, socket]) => resolve(error ?? socket),
      ),
    );
  return { server, connect, [Symbol.asyncDispose]: async () => void server.close() };
};

test.each([[['127.0.0.1', '10.0.0.1']], [['127.0.0.1', '169.254.169.254', '127.0.0.2']], [[]]])(
  'a name that leads to %j is not connected to: one address that may not be reached is enough',
  async (addresses) => {
    await using opened = await opening(addresses);
    let connections = 0;
    opened.server.on('connection', () => connections++);
    expect(await opened.connect('http:', 'somewhere.example')).toBeInstanceOf(NotAllowed);
    expect(connections).toBe(0);
  },
);

test('services are never offered HTTP/2, in which a library sends again what was sent', async () => {
  await using opened = await opening();
  const hello = once(opened.server, 'connection').then(async ([socket]: Socket[]) => {
    const [bytes] = (await once(socket as Socket, 'data')) as [Buffer];
    socket?.destroy();
    return bytes.toString('latin1');
  });
  await opened.connect('https:', '127.0.0.1');
  const said = await hello;
  // Each name that is offered stands there behind its length.
  expect(['\x02h2', '\x08http/1.1'].filter((name) => said.includes(name))).toEqual(['\x08http/1.1']);
});
