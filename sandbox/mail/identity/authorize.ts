import { randomUUID } from 'node:crypto';
import { type AuthorizeRequest, scopeProblem } from './authorize-request.ts';
import type { Directory } from './directory.ts';
import { IdentityProblem, notConsented } from './problems.ts';
import { openIdScopes, scopeInfo } from './scopes.ts';
import { accountProblem } from './tenants.ts';
import { clientInfo } from './token-endpoint.ts';
import type { TokenSubject } from './tokens.ts';

/** What the browser sends with each button of the pages. */
export type Act = {
  action?: string | undefined;
  user?: string | undefined;
  username?: string | undefined;
  password?: string | undefined;
};

/** What to do next: show one of the pages, or answer the app. */
export type Outcome =
  | { show: 'sign-in'; username: string; mistake?: string }
  | { show: 'password'; subject: TokenSubject; mistake?: string }
  | { show: 'pick'; subjects: TokenSubject[] }
  | { show: 'consent'; subject: TokenSubject; scopes: string[] }
  | { show: 'admin-needed'; subject: TokenSubject; scopes: string[]; problem: IdentityProblem }
  | { show: 'refused'; subject: TokenSubject; problem: IdentityProblem }
  | { answer: Record<string, string>; signedIn: TokenSubject }
  | { problem: IdentityProblem };

const declined = () => new IdentityProblem('access_denied', 65004, 'User declined to consent to access the app.');
const interactionNeeded = (message: string, code: number, error = 'login_required') =>
  new IdentityProblem(error, code, message);

/** `signedIn` are the people this browser has signed in as, latest first. */
export const authorize = (
  directory: Directory,
  request: AuthorizeRequest,
  act: Act,
  signedIn: TokenSubject[],
): Outcome => {
  const { tokens } = directory;
  if (tokens.consentMode.mode === 'auto') {
    const subject = directory.find(tokens.consentMode.as);
    if (subject !== undefined) {
      // Who administers the tenant needs nobody else.
      if (administers(directory, subject))
        tokens.consents.add(subject.userId, request.app.clientId, forAdmins(request));
      return withoutAsking(directory, request, subject, { grant: true });
    }
  }
  const given = act.user === undefined ? undefined : directory.find(act.user);
  switch (act.action) {
    case 'cancel':
      return { problem: declined() };
    case 'give-up':
      if (given === undefined) break;
      return withoutAsking(directory, request, given, { grant: false });
    case 'other':
      return { show: 'sign-in', username: '' };
    case 'username': {
      const subject = directory.find(act.username ?? '');
      if (subject !== undefined) return { show: 'password', subject };
      const mistake = 'This username may be incorrect. Make sure you typed it correctly.';
      return { show: 'sign-in', username: act.username ?? '', mistake };
    }
    case 'password':
      if (given === undefined) break;
      if (directory.passwordIs(given.userId, act.password ?? '')) return proceed(directory, request, given);
      return {
        show: 'password',
        subject: given,
        mistake: 'Your account or password is incorrect. Every sandbox password is “sandbox”.',
      };
    case 'pick':
      if (given === undefined) break;
      return proceed(directory, request, given);
    case 'accept':
      if (given === undefined) break;
      return withoutAsking(directory, request, given, { grant: true });
    case 'approve':
      if (given === undefined) break;
      tokens.consents.add(given.tenantId, request.app.clientId, request.scopes);
      return withoutAsking(directory, request, given, { grant: true });
  }
  return begin(directory, request, signedIn);
};

const begin = (directory: Directory, request: AuthorizeRequest, signedIn: TokenSubject[]): Outcome => {
  const { prompts, loginHint } = request;
  const hinted = loginHint === undefined ? undefined : directory.find(loginHint);
  const known = hinted === undefined ? signedIn : signedIn.filter(({ userId }) => userId === hinted.userId);
  const [only, ...others] = known;
  if (prompts.has('none')) {
    if (only === undefined)
      return { problem: interactionNeeded('Session information is not sufficient for single-sign-on.', 50058) };
    if (others.length > 0)
      return {
        problem: interactionNeeded('Multiple matching session identities were found.', 16000, 'interaction_required'),
      };
    return withoutAsking(directory, request, only, { grant: false });
  }
  if (prompts.has('login') || prompts.has('create') || signedIn.length === 0)
    return hinted === undefined
      ? { show: 'sign-in', username: loginHint ?? '' }
      : { show: 'password', subject: hinted };
  if (prompts.has('select_account')) return { show: 'pick', subjects: signedIn };
  if (only === undefined)
    return hinted === undefined ? { show: 'pick', subjects: signedIn } : { show: 'password', subject: hinted };
  return others.length > 0 ? { show: 'pick', subjects: signedIn } : proceed(directory, request, only);
};

