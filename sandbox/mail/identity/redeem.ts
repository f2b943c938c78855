import { createHash } from 'node:crypto';
import type { AppRegistration } from './apps.ts';
import type { Directory } from './directory.ts';
import { IdentityProblem, malformed, missingParameter, notConsented } from './problems.ts';
import { openIdScopes, parseScopes, scopeInfo } from './scopes.ts';
import type { TokenSubject } from './tokens.ts';

/** What a code or refresh token stood for. */
export type Redeemed = {
  subject: TokenSubject;
  scopes: string[];
  nonce?: string | undefined;
  fixedUntil?: number | undefined;
};

const invalidGrant = (code: number, message: string, suberror?: string) =>
  new IdentityProblem('invalid_grant', code, message, suberror === undefined ? {} : { suberror });

export const redeemCode = (directory: Directory, app: AppRegistration, form: Record<string, string>): Redeemed => {
  if (form.code === undefined) throw missingParameter('code');
  const code = directory.tokens.code(form.code);
  if (code === undefined) {
    if (!/^(1\.A|M\.C)/.test(form.code)) throw malformed();
    throw invalidGrant(70000, 'Provided grant is invalid or malformed.');
  }
  if (code.clientId !== app.clientId) throw invalidGrant(70000, 'Provided grant was issued to another client.');
  if (code.used)
    throw invalidGrant(
      54005,
      'OAuth2 Authorization code was already redeemed, please retry with a new valid code or use an existing refresh token.',
    );
  if (code.expiresAt <= directory.clock.now())
    throw invalidGrant(
      70008,
      'The provided authorization code or refresh token has expired due to inactivity. Send a new interactive authorization request for this user and resource.',
    );
  if (form.redirect_uri === undefined) throw missingParameter('redirect_uri');
  if (form.redirect_uri !== code.redirectUri)
    throw new IdentityProblem(
      'invalid_client',
      500112,
      `The reply address '${form.redirect_uri}' does not match the reply address '${code.redirectUri}' provided when requesting Authorization code.`,
    );
  if (code.challenge !== undefined) {
    const digest = createHash('sha256')
      .update(form.code_verifier ?? '')
      .digest('base64url');
    if (digest !== code.challenge)
      throw invalidGrant(
        501481,
        'The Code_Verifier does not match the code_challenge supplied in the authorization request.',
      );
  }
  code.used = true;
  const day = 24 * 3_600_000;
  const fixedUntil = app.spa === true ? directory.clock.now() + day : undefined;
  return {
    subject: code.subject,
    scopes: wanted(directory, app, code.subject, form.scope, code.scopes),
    nonce: code.nonce,
    fixedUntil,
  };
};

export const redeemRefresh = (directory: Directory, app: AppRegistration, form: Record<string, string>): Redeemed => {
  if (form.refresh_token === undefined) throw missingParameter('refresh_token');
  const token = directory.tokens.refreshToken(form.refresh_token);
  if (token === undefined) {
    if (!/^(1\.A|M\.C)/.test(form.refresh_token)) throw malformed();
    throw invalidGrant(70000, 'Provided grant is invalid or malformed.');
  }
  if (token.clientId !== app.clientId) throw invalidGrant(70000, 'Provided grant was issued to another client.');
  if (token.revoked)
    throw invalidGrant(
      50173,
      'The provided grant has expired due to it being revoked, a fresh auth token is needed. The user might have changed or reset their password.',
      'bad_token',
    );
  if (token.expiresAt <= directory.clock.now())
    throw token.fixed
      ? invalidGrant(
          700084,
          'The refresh token was issued to a single page app (SPA), and therefore has a fixed, limited lifetime of 1.00:00:00, which cannot be extended.',
        )
      : invalidGrant(
          700082,
          'The refresh token has expired due to inactivity. The token was inactive for 90.00:00:00.',
        );
  if (directory.tokens.interaction.has(token.subject.userId))
    throw new IdentityProblem(
      'interaction_required',
      50076,
      "Due to a configuration change made by your administrator, or because you moved to a new location, you must use multi-factor authentication to access '00000003-0000-0000-c000-000000000000'.",
      { suberror: 'basic_action', claims: '{"access_token":{"capolids":{"essential":true,"values":["sandbox"]}}}' },
    );
  const { subject, scopes, fixed, expiresAt } = token;
  return {
    subject,
    scopes: wanted(directory, app, subject, form.scope, scopes),
    fixedUntil: fixed ? expiresAt : undefined,
  };
};

/** The scopes asked for must exist and be consented; none asked for means those of the sign-in. */
const wanted = (
  directory: Directory,
  app: AppRegistration,
  subject: TokenSubject,
  asked: string | undefined,
  before: string[],
): string[] => {
  if (asked === undefined || asked.trim() === '') return before;
  const scopes = parseScopes(asked).filter((scope) => scope !== '.default');
  const { consents } = directory.tokens;
  const granted = new Set([
    ...consents.of(subject.userId, app.clientId),
    ...consents.of(subject.tenantId, app.clientId),
  ]);
  for (const scope of scopes) {
    const known = scopeInfo(scope);
    if (known === undefined || (known.workOnly === true && subject.personal))
      throw new IdentityProblem(
        'invalid_scope',
        70011,
        `The provided request must include a 'scope' input parameter. The provided value for the input parameter 'scope' is not valid. The scope ${scope} does not exist.`,
      );
    if (!openIdScopes.has(scope) && !granted.has(scope)) throw notConsented(app.clientId, app.name);
  }
  // Whoever signed in offline keeps getting refresh tokens, whether or not the redemption names the scope again.
  return before.includes('offline_access') ? [...new Set([...scopes, 'offline_access'])] : scopes;
};
