import { createHash, randomBytes } from 'node:crypto';
import {
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { silentLog } from '#log';
import { openStore } from '#store';
import { bootstrapKey, type Workbench, workbench } from '#test';

let bench: Workbench;
let owner: string;
beforeAll(async () => {
  bench = await workbench({ reachable: true });
  owner = await bench.signInAsOwner();
  await bench.connectBoard();
});
afterAll(() => bench[Symbol.asyncDispose]());

const redirectUrl = 'http://127.0.0.1:3456/callback';

/** A program that knows nothing but the address, and keeps what the protocol's own client gives it. */
const newProgram = (metadata: object = {}) => {
  const kept: {
    client?: StoredOAuthClientInformation;
    tokens?: StoredOAuthTokens;
    verifier?: string;
    url?: URL;
    discovery?: OAuthDiscoveryState;
  } = {};
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: { client_name: 'Notebook', redirect_uris: [redirectUrl], ...metadata },
    state: () => 'state of the program',
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void (kept.client = client),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void (kept.tokens = tokens),
    redirectToAuthorization: (url) => void (kept.url = url),
    saveCodeVerifier: (verifier) => void (kept.verifier = verifier),
    codeVerifier: () => kept.verifier ?? '',
    saveDiscoveryState: (state) => void (kept.discovery = state),
    discoveryState: () => kept.discovery,
  };
  const transport = (path = '/mcp') =>
    new StreamableHTTPClientTransport(new URL(path, bench.origin), { authProvider: provider });
  const client = () => new Client({ name: 'notebook', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  return { kept, transport, client };
};

/** The browser: opens the page, and presses a button on it. */
const open = (url: URL | string, cookie?: string) =>
  bench.call('GET', new URL(url, bench.origin).href, cookie === undefined ? {} : { cookie });
const press = async (page: string, decision: 'allow' | 'deny', cookie: string, headers = { origin: bench.origin }) => {
  const request = /name="request" value="([^"]+)"/.exec(page)?.[1] ?? '';
  return fetch(new URL('/oauth/authorize', bench.origin), {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams({ request, decision }),
  });
};
const form = async (path: string, fields: Record<string, string>) => {
  const answer = await fetch(new URL(path, bench.origin), { method: 'POST', body: new URLSearchParams(fields) });
  return { status: answer.status, body: (await answer.json().catch(() => ({}))) as Record<string, string> };
};
const mcpStatus = async (token: string, path = '/mcp') => {
  const body = { jsonrpc: '2.0', id: 1, method: 'ping' };
  const accept = 'application/json, text/event-stream';
  return (await bench.call('POST', path, { key: token, body, headers: { accept } })).status;
};

/** A program that was let in, by hand: what is wrong is seen in the answers themselves. */
const letIn = async (query: Record<string, string> = {}, cookie = owner) => {
  const registered = await bench.call('POST', '/oauth/register', {
    body: { client_name: 'By hand', redirect_uris: [redirectUrl] },
  });
  const clientId = registered.body.client_id;
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUrl,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...query,
  });
  const page = await open(`/oauth/authorize?${asked}`, cookie);
  const decided = typeof page.body === 'string' ? await press(page.body, 'allow', cookie) : undefined;
  const location = decided?.headers.get('location') ?? page.headers.get('location') ?? '';
  const code = new URL(location).searchParams.get('code') ?? '';
  const trade = (over: Record<string, string> = {}) =>
    form('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: redirectUrl,
      code_verifier: verifier,
      ...over,
    });
  return { page, location: new URL(location), clientId, code, trade };
};
const member = async (role: string): Promise<{ id: string; cookie: string }> => {
  const body = { email: `${role}-${randomBytes(4).toString('hex')}@oauth.test`, role };
  const { body: added } = await bench.call('POST', '/v1/members', { cookie: owner, body });
  const link = await bench.call('POST', `/v1/members/${added.id}/sign-in-link`, { cookie: owner });
  return { id: added.id, cookie: await bench.signIn(link.body.url) };
};

