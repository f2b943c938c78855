import { createHash } from 'node:crypto';
import type { AppRegistration } from './apps.ts';
import type { Directory } from './directory.ts';
import { signedJwt } from './keys.ts';
import { IdentityProblem, missingParameter } from './problems.ts';
import { type Redeemed, redeemCode, redeemRefresh } from './redeem.ts';
import { graphResource, namedScopes, openIdScopes } from './scopes.ts';
import { mustKnowTenant } from './tenants.ts';
import { accessLifetimeSeconds, type TokenSubject } from './tokens.ts';

type TokenRequest = {
  tenant: string;
  origin: string;
  form: Record<string, string>;
  authorization: string | undefined;
};

/** The body of a granted token request; throws an IdentityProblem otherwise. */
export const answerTokenRequest = (directory: Directory, request: TokenRequest) => {
  const { form } = request;
  const grantType = form.grant_type;
  if (grantType === undefined) throw missingParameter('grant_type');
  if (grantType !== 'authorization_code' && grantType !== 'refresh_token')
    throw new IdentityProblem(
      'unsupported_grant_type',
      70003,
      `The app requested an unsupported grant type '${grantType}'.`,
    );
  mustKnowTenant(request.tenant, directory.people());
  const app = authenticate(directory, request);
  const redeemed =
    grantType === 'refresh_token' ? redeemRefresh(directory, app, form) : redeemCode(directory, app, form);
  return tokenAnswer(directory, app, redeemed, request);
};

const fromBasic = (authorization: string | undefined): { id: string; secret: string } | undefined => {
  const [, encoded] = /^basic (.+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return undefined;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':', 2);
  try {
    return { id: decodeURIComponent(id), secret: decodeURIComponent(secret) };
  } catch {
    return { id, secret };
  }
};

const authenticate = (directory: Directory, { form, authorization }: TokenRequest): AppRegistration => {
  const basic = fromBasic(authorization);
  const clientId = form.client_id ?? basic?.id;
  if (clientId === undefined) throw missingParameter('client_id');
  const app = directory.tokens.apps.get(clientId);
  if (app === undefined)
    throw new IdentityProblem(
      'unauthorized_client',
      700016,
      `Application with identifier '${clientId}' was not found in the directory. This can happen if the application has not been installed by the administrator of the tenant or consented to by any user in the tenant.`,
    );
  if (app.secrets.length === 0) return app;
  const secret = form.client_secret ?? basic?.secret;
  if (secret === undefined)
    throw new IdentityProblem(
      'invalid_client',
      7000218,
      "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    );
  const match = app.secrets.find(({ value }) => value === secret);
  if (match === undefined)
    throw new IdentityProblem(
      'invalid_client',
      7000215,
      `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${clientId}'.`,
    );
  if (match.expiresAt !== undefined && Date.parse(match.expiresAt) <= directory.clock.now())
    throw new IdentityProblem(
      'invalid_client',
      7000222,
      `The provided client secret keys for app '${clientId}' are expired.`,
    );
  return app;
};

const tokenAnswer = (
  directory: Directory,
  app: AppRegistration,
  { subject, scopes, nonce, fixedUntil }: Redeemed,
  { origin, form }: TokenRequest,
) => {
  const { tokens } = directory;
  const { clientId } = app;
  // A work account's token carries everything consented so far; a personal one's what was asked for.
  const held = subject.personal
    ? scopes
    : [
        ...new Set([
          ...scopes,
          ...tokens.consents.of(subject.userId, clientId),
          ...tokens.consents.of(subject.tenantId, clientId),
        ]),
      ];
  const grant = { subject, clientId, scopes: held };
  return {
    token_type: 'Bearer',
    scope: subject.personal ? urlScopes(held) : namedScopes(held),
    expires_in: accessLifetimeSeconds,
    ext_expires_in: accessLifetimeSeconds,
    access_token: tokens.issueAccess(grant),
    ...(scopes.includes('offline_access') ? { refresh_token: tokens.issueRefresh(grant, fixedUntil) } : {}),
    ...(scopes.includes('openid') ? { id_token: idToken(directory, app, subject, scopes, origin, nonce) } : {}),
    ...(form.client_info === '1' ? { client_info: clientInfo(subject) } : {}),
  };
};

const urlScopes = (scopes: string[]): string =>
  namedScopes(scopes)
    .split(' ')
    .map((name) => (openIdScopes.has(name) ? name : graphResource + name))
    .join(' ');

export const clientInfo = ({ userId, tenantId }: TokenSubject): string =>
  Buffer.from(JSON.stringify({ uid: userId, utid: tenantId })).toString('base64url');

const idToken = (
  directory: Directory,
  app: AppRegistration,
  subject: TokenSubject,
  scopes: string[],
  origin: string,
  nonce: string | undefined,
): string => {
  const seconds = Math.floor(directory.clock.now() / 1000);
  return signedJwt({
    ver: '2.0',
    iss: `${origin}/${subject.tenantId}/v2.0`,
    aud: app.clientId,
    sub: createHash('sha256').update(`${subject.userId} ${app.clientId}`).digest('base64url'),
    iat: seconds,
    nbf: seconds,
    exp: seconds + 3600,
    name: subject.displayName,
    preferred_username: subject.username,
    oid: subject.userId,
    tid: subject.tenantId,
    ...(scopes.includes('email') ? { email: subject.username } : {}),
    ...(nonce === undefined ? {} : { nonce }),
  });
};
