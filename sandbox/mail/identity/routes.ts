import { type Context, Hono } from 'hono';
import { generateCookie, getCookie } from 'hono/cookie';
import type { World } from '../world.ts';
import { adminConsentRoutes } from './admin-consent.ts';
import { answerApp } from './answer-app.ts';
import { isLoopback } from './apps.ts';
import { authorize } from './authorize.ts';
import { authorizeRequest, type ReturnAddress, returnAddress } from './authorize-request.ts';
import { type Directory, directoryOf } from './directory.ts';
import { discoveryRoutes } from './discovery.ts';
import { formOf, originOf } from './form.ts';
import { describe, IdentityProblem, problemBody, type Trace, traceOf } from './problems.ts';
import { outcomePage, plainPage, problemPage } from './sign-in-pages.ts';
import { answerTokenRequest } from './token-endpoint.ts';
import type { TokenSubject } from './tokens.ts';

const cookie = 'sandbox-identity';

/** The people this browser has signed in as, latest first. */
const signedInPeople = (c: Context, directory: Directory): TokenSubject[] =>
  (getCookie(c, cookie) ?? '').split('.').flatMap((id) => directory.find(id) ?? []);

const remember = (response: Response, userIds: string[]): Response => {
  const kept = userIds.length === 0 ? { maxAge: 0 } : {};
  const value = generateCookie(cookie, userIds.join('.'), { path: '/', httpOnly: true, sameSite: 'Lax', ...kept });
  response.headers.append('Set-Cookie', value);
  return response;
};

const problemAnswer = (problem: IdentityProblem, trace: Trace, state: string | undefined) => ({
  error: problem.error,
  error_description: describe(problem, trace),
  error_uri: `https://login.microsoftonline.com/error?code=${problem.code}`,
  ...(problem.code === 65004 ? { error_subcode: 'cancel' } : {}),
  ...(state === undefined ? {} : { state }),
});

const answerAuthorize = async (c: Context, directory: Directory): Promise<Response> => {
  const tenant = (c.req.param('tenant') ?? '').toLowerCase();
  const form = c.req.method === 'POST' ? await formOf(c) : {};
  const params = { ...form, ...c.req.query() };
  const trace = traceOf(directory.clock.now(), params['client-request-id']);
  let address: ReturnAddress | undefined;
  try {
    address = returnAddress(directory, tenant, params);
    const request = authorizeRequest(tenant, params, address);
    const known = signedInPeople(c, directory);
    const outcome = authorize(directory, request, form, known);
    if ('show' in outcome) return await outcomePage(outcome, request, directory.people(), trace);
    if ('problem' in outcome) throw outcome.problem;
    const ids = [outcome.signedIn, ...known].map(({ userId }) => userId);
    return remember(await answerApp(address, outcome.answer), [...new Set(ids)]);
  } catch (problem) {
    if (!(problem instanceof IdentityProblem)) throw problem;
    if (address === undefined) return problemPage(problem, trace);
    return answerApp(address, problemAnswer(problem, trace, address.state));
  }
};

const answerToken = async (c: Context, directory: Directory): Promise<Response> => {
  const trace = traceOf(directory.clock.now(), c.req.header('client-request-id'));
  c.header('Cache-Control', 'no-store, no-cache');
  c.header('Pragma', 'no-cache');
  c.header('x-ms-request-id', trace.traceId);
  c.header('client-request-id', trace.correlationId);
  try {
    const tenant = (c.req.param('tenant') ?? '').toLowerCase();
    const authorization = c.req.header('authorization');
    return c.json(answerTokenRequest(directory, { tenant, origin: originOf(c), form: await formOf(c), authorization }));
  } catch (problem) {
    if (!(problem instanceof IdentityProblem)) throw problem;
    return c.json(problemBody(problem, trace), problem.status === 401 ? 401 : 400);
  }
};

const signOut = async (c: Context): Promise<Response> => {
  const back = c.req.query('post_logout_redirect_uri') ?? '';
  const goodbye = 'It is a good idea to close all browser windows.';
  const response = isLoopback(back) ? c.redirect(back) : await plainPage('You signed out of your account', goodbye);
  return remember(response, []);
};

/** The identity platform, as it is on `login.microsoftonline.com`. */
export const identityRoutes = (world: World): Hono => {
  const directory = directoryOf(world);
  return new Hono()
    .get('/:tenant/oauth2/v2.0/authorize', (c) => answerAuthorize(c, directory))
    .post('/:tenant/oauth2/v2.0/authorize', (c) => answerAuthorize(c, directory))
    .post('/:tenant/oauth2/v2.0/token', (c) => answerToken(c, directory))
    .get('/:tenant/oauth2/v2.0/logout', signOut)
    .route('/', discoveryRoutes(directory))
    .route('/', adminConsentRoutes(directory));
};