test("the protocol's own client finds its way in from the address alone, and is let in by a person", async () => {
  // As clients ask by default that were written before the protocol's server said which ways there are.
  const { kept, transport, client } = newProgram({ token_endpoint_auth_method: 'client_secret_post' });
  const first = transport();
  await expect(client().connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
  expect(kept.url?.searchParams.get('resource')).toBe(`${bench.origin}/mcp`);

  expect((await open(kept.url ?? '')).status).toBe(401);
  const page = await open(kept.url ?? '', owner);
  for (const words of [
    'Notebook',
    '127.0.0.1:3456',
    'My workspace',
    'Call tools and steps',
    'never approve anything',
  ]) {
    expect(page.body).toContain(words);
  }
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:3456");
  const answered = await press(page.body, 'allow', owner);
  const back = new URL(answered.headers.get('location') ?? '');
  expect([answered.status, back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual([
    303,
    'state of the program',
    bench.origin,
  ]);
  await first.finishAuth(back.searchParams);

  const connected = client();
  await connected.connect(transport());
  const { structuredContent } = await connected.callTool({ name: 'board_get_boards', arguments: {} });
  expect(structuredContent).toMatchObject({ status: 'succeeded' });
  const { items } = (await bench.owned('GET', '/v1/runs?limit=1')).body;
  expect(items[0].startedBy).toMatchObject({ kind: 'key', name: 'Notebook for Owner' });

  // A token that has run out is renewed without anybody being asked.
  const before = kept.tokens?.refresh_token;
  kept.tokens = { ...(kept.tokens as StoredOAuthTokens), access_token: 'sbo_expired' };
  await connected.callTool({ name: 'board_get_boards', arguments: {} });
  expect(kept.tokens.refresh_token).not.toBe(before);

  const { body: listed } = await bench.owned('GET', '/v1/clients');
  const grant = listed.items.find(({ clientName }: { clientName: string }) => clientName === 'Notebook');
  expect(grant).toMatchObject({ person: { name: 'Owner' }, scopes: ['read', 'run'], revokedAt: null });
  expect(JSON.stringify(listed)).not.toMatch(/sb[of]_/);
  expect((await bench.owned('DELETE', `/v1/clients/${grant.id}`)).status).toBe(204);
  expect(await mcpStatus(kept.tokens.access_token)).toBe(401);
  await connected.close();
});

test('the metadata is where the standards say, and refusals lead to it', async () => {
  const { headers } = await bench.call('POST', '/mcp', { body: {} });
  const metadata = `${bench.origin}/.well-known/oauth-protected-resource/mcp`;
  expect(headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`);
  for (const [path, resource] of Object.entries({ '': '/mcp', '/mcp': '/mcp', '/mcp/': '/mcp/' })) {
    const { body } = await bench.call('GET', `/.well-known/oauth-protected-resource${path}`);
    expect(body).toMatchObject({ resource: `${bench.origin}${resource}`, authorization_servers: [bench.origin] });
  }
  expect((await bench.call('GET', '/.well-known/oauth-protected-resource/v1')).status).toBe(404);
  const { body } = await bench.call('GET', '/.well-known/oauth-authorization-server');
  expect(body).toMatchObject({ issuer: bench.origin, code_challenge_methods_supported: ['S256'] });
});

describe('a token', () => {
  test('opens the address it was made for and nothing else, and never more than reading and running', async () => {
    const wanted = { scope: 'read run admin approvals:decide sends:autopilot' };
    const { body } = await (await letIn(wanted)).trade();
    expect([body['scope'], body['expires_in']]).toEqual(['read run', 900]);
    const token = body['access_token'] ?? '';
    expect([await mcpStatus(token), await mcpStatus(token, '/mcp/agents/agt_x')]).toEqual([200, 404]);
    expect(await mcpStatus(token, '/mcp/')).toBe(200);
    for (const path of ['/v1/runs', '/v1/approvals', '/v1/api-keys']) {
      expect((await bench.call('GET', path, { key: token })).status).toBe(401);
    }
    expect(await mcpStatus(body['refresh_token'] ?? '')).toBe(401);

    const narrow = await (await letIn({ resource: `${bench.origin}/mcp/agents/agt_x` })).trade();
    const ofAgent = narrow.body['access_token'] ?? '';
    const views = ['/mcp', '/mcp/', '/mcp/agents/agt_y/', '/mcp/agents/agt_x', '/mcp/agents/agt_x/'];
    expect(await Promise.all(views.map((path) => mcpStatus(ofAgent, path)))).toEqual([401, 401, 401, 404, 404]);
    const elsewhere = await letIn({ resource: 'https://elsewhere.example/mcp' });
    expect(elsewhere.location.searchParams.get('error')).toBe('invalid_target');
  });

  test('is kept as a digest', async () => {
    const { code, trade } = await letIn();
    const { body } = await trade();
    const store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
    const rows = await store.system.selectFrom('client_tokens').selectAll().execute();
    await store.close();
    expect(rows.length).toBeGreaterThan(2);
    const stored = JSON.stringify(rows.map((row) => ({ ...row, hash: row.hash.toString('latin1') })));
    for (const secret of [code, body['access_token'], body['refresh_token']]) expect(stored).not.toContain(secret);
  });

  test('ends with the role, and with the membership, of whoever gave it', async () => {
    const viewer = await member('viewer');
    const limited = await (await letIn({}, viewer.cookie)).trade();
    expect(limited.body['scope']).toBe('read');
    const builder = await member('builder');
    const { body } = await (await letIn({}, builder.cookie)).trade();
    const token = body['access_token'] ?? '';
    const callTool = async () => {
      const params = { name: 'board_get_boards', arguments: {} };
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
      const headers = { accept: 'application/json, text/event-stream' };
      return (await bench.call('POST', '/mcp', { key: token, body: message, headers })).status;
    };
    expect(await callTool()).toBe(200);
    await bench.call('PATCH', `/v1/members/${builder.id}`, { cookie: owner, body: { role: 'viewer' } });
    expect([await callTool(), await mcpStatus(token)]).toEqual([403, 200]);
    await bench.call('DELETE', `/v1/members/${builder.id}`, { cookie: owner });
    expect(await mcpStatus(token)).toBe(401);
  });
});

describe('what is stolen helps nobody', () => {
  test('a code is for one exchange, by whoever holds its verifier', async () => {
    const { trade, clientId } = await letIn();
    const other = randomBytes(32).toString('base64url');
    expect((await trade({ code_verifier: other })).body['error']).toBe('invalid_grant');
    expect((await trade({ client_id: (await letIn()).clientId })).body['error']).toBe('invalid_grant');
    // A program that we have forgotten, as with a new database, is to register again.
    expect((await trade({ client_id: `${clientId}x` })).body['error']).toBe('invalid_client');
    expect((await trade({ redirect_uri: 'http://127.0.0.1:1/' })).body['error']).toBe('invalid_grant');
    const { body } = await trade();
    expect(await mcpStatus(body['access_token'] ?? '')).toBe(200);
    expect((await trade()).body['error']).toBe('invalid_grant');
    // Used twice: somebody else has it, too.
    expect(await mcpStatus(body['access_token'] ?? '')).toBe(401);
  });

  test('a refresh token serves whatever is done at once, and used again later it ends everything that came of it', async () => {
    const { trade, clientId } = await letIn();
    const { body } = await trade();
    const renew = (token = '') =>
      form('/oauth/token', { grant_type: 'refresh_token', refresh_token: token, client_id: clientId });
    const [renewed, beside] = await Promise.all([renew(body['refresh_token']), renew(body['refresh_token'])]);
    for (const each of [renewed, beside]) expect(await mcpStatus(each.body['access_token'] ?? '')).toBe(200);
    const store = openStore({ connectionString: bench.connectionString, max: 1, log: silentLog });
    const later = (seconds: number) => {
      const sooner = sql<Date>`used_at - make_interval(secs => ${seconds})`;
      return store.system.updateTable('client_tokens').set({ used_at: sooner }).where('kind', '=', 'refresh').execute();
    };
    await later(100);
    expect((await renew(body['refresh_token'])).status).toBe(200);
    await later(20);
    await store.close();
    expect((await renew(body['refresh_token'])).body['error']).toBe('invalid_grant');
    for (const each of [renewed, beside]) expect(await mcpStatus(each.body['access_token'] ?? '')).toBe(401);
    expect((await renew(renewed.body['refresh_token'])).body['error']).toBe('invalid_grant');
  });

  test('what a program sends wrong is told by name, with the error that the protocol has for it', async () => {
    const kinds = 'one of authorization_code, refresh_token';
    expect((await form('/oauth/token', { grant_type: 'password' })).body).toEqual({
      error: 'unsupported_grant_type',
      error_description: `grant_type: must be ${kinds}`,
    });
    expect((await form('/oauth/token', {})).body).toEqual({
      error: 'invalid_request',
      error_description: `grant_type: must be given: ${kinds}`,
    });
    const inJson = await bench.call('POST', '/oauth/token', { body: { grant_type: 'refresh_token' } });
    expect(inJson.body).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('must be a form'),
    });
    const { body } = await bench.call('POST', '/oauth/register', { body: [] });
    expect(body.error_description).toMatch(/^The request: /);
    for (const broken of ['\\u0000', '\\ud800']) {
      const told = `{"client_name":"A${broken}B","redirect_uris":["https://example.com/cb"]}`;
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(new URL('/oauth/register', bench.origin), { method: 'POST', headers, body: told });
      expect([answer.status, await answer.json()]).toMatchObject([400, { error: 'invalid_client_metadata' }]);
    }
    const odd = { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'cli_\0' };
    expect((await form('/oauth/token', odd)).body).toMatchObject({ error: 'invalid_request' });
    expect((await open('/oauth/authorize?client_id=%00', owner)).status).toBe(400);
    const stranger = await open('/oauth/authorize?client_id=cli_gone', owner);
    expect([stranger.status, stranger.body]).toEqual([400, expect.stringContaining('introduces itself again')]);
    // A form that cannot be read has no fields.
    const broken = { method: 'POST', headers: { 'content-type': 'multipart/form-data; boundary=x' }, body: 'no form' };
    for (const path of ['/oauth/token', '/oauth/revoke']) {
      const answer = await fetch(new URL(path, bench.origin), broken);
      expect([path, answer.status, await answer.json()]).toMatchObject([path, 400, { error: 'invalid_request' }]);
    }
    const headers = { ...broken.headers, origin: bench.origin };
    for (const [path, status] of Object.entries({ '/oauth/authorize': 400, '/connect/board/callback': 410 })) {
      const answer = await fetch(new URL(path, bench.origin), { ...broken, headers });
      expect([path, answer.status]).toEqual([path, status]);
    }
  });

  test('a link to us leads nowhere by itself', async () => {
    const body = { client_name: 'Evil', redirect_uris: ['https://evil.example/cb'] };
    const registered = await bench.call('POST', '/oauth/register', { body });
    const asked = new URLSearchParams({
      client_id: registered.body.client_id,
      redirect_uri: 'https://evil.example/cb',
    });
    const stranger = await open(`/oauth/authorize?${asked}`);
    expect([stranger.status, stranger.headers.get('location')]).toEqual([401, null]);
    const page = await open(`/oauth/authorize?${asked}`, owner);
    expect([page.status, page.headers.get('location')]).toEqual([400, null]);
    expect(page.body).toContain('href="https://evil.example/cb?error=invalid_request');
    const loud = await open('/oauth/authorize?redirect_uri=https://x%3Bsandbox/');
    expect(loud.headers.get('content-security-policy')).toContain("form-action 'self';");
    // Policies know no addresses of IPv6: a browser would stop on its way there.
    const six = await open('/oauth/authorize?redirect_uri=http://[::1]:3456/callback');
    expect(six.headers.get('content-security-policy')).toContain("form-action 'self' http:;");
  });

  test('what was asked for one workspace is not allowed in another', async () => {
    const { workspaceId, cookie } = await bench.newTenant('Asked');
    const { kept, transport, client } = newProgram();
    await expect(client().connect(transport())).rejects.toBeInstanceOf(UnauthorizedError);
    const page = await open(kept.url ?? '', cookie);
    expect(page.body).toContain('Asked');
    const lookAt = (id: string) => bench.call('PATCH', '/v1/session', { cookie, body: { workspaceId: id } });
    const { body: other } = await bench.call('GET', '/v1/workspace', { key: bootstrapKey });
    expect((await lookAt(other.id)).status).toBe(200);
    expect((await press(page.body, 'allow', cookie)).status).toBe(400);
    await lookAt(workspaceId);
    expect((await press(page.body, 'allow', cookie)).status).toBe(303);
  });

  test('nobody is let in without a person: no method but S256, no address that was not registered, no foreign form', async () => {
    const plain = await letIn({ code_challenge_method: 'plain' });
    expect(plain.location.searchParams.get('error')).toBe('invalid_request');
    const { clientId } = plain;
    const asked = new URLSearchParams({ client_id: clientId, redirect_uri: 'https://evil.example/' });
    const page = await open(`/oauth/authorize?${asked}`, owner);
    expect([page.status, page.headers.get('location')]).toEqual([400, null]);
    const evil = { client_name: 'Evil', redirect_uris: ['javascript:alert(1)'] };
    expect((await bench.call('POST', '/oauth/register', { body: evil })).body.error).toBe('invalid_redirect_uri');
    const inside = { client_name: '<script>alert(1)</script>', redirect_uris: ['https://example.com/cb'] };
    const { body: registered } = await bench.call('POST', '/oauth/register', { body: inside });
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: registered.client_id,
      redirect_uri: 'https://example.com/cb',
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    });
    const consent = await open(`/oauth/authorize?${query}`, owner);
    expect(consent.body).not.toContain('<script>alert');
    expect((await press(consent.body, 'allow', owner, { origin: 'https://evil.example' })).status).toBe(403);
    const other = await bench.signInAsOwner();
    // Asked in one session, answered in another.
    expect((await press(consent.body, 'allow', other)).status).toBe(400);
    const denied = await press(consent.body, 'deny', owner);
    expect(new URL(denied.headers.get('location') ?? '').searchParams.get('error')).toBe('access_denied');
    expect((await press(consent.body, 'allow', owner)).status).toBe(400);
    expect((await bench.call('GET', '/oauth/authorize', { key: bootstrapKey })).status).toBe(400);
  });

  test('a program gives up what it was allowed', async () => {
    const { body } = await (await letIn()).trade();
    expect((await form('/oauth/revoke', { token: body['refresh_token'] ?? '' })).status).toBe(200);
    expect(await mcpStatus(body['access_token'] ?? '')).toBe(401);
  });
});
