import { createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { client, identityWorld, pkce, tenantA } from './test-identity.ts';

const minutes = (n: number) => n * 60_000;
const days = (n: number) => n * 24 * 60 * 60_000;
const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());

test('a code becomes tokens once; the second time it is 54005', async () => {
  const bench = identityWorld();
  const { codeFor, token } = client(bench);
  const { verifier, challenge } = pkce();
  const code = await codeFor('ada@sandbox.test', { code_challenge: challenge, code_challenge_method: 'S256' });
  const form = { grant_type: 'authorization_code', code, code_verifier: verifier };

  const { status, body } = await token(form);

  expect(status).toBe(200);
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3599, scope: 'openid profile User.Read Mail.Read' });
  const again = await token(form);
  expect(again.status).toBe(400);
  expect(again.body).toMatchObject({ error: 'invalid_grant', error_codes: [54005] });
});

test('a refused request says what, when and where to look it up', async () => {
  const { body } = await client(identityWorld()).token(
    { grant_type: 'refresh_token', refresh_token: '1.Anything' },
    { 'client-request-id': '7a7d3a6b-1111-4222-8333-944445555666' },
  );
  expect(body).toEqual({
    error: 'invalid_grant',
    error_description: expect.stringMatching(
      /^AADSTS70000: .*\r\nTrace ID: \S+\r\nCorrelation ID: 7a7d3a6b-1111-4222-8333-944445555666\r\nTimestamp: \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/,
    ),
    error_codes: [70000],
    timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/),
    trace_id: expect.any(String),
    correlation_id: '7a7d3a6b-1111-4222-8333-944445555666',
    error_uri: expect.stringContaining('70000'),
  });
});

test('the verifier must be the one behind the challenge', async () => {
  const { codeFor, token } = client(identityWorld());
  const { challenge } = pkce();
  const code = await codeFor('ada@sandbox.test', { code_challenge: challenge, code_challenge_method: 'S256' });
  for (const code_verifier of [pkce().verifier, ''])
    expect((await token({ grant_type: 'authorization_code', code, code_verifier })).body).toMatchObject({
      error: 'invalid_grant',
      error_codes: [501481],
    });
});

test('a code lives ten minutes and belongs to one address', async () => {
  const bench = identityWorld();
  const { codeFor, token } = client(bench);
  const code = await codeFor('ada@sandbox.test');
  const moved = await token({ grant_type: 'authorization_code', code, redirect_uri: 'http://127.0.0.1:1/other' });
  expect(moved.body).toMatchObject({ error: 'invalid_client', error_codes: [500112] });
  bench.world.control.clock.advance(minutes(10));
  const late = await token({ grant_type: 'authorization_code', code });
  expect(late.body).toMatchObject({ error: 'invalid_grant', error_codes: [70008] });
});

test.each([
  [{ client_secret: 'wrong' }, 401, 'invalid_client', 7000215],
  [{ client_id: 'nobody' }, 400, 'unauthorized_client', 700016],
  [{ grant_type: 'password' }, 400, 'unsupported_grant_type', 70003],
  [{ refresh_token: 'garbage' }, 400, 'invalid_request', 9002313],
])('%o is answered %i %s %i', async (form, status, error, code) => {
  const { token } = client(identityWorld());
  const answer = await token({ grant_type: 'refresh_token', refresh_token: '1.A', ...form });
  expect(answer).toMatchObject({ status, body: { error, error_codes: [code] } });
});

test('a secret may come as Basic, must come at all, and can expire', async () => {
  const bench = identityWorld();
  const { codeFor } = client(bench);
  const ask = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await bench.app.request('/common/oauth2/v2.0/token', {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(form).toString(),
    });
    return (await answer.json()) as Record<string, unknown>;
  };
  const form = {
    grant_type: 'authorization_code',
    code: await codeFor('ada@sandbox.test'),
    redirect_uri: 'http://127.0.0.1:4600/callback',
  };
  expect(await ask({ ...form, client_id: 'switchboard-sandbox' })).toMatchObject({ error_codes: [7000218] });
  const basic = Buffer.from('switchboard-sandbox:sandbox-secret').toString('base64');
  expect(await ask(form, { authorization: `Basic ${basic}` })).toHaveProperty('access_token');
  bench.world.tokens.apps.put({
    clientId: 'old',
    name: 'Old',
    secrets: [{ value: 'stale', expiresAt: '2020-01-01T00:00:00Z' }],
    redirectUris: ['loopback'],
    audience: 'both',
  });
  expect(await ask({ ...form, client_id: 'old', client_secret: 'stale' })).toMatchObject({ error_codes: [7000222] });
});

