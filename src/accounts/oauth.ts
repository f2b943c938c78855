import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '#clock';
import { Fault, type Grant, type OAuthAuth, type Path, queryOf, type ServiceSettings, waitAsked } from '#kit';
import type { UpstreamClient } from '#upstream';
import { type Claims, readIdToken } from './id-token.ts';

export type OAuthApp = NonNullable<ServiceSettings['oauth']>;

/** What the token endpoint granted. */
export type Granted = { grant: Grant; scope: string | undefined; claims: Claims | undefined };

/** The token endpoint refuses for good: the grant is dead, or the code is not accepted. */
export class GrantRefused extends Error {
  readonly error: string;
  /** What it wants to be told at the next sign-in. */
  readonly claims: string | undefined;

  constructor(error: string, claims?: string) {
    super(`the token endpoint refused: ${error}`);
    this.error = error;
    this.claims = claims;
  }
}

const text = z
  .string()
  .min(1)
  .max(16_384)
  .regex(/^[\x21-\x7e]+$/);
const TokenAnswer = z.object({
  access_token: text,
  token_type: z
    .string()
    .regex(/^bearer$/i)
    .optional(),
  expires_in: z.coerce.number().positive().max(31_536_000).optional(),
  refresh_token: text.optional(),
  scope: z.string().max(10_000).optional(),
  id_token: z.string().max(65_536).optional(),
});
const TokenRefusal = z.object({
  error: z.string().regex(/^[\w.-]{1,60}$/),
  error_codes: z.array(z.number()).optional().catch(undefined),
  claims: z.string().max(4_000).startsWith('{').optional().catch(undefined),
});

// The grant lives on: it is our own registration, or the request, that is refused.
const ourMistake = new Set(['invalid_client', 'invalid_request', 'unsupported_grant_type', 'invalid_scope']);
const appUnknown = 700016;
// A 401 is how an app is refused, unless one of these says that it is about the grant after all.
const ofTheGrant = new Set(['invalid_grant', 'unauthorized_client', 'interaction_required', 'consent_required']);
// With these a grant is refused, if need be without a word why. Others, such as a timeout on the way, say nothing about it.
const refusals = new Set([400, 401, 403]);
const maxBytes = 262_144;
const codeDeadlineMs = 30_000;
// A refresh that is given up may still be done at the service, and its token lost: so it may take very long.
const refreshDeadlineMs = 120_000;

const readRefusal = (status: number, body: unknown, retryAfterMs: number | undefined): Error => {
  const parsed = TokenRefusal.safeParse(body);
  const { error = `status ${status}`, error_codes, claims } = parsed.data ?? {};
  const isAway = status >= 500 || status === 429 || status < 400 || error === 'temporarily_unavailable';
  if (isAway || (!parsed.success && !refusals.has(status))) {
    const message = 'The sign-in service is not well; try again later.';
    return new Fault('upstream_unavailable', message, { retryAfterMs, details: { upstream: { status } } });
  }
  if ((status === 401 && !ofTheGrant.has(error)) || ourMistake.has(error) || error_codes?.includes(appUnknown)) {
    const message = `The sign-in service refuses this installation's own app (${error}); the operator must check its client id and secret.`;
    return new Fault('upstream_rejected', message, { details: { upstream: { status, code: error } } });
  }
  return new GrantRefused(error, claims);
};

/** A fresh secret of one attempt, and what is told of it in advance. */
export const newVerifier = (): string => randomBytes(32).toString('base64url');
const digest = (value: string): string => createHash('sha256').update(value).digest('base64url');
const nonceOf = (verifier: string): string => digest(`nonce ${verifier}`);

export type OAuth = {
  authorizeUrl(
    method: OAuthAuth,
    app: OAuthApp,
    request: {
      redirectUri: string;
      state: string;
      verifier: string;
      scopes: readonly string[];
      loginHint?: string | undefined;
      claims?: string | undefined;
    },
  ): URL;
  redeem(
    method: OAuthAuth,
    app: OAuthApp,
    code: { code: string; redirectUri: string; verifier: string; scopes: readonly string[] },
  ): Promise<Granted>;
  refresh(
    method: OAuthAuth,
    app: OAuthApp,
    given: { refreshToken: string; scopes: readonly string[] },
    signal: AbortSignal,
  ): Promise<Granted>;
};

