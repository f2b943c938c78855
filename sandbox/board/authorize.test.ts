import { expect, test } from 'vitest';
import { type Reply, type TestBoard, testBoard } from './test-board.ts';
import { authorizePath, pkce } from './test-oauth.ts';

const returnUrl = 'http://127.0.0.1:9/landing?state=s1';

const authorizeUrl = (bench: TestBoard, more: Record<string, string> = {}): string => {
  const { key } = bench.board.credentials();
  const query = { key, name: 'Switchboard', scope: 'read,write', expiration: 'never', response_type: 'token', ...more };
  return `/1/authorize?${new URLSearchParams(query)}`;
};

const cookieOf = ({ headers }: Reply): string => (headers.get('set-cookie') ?? '').split(';')[0] ?? '';

const signIn = async (bench: TestBoard, as = 'ada'): Promise<string> =>
  cookieOf(await bench.raw('POST', '/sign-in', undefined, { form: { as, next: '/' } }));

const hidden = (text: string): Record<string, string> => {
  const unescape = (value: string) => value.replaceAll('&amp;', '&').replaceAll('&quot;', '"').replaceAll('&#39;', "'");
  const found = text.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g);
  return Object.fromEntries([...found].map(([, name, value]) => [name, unescape(value ?? '')]));
};

const decide = async (bench: TestBoard, path: string, decision: string): Promise<Reply> => {
  const headers = { cookie: await signIn(bench) };
  const page = await bench.raw('GET', path, undefined, { headers });
  expect(page.text).toContain('to use your account?');
  const action = path.split('?')[0] ?? '';
  return bench.raw('POST', action, undefined, { form: { ...hidden(page.text), decision }, headers });
};

test('authorize with fragment return: sign in, allow, and the token follows the #', async () => {
  await using bench = await testBoard();
  const path = authorizeUrl(bench, { return_url: returnUrl, callback_method: 'fragment', scope: 'read' });
  const stranger = await bench.raw('GET', path);
  expect([stranger.status, stranger.text.includes('Sign in')]).toEqual([200, true]);
  const { headers } = await decide(bench, path, 'allow');
  const [page, token] = (headers.get('location') ?? '').split('#token=');
  expect(page).toBe(returnUrl);
  const { key } = bench.board.credentials();
  const me = await bench.raw('GET', `/1/members/me?key=${key}&token=${token}`);
  expect(me.body).toMatchObject({ username: 'ada' });
  // Without the account scope no address, without the write scope no writing.
  expect(me.body).not.toHaveProperty('email');
  const write = await bench.raw('POST', '/1/boards', { name: 'x', key, token });
  expect([write.status, write.text]).toEqual([401, 'unauthorized permission requested']);
});

test('authorize refused comes back as #error', async () => {
  await using bench = await testBoard();
  const { headers } = await decide(bench, authorizeUrl(bench, { return_url: returnUrl }), 'deny');
  expect(headers.get('location')).toBe(`${returnUrl}#error=Token%20request%20rejected`);
});

test('authorize without return_url shows the token on a page', async () => {
  await using bench = await testBoard();
  const reply = await decide(bench, authorizeUrl(bench), 'allow');
  expect(reply.text).toMatch(/<code id="token">ATTA[0-9a-f]{72}<\/code>/);
});

test('authorize by postMessage hands the token to the opener of that origin', async () => {
  await using bench = await testBoard();
  const path = authorizeUrl(bench, { return_url: returnUrl, callback_method: 'postMessage' });
  const reply = await decide(bench, path, 'allow');
  expect(reply.text).toMatch(/data-message="ATTA[0-9a-f]+" data-origin="http:\/\/127\.0\.0\.1:9"/);
});

test('return_url must match an allowed origin; loopback is allowed by default', async () => {
  await using bench = await testBoard();
  const elsewhere = authorizeUrl(bench, { return_url: 'https://app.example/back' });
  expect((await bench.raw('GET', elsewhere)).status).toBe(400);
  const app = bench.board.world.apps.get(bench.board.credentials().key);
  app?.allowedOrigins.push('https://app.example');
  expect((await bench.raw('GET', elsewhere)).status).toBe(200);
});