test('refreshing gives a new refresh token and leaves the old one working', async () => {
  const bench = identityWorld();
  const { signIn, token } = client(bench);
  const first = await signIn('ada@sandbox.test');
  const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
  const second = await token(form);
  expect(second.body.refresh_token).not.toBe(first.refresh_token);
  expect(bench.world.tokens.check(String(second.body.access_token))).toMatchObject({ clientId: 'switchboard-sandbox' });
  expect((await token(form)).status).toBe(200);
});

test('without offline_access there is no refresh token, without openid no id token', async () => {
  const { signIn } = client(identityWorld());
  const answer = await signIn('ada@sandbox.test', 'Mail.Read');
  expect(answer).not.toHaveProperty('refresh_token');
  expect(answer).not.toHaveProperty('id_token');
});

test('an unused refresh token ends after 90 days, that of a single-page app after one', async () => {
  const bench = identityWorld();
  const { signIn, token } = client(bench);
  const { refresh_token } = await signIn('ada@sandbox.test');
  bench.world.control.clock.advance(days(89));
  const renewed = await token({ grant_type: 'refresh_token', refresh_token });
  bench.world.control.clock.advance(days(2));
  expect((await token({ grant_type: 'refresh_token', refresh_token })).body).toMatchObject({ error_codes: [700082] });
  const slid = await token({ grant_type: 'refresh_token', refresh_token: String(renewed.body.refresh_token) });
  expect(slid.status).toBe(200);

  bench.world.tokens.apps.put({
    clientId: 'spa',
    name: 'Spa',
    secrets: [],
    redirectUris: ['loopback'],
    spa: true,
    audience: 'both',
  });
  const { codeFor } = client(bench);
  const code = await codeFor('ada@sandbox.test', { client_id: 'spa' });
  const single = await token({ grant_type: 'authorization_code', client_id: 'spa', code });
  bench.world.control.clock.advance(days(1));
  const late = await token({
    grant_type: 'refresh_token',
    client_id: 'spa',
    refresh_token: String(single.body.refresh_token),
  });
  expect(late.body).toMatchObject({ error: 'invalid_grant', error_codes: [700084] });
});

test('expired access tokens are told apart from unknown ones', async () => {
  const bench = identityWorld();
  const { signIn } = client(bench);
  const { access_token } = await signIn('ada@sandbox.test');
  bench.world.control.clock.advance(minutes(60));
  expect(bench.world.tokens.check(access_token)).toBe('expired');
  expect(bench.world.tokens.check('never given out')).toBeUndefined();
});

test('revoking kills access and refresh of that person alone', async () => {
  const bench = identityWorld();
  const { signIn, token } = client(bench);
  const ada = await signIn('ada@sandbox.test');
  const ben = await signIn('ben@sandbox.test');
  bench.world.tokens.revoke('ADA@sandbox.test');
  expect(bench.world.tokens.check(ada.access_token)).toBeUndefined();
  expect((await token({ grant_type: 'refresh_token', refresh_token: ada.refresh_token })).body).toMatchObject({
    error: 'invalid_grant',
    error_codes: [50173],
  });
  expect(bench.world.tokens.check(ben.access_token)).toMatchObject({
    userId: bench.world.person('ben@sandbox.test')?.id,
  });
});

test('when interaction is demanded, refresh is refused until the next sign-in', async () => {
  const bench = identityWorld();
  const { signIn, token } = client(bench);
  const { refresh_token } = await signIn('ada@sandbox.test');
  bench.world.tokens.demandInteraction('ada@sandbox.test');
  const refused = await token({ grant_type: 'refresh_token', refresh_token });
  expect(refused.body).toMatchObject({
    error: 'interaction_required',
    error_codes: [50076],
    claims: expect.any(String),
  });
  await signIn('ada@sandbox.test');
  expect((await token({ grant_type: 'refresh_token', refresh_token })).status).toBe(200);
});

test('a refresh may ask for what was consented, in either form of scope, and for nothing else', async () => {
  const bench = identityWorld();
  const { signIn, token } = client(bench);
  const { refresh_token } = await signIn('ada@sandbox.test');
  const ask = async (scope: string) => (await token({ grant_type: 'refresh_token', refresh_token, scope })).body;
  expect(await ask('https://graph.microsoft.com/mail.read')).toHaveProperty('access_token');
  expect(await ask('Mail.Send')).toMatchObject({
    error: 'invalid_grant',
    error_codes: [65001],
    suberror: 'consent_required',
  });
  expect(await ask('Mail.Nonsense')).toMatchObject({ error: 'invalid_scope', error_codes: [70011] });
  await signIn('ada@sandbox.test', 'openid Mail.Send');
  expect(String((await ask('Mail.Send')).scope)).toContain('Mail.Send');
});

