import { expect, test } from 'vitest';
import { secretSignsIn } from './secret-signs.ts';

// Put together here, so that this file is not found itself.
const joined = (...parts: string[]) => parts.join('');

test.each([
  ['a private key', joined('-----BEGIN RSA PRIVATE', ' KEY-----')],
  ['a key of our own', joined('sbk', '_', 'a'.repeat(43))],
  ['a token of a code host', joined('ghp', '_', 'a'.repeat(36))],
  ['a key of a cloud', joined('AKIA', 'A'.repeat(16))],
  ['a key of a model provider', joined('sk-', 'ant-', 'a'.repeat(40))],
  ['a token of a chat', joined('xoxb', '-', '1'.repeat(12))],
  ['a token of a package registry', joined('npm', '_', 'a'.repeat(36))],
  ['a signed token', joined('eyJ', 'a'.repeat(20), '.eyJ', 'b'.repeat(20), '.', 'c'.repeat(20))],
  ['a password in an address', joined('postgres://switchboard:', 'correct-horse', '@db.example.com/x')],
])('%s is found, with its line and without itself', (what, secret) => {
  expect(secretSignsIn(`first line\nconst x = '${secret}';`)).toEqual([`2: ${what}`]);
});

test.each([
  'sbk_unknown',
  'postgres://x@127.0.0.1:1/x',
  'smtp://user:password@mail.example.com:587',
  'sk-test',
  'eyJ0.eyJ0.x',
])('%s is none', (text) => {
  expect(secretSignsIn(text)).toEqual([]);
});
