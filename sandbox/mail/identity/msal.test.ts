import { ConfidentialClientApplication, type INetworkModule, type NetworkRequestOptions } from '@azure/msal-node';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { pkce, redirectUri, sentBack, serveIdentity } from './test-identity.ts';

/** Sends what MSAL meant for the real host to the sandbox, Host header included. */
const rewriting = (sandbox: string): INetworkModule => {
  const send = async <T>(method: 'GET' | 'POST', url: string, options: NetworkRequestOptions = {}) => {
    const { host, pathname, search } = new URL(url);
    const headers = { ...options.headers, host };
    const answer = await request(`${sandbox}${pathname}${search}`, { method, headers, body: options.body ?? null });
    const names = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
    return { headers: Object.fromEntries(names), body: (await answer.body.json()) as T, status: answer.statusCode };
  };
  return {
    sendGetRequestAsync: (url, options) => send('GET', url, options),
    sendPostRequestAsync: (url, options) => send('POST', url, options),
  };
};

const scopes = ['User.Read', 'Mail.Read'];

const setUp = async (tenant = 'common', clientSecret = 'sandbox-secret') => {
  const sandbox = await serveIdentity();
  const msal = new ConfidentialClientApplication({
    auth: { clientId: 'switchboard-sandbox', clientSecret, authority: `https://login.microsoftonline.com/${tenant}` },
    system: { networkClient: rewriting(sandbox.url) },
  });
  /** What a browser would do with the address MSAL made. */
  const signIn = async (as: string, more: Parameters<typeof msal.getAuthCodeUrl>[0] = { scopes, redirectUri }) => {
    sandbox.world.tokens.consentMode = { mode: 'auto', as };
    const { pathname, search, origin } = new URL(await msal.getAuthCodeUrl(more));
    expect(origin).toBe('https://login.microsoftonline.com');
    return sentBack(await fetch(`${sandbox.url}${pathname}${search}`, { redirect: 'manual' }));
  };
  return { ...sandbox, msal, signIn };
};

test('MSAL signs a work account in with code and PKCE and reads who it is', async () => {
  await using bench = await setUp();
  const { verifier, challenge } = pkce();
  const answer = await bench.signIn('ada@sandbox.test', {
    scopes,
    redirectUri,
    state: 'st',
    codeChallenge: challenge,
    codeChallengeMethod: 'S256',
  });
  expect(answer.get('state')).toBe('st');

  const result = await bench.msal.acquireTokenByCode({
    code: answer.get('code') ?? '',
    codeVerifier: verifier,
    scopes,
    redirectUri,
  });

  expect(result.account?.username).toBe('ada@sandbox.test');
  expect(result.scopes).toEqual(expect.arrayContaining(['User.Read', 'Mail.Read']));
  expect(bench.world.tokens.check(result.accessToken)).toMatchObject({ clientId: 'switchboard-sandbox' });
});

test('MSAL signs a personal account in under the consumer tenant', async () => {
  await using bench = await setUp('consumers');
  const answer = await bench.signIn('cy@sandbox.test');
  const result = await bench.msal.acquireTokenByCode({ code: answer.get('code') ?? '', scopes, redirectUri });
  expect(result.tenantId).toBe('9188040d-6c67-4c5b-b112-36a304b66dad');
});

test('MSAL works with a tenant named by its domain, whose metadata it has to ask for', async () => {
  await using bench = await setUp('sandbox.test');
  const answer = await bench.signIn('ada@sandbox.test');
  const result = await bench.msal.acquireTokenByCode({ code: answer.get('code') ?? '', scopes, redirectUri });
  expect(result.account?.username).toBe('ada@sandbox.test');
});

test('MSAL refreshes silently once the access token has expired', async () => {
  await using bench = await setUp();
  const answer = await bench.signIn('ada@sandbox.test');
  const first = await bench.msal.acquireTokenByCode({ code: answer.get('code') ?? '', scopes, redirectUri });
  if (first.account === null) throw new Error('no account');
  const second = await bench.msal.acquireTokenSilent({ account: first.account, scopes, forceRefresh: true });
  expect(second.accessToken).not.toBe(first.accessToken);
  expect(bench.world.tokens.check(second.accessToken)).toBeTypeOf('object');
});

test('MSAL reads a revoked grant as interaction required', async () => {
  await using bench = await setUp();
  const answer = await bench.signIn('ada@sandbox.test');
  const { account } = await bench.msal.acquireTokenByCode({ code: answer.get('code') ?? '', scopes, redirectUri });
  if (account === null) throw new Error('no account');
  bench.world.tokens.revoke('ada@sandbox.test');
  const silent = bench.msal.acquireTokenSilent({ account, scopes, forceRefresh: true });
  await expect(silent).rejects.toMatchObject({
    name: 'InteractionRequiredAuthError',
    errorCode: 'invalid_grant',
    subError: 'bad_token',
  });
});

test('MSAL reads a wrong secret and a used code as server errors', async () => {
  await using bench = await setUp('common', 'not-the-secret');
  const answer = await bench.signIn('ada@sandbox.test');
  const attempt = bench.msal.acquireTokenByCode({ code: answer.get('code') ?? '', scopes, redirectUri });
  await expect(attempt).rejects.toMatchObject({ errorCode: 'invalid_client', errorNo: 7000215 });

  await using good = await setUp();
  const code = (await good.signIn('ada@sandbox.test')).get('code') ?? '';
  await good.msal.acquireTokenByCode({ code, scopes, redirectUri });
  const again = good.msal.acquireTokenByCode({ code, scopes, redirectUri });
  await expect(again).rejects.toMatchObject({ errorCode: 'invalid_grant', errorNo: 54005 });
});
