import { Hono } from 'hono';
import type { Directory } from './directory.ts';
import { originOf } from './form.ts';
import { publicKeys } from './keys.ts';
import { IdentityProblem, problemBody, traceOf } from './problems.ts';
import { mustKnowTenant, tenantIdOf } from './tenants.ts';

const configuration = (origin: string, tenant: string, tenantId: string) => ({
  token_endpoint: `${origin}/${tenant}/oauth2/v2.0/token`,
  token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic'],
  jwks_uri: `${origin}/${tenant}/discovery/v2.0/keys`,
  response_modes_supported: ['query', 'fragment', 'form_post'],
  subject_types_supported: ['pairwise'],
  id_token_signing_alg_values_supported: ['RS256'],
  response_types_supported: ['code'],
  scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
  issuer: `${origin}/${tenantId}/v2.0`,
  request_uri_parameter_supported: false,
  userinfo_endpoint: `${origin}/oidc/userinfo`,
  authorization_endpoint: `${origin}/${tenant}/oauth2/v2.0/authorize`,
  code_challenge_methods_supported: ['S256'],
  http_logout_supported: true,
  frontchannel_logout_supported: true,
  end_session_endpoint: `${origin}/${tenant}/oauth2/v2.0/logout`,
  claims_supported: ['sub', 'iss', 'aud', 'exp', 'iat', 'nonce', 'preferred_username', 'name', 'tid', 'ver', 'email'],
  tenant_region_scope: null,
  cloud_instance_name: 'microsoftonline.com',
});

/** What clients read before they begin: endpoints, keys, aliases of the host. */
export const discoveryRoutes = (directory: Directory): Hono =>
  new Hono()
    .get('/:tenant/v2.0/.well-known/openid-configuration', (c) => {
      const tenant = c.req.param('tenant').toLowerCase();
      const people = directory.people();
      try {
        mustKnowTenant(tenant, people);
      } catch (problem) {
        if (!(problem instanceof IdentityProblem)) throw problem;
        return c.json(problemBody(problem, traceOf(directory.clock.now())), 400);
      }
      return c.json(configuration(originOf(c), tenant, tenantIdOf(tenant, people) ?? '{tenantid}'));
    })
    .get('/:tenant/discovery/v2.0/keys', (c) => c.json(publicKeys()))
    .get('/common/discovery/instance', (c) => {
      const asked = c.req.query('authorization_endpoint') ?? '';
      const { host } = new URL(URL.canParse(asked) ? asked : originOf(c));
      return c.json({
        tenant_discovery_endpoint: `${originOf(c)}/common/v2.0/.well-known/openid-configuration`,
        'api-version': '1.1',
        metadata: [{ preferred_network: host, preferred_cache: host, aliases: [host] }],
      });
    })
    .get('/oidc/userinfo', (c) => {
      const [, token = ''] = /^bearer (\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
      const checked = directory.tokens.check(token);
      const person = typeof checked === 'object' ? directory.find(checked.userId) : undefined;
      if (person === undefined)
        return c.json(
          { error: { code: 'InvalidAuthenticationToken', message: 'Access token validation failure.' } },
          401,
        );
      return c.json({ sub: person.userId, name: person.displayName, email: person.username });
    });
