import { expect, test } from 'vitest';
import { client, identityWorld, redirectUri, sentBack, tenantA, tenantB } from './test-identity.ts';

const cookieOf = (answer: Response): Record<string, string> => ({
  cookie: (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '',
});

test('the sign-in page offers the people of the sandbox, not its shared mailboxes', async () => {
  const page = await (await client(identityWorld()).authorize()).text();
  expect(page).toContain('ada@sandbox.test');
  expect(page).toContain('dee@elsewhere.test');
  expect(page).not.toContain('office@sandbox.test');
});

test('a person signs in with address and password, consents, and the app gets a code with its state', async () => {
  const bench = identityWorld();
  const ada = bench.world.person('ada@sandbox.test');
  const browser = client(bench);

  const asked = await browser.post({}, { action: 'username', username: 'Ada@sandbox.test' });
  expect(await asked.text()).toContain('Enter password');
  const wrong = await browser.post({}, { action: 'password', user: ada?.id ?? '', password: 'guess' });
  expect(await wrong.text()).toContain('incorrect');
  const right = await browser.post({}, { action: 'password', user: ada?.id ?? '', password: 'sandbox' });
  expect(await right.text()).toContain('Permissions requested');
  const accepted = await browser.post({}, { action: 'accept', user: ada?.id ?? '' });

  expect(accepted.status).toBe(302);
  expect(accepted.headers.get('location')?.startsWith(`${redirectUri}?`)).toBe(true);
  expect(sentBack(accepted).get('state')).toBe('s-1');
  expect(sentBack(accepted).get('code')).toBeTruthy();
  expect(sentBack(accepted).get('session_state')).toBeTruthy();
});

test('an unknown address is told so', async () => {
  const answer = await client(identityWorld()).post({}, { action: 'username', username: 'eve@sandbox.test' });
  expect(await answer.text()).toContain('This username may be incorrect');
});

test('who declines is sent back with access_denied 65004', async () => {
  const answer = await client(identityWorld()).post({}, { action: 'cancel' });
  expect(sentBack(answer).get('error')).toBe('access_denied');
  expect(sentBack(answer).get('error_description')).toMatch(/^AADSTS65004: /);
  expect(sentBack(answer).get('state')).toBe('s-1');
});

test('the answer comes in the query, the fragment or a form that posts itself', async () => {
  const bench = identityWorld();
  bench.world.tokens.consentMode = { mode: 'auto', as: 'ada@sandbox.test' };
  const browser = client(bench);
  expect((await browser.authorize({ response_mode: 'query' })).headers.get('location')).toContain('?code=');
  expect((await browser.authorize({ response_mode: 'fragment' })).headers.get('location')).toContain('#code=');
  const form = await (await browser.authorize({ response_mode: 'form_post', state: '"><script>' })).text();
  expect(form).toContain(`action="${redirectUri}"`);
  expect(form).toContain('name="code"');
  expect(form).toContain('value="&quot;&gt;&lt;script&gt;"');
});

test('once consented nobody is asked again, and more scopes are asked for alone', async () => {
  const bench = identityWorld();
  const ada = bench.world.person('ada@sandbox.test')?.id ?? '';
  const browser = client(bench);
  const first = await browser.post({}, { action: 'accept', user: ada });

  const again = await browser.authorize({}, cookieOf(first));
  expect(again.status).toBe(302);
  const more = await browser.authorize({ scope: 'openid Mail.Send' }, cookieOf(first));
  expect(await more.text()).toContain('Send mail as you');
  const prompted = await browser.authorize({ prompt: 'consent' }, cookieOf(first));
  expect(await prompted.text()).toContain('Permissions requested');
});

test('prompt decides what a signed-in browser sees', async () => {
  const bench = identityWorld();
  const ada = bench.world.person('ada@sandbox.test')?.id ?? '';
  const browser = client(bench);
  const cookie = cookieOf(await browser.post({}, { action: 'accept', user: ada }));

  expect(await (await browser.authorize({ prompt: 'select_account' }, cookie)).text()).toContain('Pick an account');
  expect(await (await browser.authorize({ prompt: 'login' }, cookie)).text()).toContain('Sign in');
  const hinted = await browser.authorize({ prompt: 'login', login_hint: 'ben@sandbox.test' }, cookie);
  expect(await hinted.text()).toContain('ben@sandbox.test');
  expect(sentBack(await browser.authorize({ prompt: 'none' }, cookie)).get('code')).toBeTruthy();
  expect(sentBack(await browser.authorize({ prompt: 'none' })).get('error')).toBe('login_required');
  const unconsented = await browser.authorize({ prompt: 'none', scope: 'Mail.Send' }, cookie);
  expect(sentBack(unconsented).get('error')).toBe('consent_required');
});

test('a scope unknown to personal accounts fails their whole sign-in', async () => {
  const bench = identityWorld();
  const cy = bench.world.person('cy@sandbox.test')?.id ?? '';
  const scope = 'openid Mail.Read OnlineMeetings.Read';
  const answer = await client(bench).post({ scope }, { action: 'pick', user: cy });
  expect(sentBack(answer).get('error')).toBe('invalid_scope');
  expect(sentBack(answer).get('error_description')).toContain("'OnlineMeetings.Read' does not exist");
});

test('a scope that exists nowhere is refused for work accounts by its name', async () => {
  const bench = identityWorld();
  bench.world.tokens.consentMode = { mode: 'auto', as: 'ada@sandbox.test' };
  const answer = sentBack(await client(bench).authorize({ scope: 'openid Mail.Everything' }));
  expect(answer.get('error')).toBe('invalid_client');
  expect(answer.get('error_description')).toMatch(/^AADSTS650053: .*mail\.everything/);
});

test('transcripts need an administrator, who can approve them for everyone in the tenant', async () => {
  const bench = identityWorld();
  const ada = bench.world.person('ada@sandbox.test')?.id ?? '';
  const ben = bench.world.person('ben@sandbox.test')?.id ?? '';
  const params = { scope: 'openid OnlineMeetingTranscript.Read.All' };
  const browser = client(bench);

  expect(await (await browser.post(params, { action: 'pick', user: ada })).text()).toContain('Need admin approval');
  const returned = sentBack(await browser.post(params, { action: 'give-up', user: ada }));
  expect(returned.get('error')).toBe('access_denied');
  expect(returned.get('error_description')).toMatch(/^AADSTS90094: /);

  expect(sentBack(await browser.post(params, { action: 'approve', user: ada })).get('code')).toBeTruthy();
  expect(sentBack(await browser.post(params, { action: 'accept', user: ben })).get('code')).toBeTruthy();
});

test('the admin consent page grants for the tenant and answers the app', async () => {
  const bench = identityWorld();
  const query = new URLSearchParams({
    client_id: 'switchboard-sandbox',
    redirect_uri: redirectUri,
    state: 'x',
    scope: 'https://graph.microsoft.com/OnlineMeetingTranscript.Read.All',
  });
  const address = `/${tenantA}/v2.0/adminconsent?${query}`;
  expect(await (await bench.app.request(address)).text()).toContain('transcripts');
  const answer = await bench.app.request(address, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'action=accept',
  });
  expect(sentBack(answer).get('admin_consent')).toBe('True');
  expect(sentBack(answer).get('tenant')).toBe(tenantA);
  const common = await bench.app.request(`/common/v2.0/adminconsent?${query}`);
  expect(common.status).toBe(400);
});

