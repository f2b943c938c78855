import { z } from 'zod';
import {
  Fault,
  type FragmentAuth,
  type Grant,
  type Identity,
  type OAuthAuth,
  path,
  type ServiceSettings,
  type TypedAuth,
  type Upstream,
} from '#kit';

const printable = z
  .string()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]+$/, 'must be one word without blanks');

/** The app's key with a token of the person, and the secret that signs webhooks if it is known. */
export const KeyToken = z.object({
  key: printable.regex(/^[0-9a-f]{32}$/, 'must be 32 hexadecimal digits').describe('API key of the app.'),
  token: printable.describe('Token that the person granted to that app.'),
  secret: printable.optional().describe('Secret of the app; with it, notifications can be verified.'),
});
export type KeyToken = z.output<typeof KeyToken>;

/** What signs a request: key and token, or the access token of a grant. */
export type BoardCredential = KeyToken | Pick<Grant, 'accessToken'>;

const Member = z.object({ id: z.string(), username: z.string(), fullName: z.string() });

const refusals = new Set<Fault['code']>(['upstream_rejected', 'not_found', 'invalid_input']);

const identify = async (upstream: Upstream): Promise<Identity> => {
  const query = { fields: 'id,username,fullName' };
  const answer = await upstream.get(path`/1/members/me`, { query }).catch((error: unknown) => {
    // Whoever may not even read their own name has no working credential.
    if (!(error instanceof Fault) || !refusals.has(error.code)) throw error;
    throw new Fault('reconnect_needed', error.message, { details: error.details ?? {} });
  });
  const { id, username, fullName } = Member.parse(answer);
  return { id, username, name: fullName };
};

const revoke = async (upstream: Upstream, credential: unknown): Promise<void> => {
  const held = credential as BoardCredential;
  await upstream.delete(path`/1/tokens/${'token' in held ? held.token : held.accessToken}`);
};

/** Without the app's secret notifications cannot be verified. The operator's own app is known by its key. */
const appSecret = (credential: unknown, { fragment }: ServiceSettings): string | undefined => {
  const { key, secret } = credential as KeyToken;
  return secret ?? (fragment?.appKey === key ? fragment.appSecret : undefined);
};

export const signIn: OAuthAuth = {
  way: 'oauth2',
  type: 'oauth2',
  title: 'Sign in',
  purpose: 'Sign in at the board service and grant what the agents may do; access renews itself.',
  always: ['offline_access'],
  scopes: { standard: ['read:board:trello', 'write:board:trello', 'read:member:trello', 'read:organization:trello'] },
  authorizeParameters: { prompt: 'consent' },
  tokenBody: 'json',
  readScopes: (granted) =>
    granted
      .split(/\s+/)
      .filter((scope) => scope !== '' && scope !== 'offline_access')
      .map((scope) => scope.replace(/:trello$/, '')),
  toCredential: ({ accessToken }) => ({ accessToken }),
  signingSecret: (_, { oauth }) => oauth?.clientSecret,
  identify,
  revoke,
};

const tokenScopes = ['read', 'write', 'account'];

export const authorize: FragmentAuth = {
  way: 'fragment',
  type: 'authorize',
  title: 'Allow access',
  purpose: 'Allow access on a page of the board service; it lasts until somebody ends it.',
  scopes: tokenScopes,
  authorizeUrl: ({ base, appKey, appName, returnUrl }) => {
    const url = new URL('/1/authorize', base);
    url.search = new URLSearchParams({
      key: appKey,
      name: appName,
      scope: tokenScopes.join(','),
      // The service's pages disagree about what it means to leave this out.
      expiration: 'never',
      response_type: 'token',
      callback_method: 'fragment',
      return_url: returnUrl,
    }).toString();
    return url;
  },
  toCredential: ({ appKey, appSecret, token }) => {
    const credential: KeyToken = { key: appKey, token, ...(appSecret === undefined ? {} : { secret: appSecret }) };
    const parsed = KeyToken.safeParse(credential);
    if (parsed.success) return parsed.data;
    throw new Fault('invalid_input', 'What came back from the board service is no token.');
  },
  signingSecret: appSecret,
  identify,
  revoke,
};

export const keyAndToken: TypedAuth = {
  way: 'typed',
  type: 'key_token',
  title: 'API key + token',
  purpose: 'For service accounts and automation: access without a person signing in again.',
  credential: KeyToken,
  scopes: ['read', 'write'],
  guide: ({ pages }) => {
    if (pages === undefined) return undefined;
    const authorizeUrl = new URL('/1/authorize', pages);
    authorizeUrl.search = new URLSearchParams({
      expiration: 'never',
      name: 'Switchboard',
      scope: 'read,write',
      response_type: 'token',
    }).toString();
    return { registerUrl: new URL('/power-ups/admin', pages), authorizeUrl };
  },
  signingSecret: appSecret,
  identify,
};
