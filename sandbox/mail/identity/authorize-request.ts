import { type AppRegistration, admitsRedirect } from './apps.ts';
import type { Directory } from './directory.ts';
import { IdentityProblem, missingParameter } from './problems.ts';
import { openIdScopes, parseScopes, scopeInfo } from './scopes.ts';
import { mustKnowTenant } from './tenants.ts';
import type { TokenSubject } from './tokens.ts';

const responseModes = ['query', 'form_post', 'fragment'] as const;
export type ResponseMode = (typeof responseModes)[number];

/** Where the answer goes. Known before anything else is checked, for mistakes are told there too. */
export type ReturnAddress = {
  app: AppRegistration;
  redirectUri: string;
  mode: ResponseMode;
  state: string | undefined;
};

export type AuthorizeRequest = ReturnAddress & {
  tenant: string;
  scopes: string[];
  prompts: ReadonlySet<string>;
  loginHint: string | undefined;
  challenge: string | undefined;
  nonce: string | undefined;
  clientInfo: boolean;
};

const knownPrompts = new Set(['select_account', 'consent', 'login', 'none', 'create']);

/** Throws problems that are shown on a page, because no answer may be sent to an address nobody vouched for. */
export const returnAddress = (directory: Directory, tenant: string, params: Record<string, string>): ReturnAddress => {
  const { client_id: clientId, redirect_uri: redirectUri, response_mode: mode } = params;
  if (clientId === undefined) throw missingParameter('client_id');
  mustKnowTenant(tenant, directory.people());
  const app = directory.tokens.apps.get(clientId);
  if (app === undefined)
    throw new IdentityProblem(
      'unauthorized_client',
      700016,
      `Application with identifier '${clientId}' was not found in the directory. You may have sent your authentication request to the wrong tenant.`,
    );
  if (redirectUri === undefined) throw missingParameter('redirect_uri');
  if (!admitsRedirect(app, redirectUri))
    throw new IdentityProblem(
      'invalid_request',
      50011,
      `The redirect URI '${redirectUri}' specified in the request does not match the redirect URIs configured for the application '${clientId}'. Make sure the redirect URI sent in the request matches one added to your application.`,
    );
  const known = responseModes.find((each) => each === mode);
  return { app, redirectUri, mode: known ?? 'query', state: params.state };
};

/** Throws problems that are sent to the return address. */
export const authorizeRequest = (
  tenant: string,
  params: Record<string, string>,
  address: ReturnAddress,
): AuthorizeRequest => {
  const { response_type: responseType, response_mode: mode, scope, prompt } = params;
  if (responseType === undefined) throw missingParameter('response_type');
  if (responseType !== 'code')
    throw new IdentityProblem(
      'unsupported_response_type',
      700054,
      `response_type '${responseType}' is not enabled for the application.`,
    );
  if (mode !== undefined && mode !== address.mode)
    throw new IdentityProblem('invalid_request', 900144, `The response_mode '${mode}' is not supported.`);
  if (scope === undefined || scope.trim() === '') throw missingParameter('scope');
  const prompts = new Set((prompt ?? '').split(/\s+/).filter(Boolean));
  const strange = [...prompts].find((each) => !knownPrompts.has(each));
  if (strange !== undefined)
    throw new IdentityProblem('invalid_request', 90023, `The '${strange}' prompt value is not supported.`);
  const scopes = parseScopes(scope);
  if (scopes.includes('.default') && scopes.some((each) => each !== '.default' && !openIdScopes.has(each)))
    throw new IdentityProblem(
      'invalid_scope',
      70011,
      `The provided value for the input parameter 'scope' is not valid. The scope ${scope} is not valid. .default scope can't be combined with resource-specific scopes.`,
    );
  const { code_challenge: challenge, code_challenge_method: method } = params;
  if (challenge !== undefined && method !== 'S256')
    throw new IdentityProblem(
      'invalid_request',
      501491,
      `The code_challenge_method '${method ?? ''}' is not supported.`,
    );
  if (challenge !== undefined && !/^[\w-]{43}$/.test(challenge))
    throw new IdentityProblem('invalid_request', 501491, 'Invalid size of Code_Challenge parameter.');
  return {
    ...address,
    tenant,
    scopes,
    prompts,
    challenge,
    loginHint: params.login_hint,
    nonce: params.nonce,
    clientInfo: params.client_info === '1',
  };
};

const graphId = '00000003-0000-0000-c000-000000000000';

/** A scope unknown to this kind of account fails the whole sign-in. */
export const scopeProblem = (request: AuthorizeRequest, subject: TokenSubject): IdentityProblem | undefined => {
  for (const scope of request.scopes) {
    const known = scopeInfo(scope);
    if (subject.personal && (known === undefined || known.workOnly === true))
      return new IdentityProblem(
        'invalid_scope',
        70011,
        `The provided value for the input parameter 'scope' is not valid. The scope '${known?.name ?? scope}' does not exist.`,
      );
    if (known === undefined && scope !== '.default')
      return new IdentityProblem(
        'invalid_client',
        650053,
        `The application '${request.app.name}' asked for scope '${scope}' that doesn't exist on the resource '${graphId}'. Contact the app vendor.`,
      );
  }
  return undefined;
};
