import { expect, test } from 'vitest';
import { testBoard } from './test-board.ts';
import { authorizePath, connectOAuth, pkce, redirectUri, refreshWith, type Tokens, usualScopes } from './test-oauth.ts';

const hour = 3_600_000;
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

test('OAuth 2.0 code with PKCE gives a token that calls the API without a key', async () => {
  await using bench = await testBoard();
  const { tokens, access } = await connectOAuth(bench, 'ben@sandbox.test');
  expect(tokens).toMatchObject({ expires_in: 3600, scope: usualScopes, token_type: 'Bearer' });
  const me = await bench.raw('GET', '/1/members/me', undefined, bearer(access));
  expect(me.body).toMatchObject({ username: 'ben', email: 'ben@sandbox.test' });
  expect(me.headers.get('x-rate-limit-api-token-max')).toBe('100');
});

test('state comes back, and the form body is understood as well', async () => {
  await using bench = await testBoard();
  await bench.control('consent', { mode: 'auto', as: 'ada' });
  const { verifier, challenge } = pkce();
  const sent = await bench.raw('GET', authorizePath(challenge, { client_id: 'sandbox-board-public-client' }));
  const back = new URL(sent.headers.get('location') ?? '');
  expect([sent.status, back.searchParams.get('state')]).toEqual([302, 'xyz']);
  const form = {
    grant_type: 'authorization_code',
    client_id: 'sandbox-board-public-client',
    code: back.searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: redirectUri,
  };
  expect((await bench.raw('POST', '/oauth/token', undefined, { form })).status).toBe(200);
});

test('a code works once, with its verifier and address only', async () => {
  await using bench = await testBoard();
  const { exchange } = await connectOAuth(bench, 'ada');
  const again = await bench.raw('POST', '/oauth/token', exchange);
  expect([again.status, again.body]).toMatchObject([403, { error: 'invalid_grant' }]);
  for (const wrong of [{ code_verifier: 'other' }, { redirect_uri: 'http://127.0.0.1:9/elsewhere' }]) {
    const { verifier, challenge } = pkce();
    const sent = await bench.raw('GET', authorizePath(challenge));
    const code = new URL(sent.headers.get('location') ?? '').searchParams.get('code');
    const reply = await bench.raw('POST', '/oauth/token', { ...exchange, code, code_verifier: verifier, ...wrong });
    expect(reply.status).toBe(403);
  }
  const stranger = await bench.raw('POST', '/oauth/token', { ...exchange, client_secret: 'wrong' });
  expect(stranger.status).toBe(401);
});

test('the access token lives an hour; the refresh token rotates and a dead one answers 403', async () => {
  await using bench = await testBoard();
  const { access, refresh } = await connectOAuth(bench, 'ada');
  await bench.control('clock', { advanceMs: hour });
  expect((await bench.raw('GET', '/1/members/me', undefined, bearer(access))).status).toBe(401);
  const fresh = await refreshWith(bench, refresh);
  const next = fresh.body as Tokens;
  expect(next.refresh_token).not.toBe(refresh);
  expect((await bench.raw('GET', '/1/members/me', undefined, bearer(next.access_token))).status).toBe(200);
  const dead = await refreshWith(bench, refresh);
  expect([dead.status, dead.body]).toMatchObject([403, { error: 'invalid_grant' }]);
  await bench.control('clock', { advanceMs: 90 * 24 * hour });
  expect((await refreshWith(bench, next.refresh_token)).status).toBe(403);
});

test('without offline_access there is no refresh token', async () => {
  await using bench = await testBoard();
  const { tokens } = await connectOAuth(bench, 'ada', 'read:board:trello');
  expect(tokens).not.toHaveProperty('refresh_token');
});

test('scopes are enforced per endpoint', async () => {
  await using bench = await testBoard();
  const { access } = await connectOAuth(bench, 'ada', 'read:board:trello');
  const board = bench.board.launch();
  const ask = async (method: string, path: string, body?: unknown) =>
    (await bench.raw(method, path, body, bearer(access))).status;
  expect(await ask('GET', `/1/boards/${board.id}`)).toBe(200);
  expect(await ask('GET', '/1/members/me/boards')).toBe(200);
  expect(await ask('GET', '/1/members/me')).toBe(401);
  expect(await ask('GET', '/1/members/me/notifications')).toBe(401);
  expect(await ask('GET', '/1/members/me/organizations')).toBe(401);
  expect(await ask('POST', '/1/cards', { idList: bench.board.lists()[0]?.id })).toBe(401);
  const writer = await connectOAuth(bench, 'ada', 'write:board:trello');
  const list = bench.board.lists()[0]?.id;
  const made = await bench.raw('POST', '/1/cards', { idList: list }, bearer(writer.access));
  expect(made.status).toBe(200);
  // Changing a card needs reading and writing.
  const { id } = made.body as { id: string };
  expect((await bench.raw('PUT', `/1/cards/${id}`, { name: 'x' }, bearer(writer.access))).status).toBe(401);
  const hook = await bench.listen();
  const wanted = { callbackURL: hook.url, idModel: bench.board.member().id };
  expect(await ask('POST', '/1/webhooks', wanted)).toBe(403);
});

test('mistakes in the request come back to the app, mistakes about the app stay here', async () => {
  await using bench = await testBoard();
  await bench.control('consent', { mode: 'auto', as: 'ada' });
  const { challenge } = pkce();
  const error = async (more: Record<string, string>) => {
    const { status, headers } = await bench.raw('GET', authorizePath(challenge, more));
    const location = headers.get('location');
    return location === null ? status : new URL(location).searchParams.get('error');
  };
  expect(await error({ client_id: 'nobody' })).toBe(400);
  expect(await error({ redirect_uri: 'https://evil.example/' })).toBe(400);
  expect(await error({ response_type: 'token' })).toBe('unsupported_response_type');
  expect(await error({ scope: 'everything' })).toBe('invalid_scope');
  expect(await error({ code_challenge_method: 'plain' })).toBe('invalid_request');
  expect(await error({ code_challenge: '' })).toBe('invalid_request');
});

test('revoking takes the grant and its webhooks, expiring only the access token', async () => {
  await using bench = await testBoard();
  const { access, refresh } = await connectOAuth(bench, 'ada');
  await bench.control('tokens', { expire: true, user: 'ada@sandbox.test' });
  expect((await bench.raw('GET', '/1/members/me', undefined, bearer(access))).text).toBe('expired token');
  const next = (await refreshWith(bench, refresh)).body as Tokens;
  expect((await bench.raw('GET', '/1/members/me', undefined, bearer(next.access_token))).status).toBe(200);
  await bench.control('tokens', { revoke: true, user: 'ada' });
  expect((await bench.raw('GET', '/1/members/me', undefined, bearer(next.access_token))).text).toBe('invalid token');
  expect((await refreshWith(bench, next.refresh_token)).status).toBe(403);
});