/** Authorization code with PKCE, and refresh: what RFC 6749, 7636 and 9207 ask of a client. */
export const createOAuth = ({ client, clock }: { client: UpstreamClient; clock: Clock }): OAuth => {
  const ask = async (
    { tokenBody }: OAuthAuth,
    { tokenUrl, clientId, clientSecret }: OAuthApp,
    fields: Record<string, string>,
    limits: { deadlineMs: number; signal?: AbortSignal },
  ): Promise<z.output<typeof TokenAnswer>> => {
    const all = { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }), ...fields };
    const form = tokenBody === 'form';
    const answer = await client.call({
      base: new URL('/', tokenUrl),
      request: {
        method: 'POST',
        path: tokenUrl.pathname as Path,
        query: queryOf([...tokenUrl.searchParams]),
        headers: {
          accept: 'application/json',
          'content-type': form ? 'application/x-www-form-urlencoded' : 'application/json',
        },
        body: form ? new URLSearchParams(all).toString() : all,
      },
      headers: {},
      // Nothing in anybody's account is written by it.
      effect: 'read',
      maxBytes,
      ...limits,
    });
    if (answer.status !== 200) {
      const { 'retry-after': retryAfter, date } = answer.headers;
      throw readRefusal(answer.status, answer.body, waitAsked({ retryAfter, date }) || undefined);
    }
    const parsed = TokenAnswer.safeParse(answer.body);
    if (parsed.success) return parsed.data;
    throw new Fault('upstream_unavailable', 'The sign-in service answered with something that is no token.');
  };

  const granted = (
    answer: z.output<typeof TokenAnswer>,
    refreshToken: string | undefined,
    claims: Claims | undefined,
  ): Granted => ({
    grant: {
      accessToken: answer.access_token,
      // A server that does not rotate leaves the old one in force.
      refreshToken: answer.refresh_token ?? refreshToken,
      expiresAt: answer.expires_in === undefined ? undefined : clock.now().getTime() + answer.expires_in * 1000,
    },
    scope: answer.scope,
    claims,
  });

  const wanted = (method: OAuthAuth, scopes: readonly string[]) =>
    [...new Set([...method.always, ...scopes])].join(' ');
  const openId = (method: OAuthAuth) => method.always.includes('openid');

  return {
    authorizeUrl: (method, app, { redirectUri, state, verifier, scopes, loginHint, claims }) => {
      const url = new URL(app.authorizeUrl);
      const parameters = {
        ...method.authorizeParameters,
        client_id: app.clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: wanted(method, scopes),
        state,
        code_challenge: digest(verifier),
        code_challenge_method: 'S256',
        ...(openId(method) && { nonce: nonceOf(verifier) }),
        ...(loginHint !== undefined && { login_hint: loginHint }),
        ...(claims !== undefined && { claims }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url;
    },

    redeem: async (method, app, { code, redirectUri, verifier, scopes }) => {
      const answer = await ask(
        method,
        app,
        {
          grant_type: 'authorization_code',
          code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
          ...(method.tokenBody === 'form' && { scope: wanted(method, scopes) }),
        },
        { deadlineMs: codeDeadlineMs },
      );
      const expected = { issuer: app.issuer, audience: app.clientId, nonce: nonceOf(verifier), now: clock.now() };
      const claims = openId(method) ? readIdToken(answer.id_token, expected) : undefined;
      return granted(answer, undefined, claims);
    },

    refresh: async (method, app, { refreshToken, scopes }, signal) => {
      const answer = await ask(
        method,
        app,
        {
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          ...(method.tokenBody === 'form' && { scope: wanted(method, scopes) }),
        },
        { deadlineMs: refreshDeadlineMs, signal },
      );
      return granted(answer, refreshToken, undefined);
    },
  };
};
