import { type Context, Hono } from 'hono';
import { answerApp } from './answer-app.ts';
import { returnAddress } from './authorize-request.ts';
import type { Directory } from './directory.ts';
import { formOf } from './form.ts';
import { describe, IdentityProblem, traceOf } from './problems.ts';
import { graphResource, parseScopes } from './scopes.ts';
import { adminConsentPage, problemPage } from './sign-in-pages.ts';
import { tenantIdOf } from './tenants.ts';

/** An administrator grants scopes for everyone in a tenant. */
const answerAdminConsent = async (c: Context, directory: Directory): Promise<Response> => {
  const params = c.req.query();
  const trace = traceOf(directory.clock.now());
  const named = (c.req.param('tenant') ?? '').toLowerCase();
  try {
    if (named === 'common' || named === 'consumers')
      throw new IdentityProblem(
        'invalid_request',
        900561,
        'Admin consent is given for one tenant: use its id or organizations.',
      );
    const { app, redirectUri, state } = returnAddress(directory, named, params);
    const worker = directory.people().find(({ personal }) => !personal);
    const tenantId = tenantIdOf(named, directory.people()) ?? worker?.tenantId ?? named;
    const scopes = parseScopes(params.scope ?? '');
    const { action } = c.req.method === 'POST' ? await formOf(c) : {};
    const back = { redirectUri, mode: 'query' as const };
    const carried = state === undefined ? {} : { state };
    if (action === 'cancel') {
      const declined = new IdentityProblem('access_denied', 65004, 'User declined to consent to access the app.');
      return await answerApp(back, {
        admin_consent: 'True',
        tenant: tenantId,
        error: declined.error,
        error_description: describe(declined, trace),
        ...carried,
      });
    }
    if (action !== 'accept') return await adminConsentPage(app.name, scopes, tenantId);
    directory.tokens.consents.add(tenantId, app.clientId, scopes);
    const scope = scopes.map((each) => graphResource + each).join(' ');
    return await answerApp(back, { admin_consent: 'True', tenant: tenantId, scope, ...carried });
  } catch (problem) {
    if (!(problem instanceof IdentityProblem)) throw problem;
    return problemPage(problem, trace);
  }
};

export const adminConsentRoutes = (directory: Directory): Hono =>
  new Hono()
    .get('/:tenant/v2.0/adminconsent', (c) => answerAdminConsent(c, directory))
    .post('/:tenant/v2.0/adminconsent', (c) => answerAdminConsent(c, directory));