/** Somebody has signed in: ask for consent where it is wanting. */
const proceed = (directory: Directory, request: AuthorizeRequest, subject: TokenSubject): Outcome => {
  const unfit = accountProblem(request.tenant, request.app, subject);
  if (unfit !== undefined) return { show: 'refused', subject, problem: unfit };
  const strange = scopeProblem(request, subject);
  if (strange !== undefined) return { problem: strange };
  const { missing, forAdmin, first } = consentState(directory, request, subject);
  if (forAdmin.length > 0)
    return { show: 'admin-needed', subject, scopes: request.scopes, problem: adminNeeded(request) };
  if (missing.length > 0 || first || request.prompts.has('consent'))
    return { show: 'consent', subject, scopes: request.scopes };
  return grant(directory, request, subject);
};

/** Answers the app at once; with `grant` the person is taken to agree to everything asked for. */
const withoutAsking = (
  directory: Directory,
  request: AuthorizeRequest,
  subject: TokenSubject,
  { grant: agrees }: { grant: boolean },
): Outcome => {
  const unfit = accountProblem(request.tenant, request.app, subject) ?? scopeProblem(request, subject);
  if (unfit !== undefined) return { problem: unfit };
  const { missing, forAdmin } = consentState(directory, request, subject);
  if (forAdmin.length > 0) return { problem: adminNeeded(request) };
  if (!agrees && missing.length > 0)
    return { problem: notConsented(request.app.clientId, request.app.name, 'consent_required') };
  return grant(directory, request, subject);
};

const adminNeeded = ({ app }: AuthorizeRequest) =>
  new IdentityProblem(
    'access_denied',
    90094,
    `The grant requires admin permission. An administrator of the tenant must consent to the use of '${app.name}' first.`,
  );

const forAdmins = ({ scopes }: AuthorizeRequest) => scopes.filter((scope) => scopeInfo(scope)?.adminOnly === true);

/** The first who works there. */
const administers = (directory: Directory, { userId, tenantId, personal }: TokenSubject): boolean =>
  !personal && directory.people().find((each) => each.tenantId === tenantId)?.userId === userId;

const consentState = ({ tokens }: Directory, request: AuthorizeRequest, { userId, tenantId }: TokenSubject) => {
  const { app, scopes } = request;
  const own = tokens.consents.of(userId, app.clientId);
  const forAll = tokens.consents.of(tenantId, app.clientId);
  const resourceScopes = scopes.filter((scope) => !openIdScopes.has(scope) && scope !== '.default');
  const missing = resourceScopes.filter((scope) => !own.has(scope) && !forAll.has(scope));
  const forAdmin = forAdmins(request).filter((scope) => missing.includes(scope));
  return { missing, forAdmin, first: own.size === 0 && forAll.size === 0 };
};

const grant = ({ tokens }: Directory, request: AuthorizeRequest, subject: TokenSubject): Outcome => {
  const { app, challenge, nonce, redirectUri } = request;
  const held = tokens.consents.of(subject.userId, app.clientId);
  // `.default` means what the person has granted already, and reading their profile at least.
  const scopes = request.scopes.flatMap((scope) => (scope === '.default' ? ['user.read', ...held] : [scope]));
  tokens.consents.add(subject.userId, app.clientId, scopes);
  tokens.interaction.delete(subject.userId);
  const code = tokens.issueCode({ subject, clientId: app.clientId, scopes, redirectUri, challenge, nonce });
  return {
    signedIn: subject,
    answer: {
      code,
      ...(request.clientInfo ? { client_info: clientInfo(subject) } : {}),
      ...(request.state === undefined ? {} : { state: request.state }),
      ...(subject.personal ? {} : { session_state: randomUUID() }),
    },
  };
};