test('a work token carries all consented so far, a personal one what was asked for in URL form', async () => {
  const { signIn } = client(identityWorld());
  await signIn('ada@sandbox.test', 'openid Mail.Read');
  const work = await signIn('ada@sandbox.test', 'openid Mail.Send');
  expect(work.scope.split(' ').toSorted()).toEqual(['Mail.Read', 'Mail.Send', 'openid']);
  await signIn('cy@sandbox.test', 'openid Mail.Read');
  const personal = await signIn('cy@sandbox.test', 'openid mail.send');
  expect(personal.scope).toBe('openid https://graph.microsoft.com/Mail.Send');
});

test('access tokens are JWTs for work accounts and opaque for personal ones', async () => {
  const { signIn } = client(identityWorld());
  const work = await signIn('ada@sandbox.test');
  expect(claimsOf(work.access_token)).toMatchObject({ upn: 'ada@sandbox.test', tid: tenantA });
  expect((await signIn('cy@sandbox.test')).access_token.split('.')).toHaveLength(1);
});

test('the id token is signed by a published key and carries the nonce', async () => {
  const bench = identityWorld();
  const { codeFor, token } = client(bench);
  const code = await codeFor('ada@sandbox.test', { nonce: 'n-1' });
  const { body } = await token({ grant_type: 'authorization_code', code });
  const [header = '', payload = '', signature = ''] = String(body.id_token).split('.');
  const keys = (await (await bench.app.request('/common/discovery/v2.0/keys')).json()) as { keys: JsonWebKey[] };
  const [jwk] = keys.keys;
  const key = createPublicKey({ key: { ...jwk }, format: 'jwk' });
  expect(verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), key, Buffer.from(signature, 'base64url'))).toBe(
    true,
  );
  expect(claimsOf(String(body.id_token))).toMatchObject({
    nonce: 'n-1',
    aud: 'switchboard-sandbox',
    preferred_username: 'ada@sandbox.test',
    iss: `http://localhost/${tenantA}/v2.0`,
  });
});

test('discovery names the endpoints of its own host', async () => {
  const { app } = identityWorld();
  const common = await (await app.request('/common/v2.0/.well-known/openid-configuration')).json();
  expect(common).toMatchObject({
    issuer: 'http://localhost/{tenantid}/v2.0',
    token_endpoint: 'http://localhost/common/oauth2/v2.0/token',
  });
  const own = await (await app.request(`/sandbox.test/v2.0/.well-known/openid-configuration`)).json();
  expect(own).toMatchObject({ issuer: `http://localhost/${tenantA}/v2.0` });
  expect((await app.request('/nowhere/v2.0/.well-known/openid-configuration')).status).toBe(400);
});

test('a snapshot brings tokens, consents and apps back', async () => {
  const bench = identityWorld();
  const { signIn, token } = client(bench);
  const { access_token, refresh_token } = await signIn('ada@sandbox.test');
  const snapshot = JSON.parse(JSON.stringify(bench.world.tokens.snapshot()));
  bench.world.tokens.reset();
  expect(bench.world.tokens.check(access_token)).toBeUndefined();
  bench.world.tokens.restore(snapshot);
  expect(bench.world.tokens.check(access_token)).toMatchObject({
    scopes: new Set(['openid', 'profile', 'user.read', 'mail.read']),
  });
  expect((await token({ grant_type: 'refresh_token', refresh_token })).status).toBe(200);
});

test('codes and refresh tokens are worth nothing to another app', async () => {
  const bench = identityWorld();
  bench.world.tokens.apps.put({
    clientId: 'thief',
    name: 'T',
    secrets: [],
    redirectUris: ['loopback'],
    audience: 'both',
  });
  const { codeFor, signIn, token } = client(bench);
  const code = await codeFor('ada@sandbox.test');
  const { refresh_token } = await signIn('ada@sandbox.test');
  const stolen = [
    await token({ grant_type: 'authorization_code', client_id: 'thief', code }),
    await token({ grant_type: 'refresh_token', client_id: 'thief', refresh_token }),
  ];
  expect(stolen.map(({ body }) => body.error_codes)).toEqual([[70000], [70000]]);
});
