import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault, linkWithin, type Path, parseEndpoint, path, queryOf } from '#kit';
import { anyText } from '../../test/any-text.ts';
import { cases } from '../../test/cases.ts';
import { targetWithin } from './cage.ts';

const base = new URL('https://service.example/v1.0/');

/** Where a request would go, as a URL parser reads it; undefined when it is refused. */
const goesTo = (make: () => { path: Path; query?: [string, string][] }): URL | undefined => {
  try {
    const { path, query } = make();
    return new URL(`${base.origin}${targetWithin(base, { path, query: queryOf(query ?? []) })}`);
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
};

const staysHome = (url: URL | undefined): boolean =>
  url === undefined || (url.origin === base.origin && url.pathname.startsWith('/v1.0/') && url.hash === '');

const climbing = [
  '/',
  '//',
  '\\',
  '.',
  '..',
  '%2e',
  '%2E%2e',
  '%252e',
  '%2f',
  '%5c',
  '@',
  ':',
  '?',
  '#',
  '&',
  '=',
  ';',
];
const confusing = [
  '\t',
  '\r\n',
  '\0',
  'http:',
  'https://',
  'evil.example',
  'a:b@',
  '[::1]',
  '\ud800',
  '%',
  '%zz',
  '%00',
  '。',
  '／',
];
// Text made of the pieces that lead elsewhere when they are not taken literally.
const nasty = fc
  .array(fc.oneof(fc.constantFrom(...climbing, ...confusing), anyText({ maxLength: 4 })), {
    maxLength: 12,
  })
  .map((parts) => parts.join(''));

describe('the cage', () => {
  test('no endpoint leads outside the base', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          nasty,
          nasty.map((text) => `/${text}`),
        ),
        (text) => {
          expect(staysHome(goesTo(() => parseEndpoint(text)))).toBe(true);
        },
      ),
      cases(3_000),
    );
  });

  test('no value leaves its segment', () => {
    fc.assert(
      fc.property(nasty, (id) => {
        const url = goesTo(() => ({ path: path`/me/messages/${id}/move` }));
        expect(url === undefined || /^\/v1\.0\/me\/messages\/[^/?#\\]+\/move$/.test(url.pathname)).toBe(true);
        expect(url?.search ?? '').toBe('');
      }),
      cases(2_000),
    );
  });

  test('a path that was not made by us is refused all the same when it climbs', () => {
    for (const forged of [
      '/../x',
      '//evil.example/x',
      '/a/%2e%2e/x',
      '/a\\..\\x',
      '@evil.example',
      '/x?y',
      '/x#y',
      '/..;/x',
    ]) {
      expect(() => targetWithin(base, { path: forged as Path })).toThrow(Fault);
    }
  });

  test('no query value becomes another parameter', () => {
    fc.assert(
      fc.property(nasty, nasty, (name, value) => {
        const url = goesTo(() => ({ path: path`/me`, query: [[name, value]] }));
        if (url !== undefined) expect([...url.searchParams]).toEqual([[name, value]]);
        expect(staysHome(url)).toBe(true);
      }),
      cases(2_000),
    );
  });

  test('no link from an answer leads outside the base', () => {
    const starts = [
      '',
      '/',
      'https://service.example',
      'https://service.example/v1.0',
      'https://service.example:444/v1.0',
    ];
    fc.assert(
      fc.property(fc.constantFrom(...starts), nasty, (start, rest) => {
        expect(staysHome(goesTo(() => linkWithin(base, start + rest)))).toBe(true);
      }),
      cases(3_000),
    );
  });
});

test.each([
  'https://evil.example/',
  'me/messages',
  '//evil.example/me',
  '/\\evil.example',
  '/me\\x',
  '/me/../../x',
  '/me/./x',
  '/me/%2e%2E/x',
  '/me/..%2f..%2fx',
  '/me/%252e%252e/x',
  '/me#x',
  '/me\r\nHost: evil.example',
  '/me%0d%0aHost:x',
  '/me/\ud800',
  '/me?x=\ud800',
  '/me?x=%ff',
  '',
])('the endpoint %j is refused', (endpoint) => {
  expect(() => parseEndpoint(endpoint)).toThrow(expect.objectContaining({ code: 'invalid_input' }));
});

test.each([
  ['/me/messages', '/me/messages', []],
  ["/me/calendars('x y')/events", "/me/calendars('x%20y')/events", []],
  ['/users/ann@example.com/mailFolders', '/users/ann@example.com/mailFolders', []],
  ['/$batch', '/$batch', []],
  ['/me/a%2Fb%20c/d e', '/me/a%2Fb%20c/d%20e', []],
  ['/me/100%', '/me/100%25', []],
  ['/me/grüße/日本', '/me/gr%C3%BC%C3%9Fe/%E6%97%A5%E6%9C%AC', []],
  ['/me/\u212a', '/me/%E2%84%AA', []],
  [
    '/me/messages?$search="from:ann b"&$top=5&x',
    '/me/messages',
    [
      ['$search', '"from:ann b"'],
      ['$top', '5'],
      ['x', ''],
    ],
  ],
  [
    '/me?a=b%26c%3Dd&e=1=2?3/4',
    '/me',
    [
      ['a', 'b&c=d'],
      ['e', '1=2?3/4'],
    ],
  ],
  ['/me?q=a+b%2Bc', '/me', [['q', 'a b+c']]],
  ["/me?$filter=address eq 'joe+tag@example.com'", '/me', [['$filter', "address eq 'joe+tag@example.com'"]]],
  ['/me?q=50% off', '/me', [['q', '50% off']]],
  ['/me?q=a\\b', '/me', [['q', 'a\\b']]],
])('the endpoint %j is read as it was meant', (endpoint, expected, query) => {
  expect(parseEndpoint(endpoint)).toEqual({ path: expected, query });
});

test('a link below the base is followed wherever it says its page is', () => {
  expect(linkWithin(base, 'https://SERVICE.example:443/v1.0/me/messages?$skiptoken=a%2Bb%3D%3D')).toEqual({
    path: '/me/messages',
    query: [['$skiptoken', 'a+b==']],
  });
  expect(linkWithin(base, '/v1.0/me?x=1')).toEqual({ path: '/me', query: [['x', '1']] });
});

test.each([
  'https://evil.example/v1.0/me',
  'http://service.example/v1.0/me',
  'https://service.example/v2.0/me',
  'https://service.example/v1.0',
  'https://service.example/v1.0/../admin',
  'https://service.example/v1.0x/me',
  'https://service.example@evil.example/v1.0/me',
  'https://user:pw@service.example/v1.0/me',
  'https://service.example\\@evil.example/v1.0/me',
  '//service.example/v1.0/me',
  'javascript:alert(1)',
  'me',
  '',
])('the link %j is refused', (link) => {
  expect(() => linkWithin(base, link)).toThrow(expect.objectContaining({ code: 'upstream_rejected' }));
});

test('a name given several times keeps all its values, and no name is special', () => {
  expect({
    ...queryOf([
      ['a', '1'],
      ['b', '2'],
      ['a', '3'],
      ['a', '4'],
      ['__proto__', 'x'],
    ]),
  }).toEqual(
    Object.fromEntries([
      ['a', ['1', '3', '4']],
      ['b', '2'],
      ['__proto__', 'x'],
    ]),
  );
});
