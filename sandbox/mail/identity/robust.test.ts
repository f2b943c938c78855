import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../common/any-text.fixture.ts';
import { cases } from '../../common/cases.ts';
import { identityWorld, redirectUri } from './test-identity.ts';

const tenants = fc.constantFrom('common', 'organizations', 'consumers', 'sandbox.test', 'x', '%00', '..');
const word = fc.oneof(
  anyText({ maxLength: 20 }),
  fc.constantFrom(
    'code',
    'S256',
    'openid Mail.Read',
    '.default',
    'none',
    'switchboard-sandbox',
    'sandbox-secret',
    redirectUri,
  ),
  fc.constantFrom(
    'authorization_code',
    'refresh_token',
    '1.AX0Anything',
    'ada@sandbox.test',
    'accept',
    'pick',
    'approve',
    'password',
    'give-up',
  ),
);
const names = [
  'client_id',
  'response_type',
  'redirect_uri',
  'scope',
  'state',
  'prompt',
  'response_mode',
  'login_hint',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'grant_type',
  'code',
  'refresh_token',
  'client_secret',
  'code_verifier',
  'action',
  'user',
  'username',
  'password',
  '__proto__',
  'constructor',
];
const params = fc.array(fc.tuple(fc.constantFrom(...names), word), { maxLength: 12 });
const known: [string, string][] = [
  ['client_id', 'switchboard-sandbox'],
  ['redirect_uri', redirectUri],
];

test('whatever is sent, the identity platform answers in its own words', async () => {
  const { app, world } = identityWorld();
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  await fc.assert(
    fc.asyncProperty(tenants, params, params, fc.boolean(), async (tenant, query, body, valid) => {
      const search = new URLSearchParams([...(valid ? known : []), ...query]);
      const sent = new URLSearchParams(body).toString();
      const authorize = `/${tenant}/oauth2/v2.0/authorize?${search}`;
      const answers = [
        await app.request(authorize),
        await app.request(authorize, { method: 'POST', headers: form, body: sent }),
        await app.request(`/${tenant}/v2.0/adminconsent?${search}`, { method: 'POST', headers: form, body: sent }),
        await app.request(`/${tenant}/oauth2/v2.0/logout?${search}`),
        await app.request(`/common/discovery/instance?${search}`),
      ];
      for (const answer of answers) expect([200, 302, 400, 404]).toContain(answer.status);
      const token = await app.request(`/${tenant}/oauth2/v2.0/token`, { method: 'POST', headers: form, body: sent });
      expect([400, 401, 404]).toContain(token.status);
      if (token.status !== 404)
        expect(await token.json()).toMatchObject({ error: expect.any(String), error_codes: [expect.any(Number)] });
    }),
    cases(300),
  );
  expect(world.people.size).toBe(5);
});

test('a token request that is no form is missing its grant type', async () => {
  const { app } = identityWorld();
  const answer = await app.request('/common/oauth2/v2.0/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"grant_type":"refresh_token"}',
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ error: 'invalid_request', error_codes: [900144] });
});

test('an answer never goes to an address outside the registration, whatever else is asked', async () => {
  const { app, world } = identityWorld();
  world.tokens.consentMode = { mode: 'auto', as: 'ada@sandbox.test' };
  const hosts = fc.constantFrom(
    'evil.example',
    '127.0.0.1.evil.example',
    '127.0.0.1@evil.example',
    'localhost.evil.example',
    '[::1].evil.example',
  );
  await fc.assert(
    fc.asyncProperty(
      hosts,
      fc.constantFrom('http', 'https', 'javascript', 'data'),
      fc.constantFrom('query', 'fragment', 'form_post'),
      async (host, scheme, mode) => {
        const redirect_uri = `${scheme}://${host}/callback`;
        const search = new URLSearchParams({
          client_id: 'switchboard-sandbox',
          response_type: 'code',
          scope: 'Mail.Read',
          redirect_uri,
          response_mode: mode,
        });
        const answer = await app.request(`/common/oauth2/v2.0/authorize?${search}`);
        expect(answer.status).toBe(400);
        expect(await answer.text()).not.toContain('<form');
      },
    ),
    { numRuns: 60 },
  );
});
