import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Grant, Member, OAuthClient, Token } from './model.ts';
import type { World } from './world.ts';

const hour = 3_600_000;
const refreshLife = 90 * 24 * hour;
const codeLife = 5 * 60_000;

export const scopeNames: readonly string[] = [
  'read:board:trello',
  'write:board:trello',
  'write:board:membership:trello',
  'read:organization:trello',
  'write:organization:trello',
  'write:organization:membership:trello',
  'read:member:trello',
  'write:member:trello',
  'read:enterprise:trello',
  'write:enterprise:trello',
  'offline_access',
];

/** What the token endpoint refuses with. */
export class OAuthRefusal extends Error {
  readonly status: 400 | 401 | 403;
  readonly error: string;
  constructor(status: 400 | 401 | 403, error: string, description: string) {
    super(description);
    this.status = status;
    this.error = error;
  }
}

export const issueCode = (
  world: World,
  client: OAuthClient,
  member: Member,
  wanted: { scopes: string[]; redirectUri: string; challenge: string },
): string => {
  const code = randomBytes(32).toString('base64url');
  const expires = new Date(world.clock.now() + codeLife).toISOString();
  world.codes.set(code, { code, clientId: client.id, idMember: member.id, expires, ...wanted });
  return code;
};

const Body = z.object({
  grant_type: z.string(),
  client_id: z.string(),
  client_secret: z.string().optional(),
  code: z.string().optional(),
  code_verifier: z.string().optional(),
  redirect_uri: z.string().optional(),
  refresh_token: z.string().optional(),
});
type Body = z.infer<typeof Body>;

const same = (a: string, b: string): boolean => {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return left !== undefined && right !== undefined && timingSafeEqual(left, right);
};

const authenticate = (world: World, { client_id, client_secret }: Body): OAuthClient => {
  const client = world.clients.get(client_id);
  if (!client) throw new OAuthRefusal(401, 'access_denied', 'Unauthorized');
  if (client.secret !== null && !same(client.secret, client_secret ?? '')) {
    throw new OAuthRefusal(401, 'access_denied', 'Unauthorized');
  }
  return client;
};

const deadGrant = (description: string) => new OAuthRefusal(403, 'invalid_grant', description);

/** Answers the token endpoint: a code with its PKCE verifier, or a refresh token that is used up by it. */
export const exchange = (world: World, given: unknown): Record<string, unknown> => {
  const parsed = Body.safeParse(given);
  if (!parsed.success) throw new OAuthRefusal(400, 'invalid_request', 'Missing or malformed parameters');
  const client = authenticate(world, parsed.data);
  if (parsed.data.grant_type === 'authorization_code') return fromCode(world, client, parsed.data);
  if (parsed.data.grant_type === 'refresh_token') return fromRefreshToken(world, client, parsed.data);
  throw new OAuthRefusal(403, 'unsupported_grant_type', `Unsupported grant type: ${parsed.data.grant_type}`);
};

const fromCode = (world: World, client: OAuthClient, body: Body): Record<string, unknown> => {
  const code = world.codes.get(body.code ?? '');
  if (!code || code.clientId !== client.id) throw deadGrant('Invalid authorization code');
  world.codes.delete(code.code);
  if (Date.parse(code.expires) <= world.clock.now()) throw deadGrant('Authorization code expired');
  if (code.redirectUri !== body.redirect_uri) throw deadGrant('The redirect URI is wrong');
  const challenge = createHash('sha256')
    .update(body.code_verifier ?? '')
    .digest('base64url');
  if (challenge !== code.challenge) throw deadGrant('Failed to verify code verifier');
  const grant: Grant = {
    id: world.id(),
    clientId: client.id,
    idMember: code.idMember,
    scopes: code.scopes,
    refreshToken: null,
    refreshExpires: new Date(world.clock.now() + refreshLife).toISOString(),
  };
  world.grants.set(grant.id, grant);
  return answer(world, client, grant);
};

const fromRefreshToken = (world: World, client: OAuthClient, body: Body): Record<string, unknown> => {
  const wanted = body.refresh_token ?? '';
  const grant = world.grants.get(wanted.split('.')[0] ?? '');
  const alive = grant?.refreshToken === wanted && Date.parse(grant.refreshExpires) > world.clock.now();
  if (!grant || !alive || grant.clientId !== client.id) throw deadGrant('Unknown or invalid refresh token.');
  return answer(world, client, grant);
};

const answer = (world: World, client: OAuthClient, grant: Grant): Record<string, unknown> => {
  const now = world.clock.now();
  for (const old of world.tokens.values()) {
    const over = old.idOwner === grant.id && old.dateExpires !== null && Date.parse(old.dateExpires) <= now;
    if (over) world.removeToken(old);
  }
  const token: Token = {
    id: world.id(),
    value: randomBytes(96).toString('base64url'),
    appKey: client.id,
    kind: 'oauth',
    idOwner: grant.id,
    identifier: client.name,
    idMember: grant.idMember,
    dateCreated: new Date(now).toISOString(),
    dateExpires: new Date(now + hour).toISOString(),
    scopes: grant.scopes,
  };
  world.addToken(token);
  const offline = grant.scopes.includes('offline_access');
  if (offline) {
    grant.refreshToken = `${grant.id}.${randomBytes(48).toString('base64url')}`;
    grant.refreshExpires = new Date(now + refreshLife).toISOString();
  }
  return {
    access_token: token.value,
    ...(offline ? { refresh_token: grant.refreshToken } : {}),
    expires_in: hour / 1000,
    token_type: 'Bearer',
    scope: grant.scopes.join(' '),
  };
};
