import { createHash, randomBytes } from 'node:crypto';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { createControl } from '../../common/server.ts';
import { consumerTenantId } from '../people.ts';
import { World } from '../world.ts';
import { identityRoutes } from './routes.ts';

const tenantA = '5b0e2f3a-6c1d-4e8f-9a2b-1c3d5e7f9a01';
const tenantB = '77aa11bb-0c0c-4d4d-8e8e-123456789abc';
const person = (name: string, domain: string, tenantId: string, password = 'sandbox') => ({
  id: createHash('sha256')
    .update(name)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5'),
  address: `${name}@${domain}`,
  displayName: `${name[0]?.toUpperCase()}${name.slice(1)} Tester`,
  givenName: name,
  surname: 'Tester',
  jobTitle: null,
  password,
  kind: tenantId === consumerTenantId ? ('personal' as const) : ('work' as const),
  tenantId,
});

/** A world of three people, a stranger from another tenant and a shared mailbox, with nothing but identity served. */
export const identityWorld = (): { world: World; app: Hono } => {
  const world = new World(createControl());
  for (const each of [
    person('ada', 'sandbox.test', tenantA),
    person('ben', 'sandbox.test', tenantA),
    person('cy', 'sandbox.test', consumerTenantId),
    person('dee', 'elsewhere.test', tenantB),
    person('office', 'sandbox.test', tenantA, ''),
  ])
    world.addPerson(each);
  return { world, app: new Hono().route('/', identityRoutes(world)) };
};
export { tenantA, tenantB };

export const serveIdentity = async () => {
  const { world, app } = identityWorld();
  const server = await new Promise<ReturnType<typeof serve>>((resolve) => {
    const started = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0, overrideGlobalObjects: false }, () =>
      resolve(started),
    );
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    world,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
};

export const pkce = () => {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
};

export const redirectUri = 'http://127.0.0.1:4600/callback';

/** Ways of a client with this world, all in process. */
export const client = ({ world, app }: { world: World; app: Hono }, tenant = 'common') => {
  const authorize = (params: Record<string, string> = {}, headers: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      client_id: 'switchboard-sandbox',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid profile offline_access User.Read Mail.Read',
      state: 's-1',
      ...params,
    });
    return app.request(`/${tenant}/oauth2/v2.0/authorize?${query}`, { headers });
  };
  const post = (params: Record<string, string>, form: Record<string, string>, headers: Record<string, string> = {}) => {
    const query = new URLSearchParams({
      client_id: 'switchboard-sandbox',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid profile offline_access User.Read Mail.Read',
      state: 's-1',
      ...params,
    });
    return app.request(`/${tenant}/oauth2/v2.0/authorize?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(form).toString(),
    });
  };
  const token = async (form: Record<string, string>, headers: Record<string, string> = {}) => {
    const answer = await app.request(`/${tenant}/oauth2/v2.0/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({
        client_id: 'switchboard-sandbox',
        client_secret: 'sandbox-secret',
        redirect_uri: redirectUri,
        ...form,
      }).toString(),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  /** Signs in at once and hands back the code. */
  const codeFor = async (as: string, params: Record<string, string> = {}): Promise<string> => {
    world.tokens.consentMode = { mode: 'auto', as };
    const answer = await authorize(params);
    world.tokens.consentMode = { mode: 'ask' };
    return sentBack(answer).get('code') ?? '';
  };
  const signIn = async (as: string, scope = 'openid profile offline_access User.Read Mail.Read') => {
    const answer = await token({ grant_type: 'authorization_code', code: await codeFor(as, { scope }) });
    return answer.body as { access_token: string; refresh_token: string; id_token: string; scope: string };
  };
  return { authorize, post, token, codeFor, signIn };
};

/** The parameters the app was sent back with. */
export const sentBack = (answer: Response): URLSearchParams => {
  const location = new URL(answer.headers.get('location') ?? 'about:blank');
  return location.hash === '' ? location.searchParams : new URLSearchParams(location.hash.slice(1));
};