test('authorize says what is wrong with a request', async () => {
  await using bench = await testBoard();
  const wrong: Record<string, string>[] = [
    { key: 'nope' },
    { scope: 'everything' },
    { expiration: '2years' },
    { response_type: 'code' },
    { callback_method: 'pigeon' },
    { return_url: 'javascript:alert(1)' },
  ];
  for (const more of wrong) {
    expect((await bench.raw('GET', authorizeUrl(bench, more))).status).toBe(400);
  }
});

test('with never and identical parameters the same token is handed out again', async () => {
  await using bench = await testBoard();
  await bench.control('consent', { mode: 'auto', as: 'ada' });
  const go = async (more: Record<string, string> = {}) =>
    (await bench.raw('GET', authorizeUrl(bench, { return_url: returnUrl, ...more }))).headers.get('location');
  const first = await go();
  expect(await go()).toBe(first);
  expect(await go({ expiration: '1hour' })).not.toBe(first);
});

test('a token ends when its time is over', async () => {
  await using bench = await testBoard();
  await bench.control('consent', { mode: 'auto', as: 'ben@sandbox.test' });
  const sent = await bench.raw('GET', authorizeUrl(bench, { return_url: returnUrl, expiration: '1hour' }));
  const token = sent.headers.get('location')?.split('#token=')[1];
  const { key } = bench.board.credentials();
  const ask = async () => (await bench.raw('GET', `/1/members/me?key=${key}&token=${token}`)).status;
  expect(await ask()).toBe(200);
  await bench.control('clock', { advanceMs: 3_600_000 });
  expect(await ask()).toBe(401);
});

test('a decision needs the session it was shown to', async () => {
  await using bench = await testBoard();
  const headers = { cookie: await signIn(bench) };
  const page = await bench.raw('GET', authorizeUrl(bench, { return_url: returnUrl }), undefined, { headers });
  const form = { ...hidden(page.text), decision: 'allow' };
  const foreign = await bench.raw('POST', '/1/authorize', undefined, { form });
  expect(foreign.status).toBe(403);
  const forged = await bench.raw('POST', '/1/authorize', undefined, { form: { ...form, csrf: 'x' }, headers });
  expect(forged.status).toBe(403);
});

test('OAuth consent: denied comes back as access_denied, allowed as a code', async () => {
  await using bench = await testBoard();
  const path = authorizePath(pkce().challenge);
  const denied = await decide(bench, path, 'deny');
  expect(new URL(denied.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied');
  const allowed = await decide(bench, path, 'allow');
  expect(new URL(allowed.headers.get('location') ?? '').searchParams.get('code')).toBeTruthy();
});

test('sign-in knows the sandbox password, and leads nowhere but here', async () => {
  await using bench = await testBoard();
  const form = { who: 'ada@sandbox.test', password: 'wrong', next: '/' };
  expect((await bench.raw('POST', '/sign-in', undefined, { form })).status).toBe(401);
  const fine = { ...form, password: 'sandbox', next: '//evil.example/' };
  const reply = await bench.raw('POST', '/sign-in', undefined, { form: fine });
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/']);
});

test('a new account registers an app and obtains key and secret', async () => {
  await using bench = await testBoard();
  const form = { fullName: 'Dora Diaz', email: 'dora@sandbox.test', next: '/power-ups/admin' };
  const signedUp = await bench.raw('POST', '/signup', undefined, { form });
  expect(signedUp.headers.get('location')).toBe('/power-ups/admin');
  const headers = { cookie: cookieOf(signedUp) };
  const page = await bench.raw('GET', '/power-ups/admin', undefined, { headers });
  const app = { ...hidden(page.text), name: 'My app', origins: 'https://app.example/x' };
  await bench.raw('POST', '/power-ups/admin', undefined, { form: app, headers });
  const after = await bench.raw('GET', '/power-ups/admin', undefined, { headers });
  expect(after.text).toMatch(/<code>[0-9a-f]{32}<\/code>/);
  expect(after.text).toMatch(/<code>[0-9a-f]{64}<\/code>/);
  expect(after.text).toContain('https://app.example');
  expect((await bench.raw('GET', '/apps/admin')).headers.get('location')).toBe('/power-ups/admin');
});
