import { expect, test } from 'vitest';
import { mayReach } from './guard.ts';

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