test.each([
  ['organizations', 'cy@sandbox.test', 500208],
  ['consumers', 'ada@sandbox.test', 500208],
  [tenantA, 'dee@elsewhere.test', 50020],
  [tenantA, 'cy@sandbox.test', 50020],
  [tenantB, 'ada@sandbox.test', 50020],
])('tenant %s has no place for %s: %i', async (tenant, as, code) => {
  const bench = identityWorld();
  const browser = client(bench, tenant);
  const shown = await browser.post({}, { action: 'pick', user: as });
  expect(await shown.text()).toContain(`AADSTS${code}: `);
  bench.world.tokens.consentMode = { mode: 'auto', as };
  expect(sentBack(await browser.authorize()).get('error_description')).toContain(`AADSTS${code}: `);
});

test.each([['organizations'], [tenantA], ['sandbox.test'], ['common']])(
  'tenant %s admits its people',
  async (tenant) => {
    const bench = identityWorld();
    expect(await client(bench, tenant).codeFor('ada@sandbox.test')).not.toBe('');
  },
);

test.each([
  [{ client_id: 'nobody' }, 700016],
  [{ redirect_uri: 'https://evil.example/callback' }, 50011],
  [{ redirect_uri: 'http://127.0.0.1.evil.example/' }, 50011],
])('%o is told on a page and sent nowhere: %i', async (params, code) => {
  const answer = await client(identityWorld()).authorize(params);
  expect(answer.status).toBe(400);
  expect(answer.headers.get('location')).toBeNull();
  expect(await answer.text()).toContain(`AADSTS${code}`);
});

test.each([
  [{ response_type: 'token' }, 'unsupported_response_type'],
  [{ response_mode: 'pigeon' }, 'invalid_request'],
  [{ scope: '' }, 'invalid_request'],
  [{ prompt: 'maybe' }, 'invalid_request'],
  [{ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
  [{ scope: 'https://graph.microsoft.com/.default Mail.Read' }, 'invalid_scope'],
])('%o is answered to the app with %s', async (params, error) => {
  const answer = await client(identityWorld()).authorize(params);
  expect(sentBack(answer).get('error')).toBe(error);
  expect(sentBack(answer).get('state')).toBe('s-1');
});

test('an unknown tenant is told on a page', async () => {
  const answer = await client(identityWorld(), 'nowhere.test').authorize();
  expect(await answer.text()).toContain('AADSTS90002');
});

test('signing out forgets the people of this browser', async () => {
  const { app } = identityWorld();
  const answer = await app.request('/common/oauth2/v2.0/logout?post_logout_redirect_uri=http://127.0.0.1:4600/');
  expect(answer.headers.get('location')).toBe('http://127.0.0.1:4600/');
  expect(answer.headers.get('set-cookie')).toContain('Max-Age=0');
  const elsewhere = await app.request('/common/oauth2/v2.0/logout?post_logout_redirect_uri=https://evil.example/');
  expect(elsewhere.status).toBe(200);
});
