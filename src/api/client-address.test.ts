import type { HttpBindings } from '@hono/node-server';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClientAddress } from './client-address.ts';

const from = (remoteAddress: string | undefined, forwarded?: string | string[]) =>
  ({ incoming: { socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } } }) as unknown as HttpBindings;

const behind = createClientAddress(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);

test('nobody is believed unless the operator named them', () => {
  const alone = createClientAddress([]);
  fc.assert(
    fc.property(fc.ipV4(), fc.oneof(fc.ipV4(), fc.string()), (connection, claimed) => {
      expect(alone(from(connection, claimed))).toBe(connection);
    }),
  );
  expect(behind(from('203.0.113.9', '198.51.100.1'))).toBe('203.0.113.9');
});

test.each([
  ['one proxy', '127.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['two proxies, one of a network', '127.0.0.1', '198.51.100.1, 10.1.2.3', '198.51.100.1'],
  ['what the client claims itself', '127.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['several headers', '127.0.0.1', ['1.1.1.1', '198.51.100.1'], '198.51.100.1'],
  ['an address with its port', '127.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
  ['an address in IPv6 clothes', '::ffff:127.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
  ['a proxy that says nothing', '127.0.0.1', undefined, '127.0.0.1'],
  ['a proxy that says nonsense', '127.0.0.1', '198.51.100.1, unknown', '127.0.0.1'],
  ['proxies alone', '127.0.0.1', '10.0.0.1', '10.0.0.1'],
  ['an IPv6 proxy', 'fd00::1', '[2001:db8::7]:443', '2001:db8:0:0::/64'],
])('behind %s', (_, connection, forwarded, expected) => {
  expect(behind(from(connection, forwarded))).toBe(expected);
});

test('all addresses of one IPv6 network count as one, those of two do not', () => {
  const alone = createClientAddress([]);
  const one = alone(from('2001:db8:1:2:aaaa:bbbb:cccc:dddd'));
  expect(alone(from('2001:0db8:1:2::1'))).toBe(one);
  expect(alone(from('2001:db8:1:3::1'))).not.toBe(one);
  expect(alone(from('fe80::1%eth0'))).toBe('fe80:0:0:0::/64');
});

test('a connection without an address counts, too', () => {
  expect([behind(from(undefined, '198.51.100.1')), behind(undefined)]).toEqual(['unknown', 'unknown']);
});
