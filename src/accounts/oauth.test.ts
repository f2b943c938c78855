import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import type { OAuthAuth } from '#kit';
import type { UpstreamClient } from '#upstream';
import { createOAuth, GrantRefused } from './oauth.ts';

const method = { always: [], tokenBody: 'json' } as Partial<OAuthAuth> as OAuthAuth;

/** What becomes of a refresh that the token endpoint answers so. */
const refreshAnswered = (status: number, body: unknown): Promise<unknown> => {
  const call: UpstreamClient['call'] = async () => ({ status, headers: {}, body, ms: 1, bytes: 1 });
  const oauth = createOAuth({ client: { call } as Partial<UpstreamClient> as UpstreamClient, clock: systemClock() });
  const [authorizeUrl, tokenUrl] = [new URL('https://login.example/authorize'), new URL('https://login.example/token')];
  const app = { clientId: 'our-app', clientSecret: 'known to both', authorizeUrl, tokenUrl };
  const refreshed = oauth.refresh(method, app, { refreshToken: 'old', scopes: [] }, new AbortController().signal);
  return refreshed.catch((error: unknown) => error);
};

test.each([
  [403, { error: 'invalid_grant' }],
  [400, { error: 'unauthorized_client' }],
  [401, { error: 'invalid_grant' }],
  [401, { error: 'unauthorized_client' }],
  [403, { message: 'Forbidden' }],
])('a grant that is refused with %i and %j is dead', async (status, body) => {
  expect(await refreshAnswered(status, body)).toBeInstanceOf(GrantRefused);
});

test.each([
  [401, { error: 'invalid_client' }],
  [400, { error: 'invalid_client' }],
  [401, { message: 'Unauthorized' }],
  [401, { error: 'Unauthorized' }],
  [400, { error: 'unauthorized_client', error_codes: [700016] }],
])("an answer of %i with %j is about the operator's app, and the grant lives on", async (status, body) => {
  const message = expect.stringContaining('operator');
  expect(await refreshAnswered(status, body)).toMatchObject({ code: 'upstream_rejected', message });
});

test('a token endpoint is asked with the query that its address has', async () => {
  const asked: unknown[] = [];
  const call: UpstreamClient['call'] = async ({ base, request: { path, query } }) => {
    asked.push([base.href, path, { ...query }]);
    return { status: 200, headers: {}, body: { access_token: 'new' }, ms: 1, bytes: 1 };
  };
  const oauth = createOAuth({ client: { call } as Partial<UpstreamClient> as UpstreamClient, clock: systemClock() });
  const tokenUrl = new URL('https://login.example/token?tenant=a&v=2');
  const app = { clientId: 'our-app', authorizeUrl: tokenUrl, tokenUrl };
  await oauth.refresh(method, app, { refreshToken: 'old', scopes: [] }, new AbortController().signal);
  expect(asked).toEqual([['https://login.example/', '/token', { tenant: 'a', v: '2' }]]);
});
