import { expect, test } from 'vitest';
import { mayBeIssuer, readIdToken } from './id-token.ts';

const now = new Date('2026-11-17T12:00:00Z');
const seconds = now.getTime() / 1_000;
const issuer = 'https://login.example/{tenantid}/v2.0';
const expected = { issuer, audience: 'our-app', nonce: 'this attempt', now };
const good = {
  iss: 'https://login.example/t1/v2.0',
  tid: 't1',
  aud: 'our-app',
  nonce: 'this attempt',
  exp: seconds + 3_600,
  oid: 'ada',
};

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const tokenOf = (claims: unknown): string => `${part({ alg: 'RS256' })}.${part(claims)}.signature`;

test('an identity that is meant for us and this attempt is read', () => {
  expect(readIdToken(tokenOf(good), expected)).toMatchObject({ oid: 'ada' });
  expect(
    readIdToken(tokenOf({ ...good, iss: 'https://any.example' }), { ...expected, issuer: undefined }),
  ).toMatchObject({ oid: 'ada' });
  // Clocks differ a little.
  expect(readIdToken(tokenOf({ ...good, exp: seconds - 240 }), expected)).toMatchObject({ oid: 'ada' });
});

test.each([
  ['of another issuer', { iss: 'https://evil.example/t1/v2.0' }, 'another issuer'],
  ['of the issuer for another tenant than it names', { tid: 't2' }, 'another issuer'],
  ['of a tenant that it does not name', { tid: undefined }, 'another issuer'],
  ['for another app', { aud: 'another-app' }, 'meant for another app'],
  ['for several apps', { aud: ['our-app', 'another-app'] }, 'it is malformed'],
  ['for another sign-in', { nonce: 'another attempt' }, 'made for another sign-in'],
  ['for no sign-in at all', { nonce: undefined }, 'made for another sign-in'],
  ['that is over', { exp: seconds - 360 }, 'it has expired'],
  ['that never ends', { exp: undefined }, 'it is malformed'],
])('one %s is not trusted', (_, over, why) => {
  expect(() => readIdToken(tokenOf({ ...good, ...over }), expected)).toThrow(`cannot be trusted (${why})`);
});

test.each([
  ['none', undefined, 'it is missing'],
  ['a word', 'token', 'it is missing'],
  ['no JSON', 'a.b.c', 'it is malformed'],
  ['no claims', tokenOf(null), 'it is malformed'],
])('where there is %s, nobody is', (_, token, why) => {
  expect(() => readIdToken(token, expected)).toThrow(`cannot be trusted (${why})`);
});

test.each([
  ['https://login.example/t1/v2.0', true],
  ['https://login.example/t1/v2.0/', false],
  ['https://login.example//v2.0', false],
  ['https://login.example/t1/../t2/v2.0', false],
  ['https://login.example.evil.example/t1/v2.0', false],
  ['https://login.example/v2.0', false],
  ['https://logim.example/t1/v2.0', false],
  ['https://login.example/t1/v2.1', false],
])('a callback from %s may be of the configured issuer: %s', (from, may) => {
  expect(mayBeIssuer(from, issuer)).toBe(may);
  expect(mayBeIssuer(from, 'https://login.example/t1/v2.0')).toBe(from === 'https://login.example/t1/v2.0');
});
