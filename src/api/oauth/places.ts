import { clientScopes } from '#workspaces';

const agentView = /^\/mcp\/agents\/[\w.-]{1,100}$/;

/** Where programs find out how to be let in, and what their tokens open. */
export const oauthPlaces = (publicUrl: URL) => {
  const at = (path: string): string => new URL(path, publicUrl).href;
  // People copy addresses with a slash at the end.
  const plain = (path: string): string => path.replace(/\/$/, '');
  const isResource = (path: string): boolean => plain(path) === '/mcp' || agentView.test(plain(path));
  return {
    issuer: publicUrl.origin,

    /** The address that a token is asked for; `undefined` when it is none of ours. */
    resourceOf: (given: string | undefined): string | undefined => {
      if (given === undefined) return at('/mcp');
      const url = URL.parse(given);
      if (url === null || url.origin !== publicUrl.origin || url.search !== '' || url.hash !== '') return undefined;
      return isResource(url.pathname) ? at(plain(url.pathname)) : undefined;
    },

    /** A token for the workspace's view opens the agents' views, too; one for an agent's opens that alone. */
    opens: (resource: string, path: string): boolean =>
      resource === at('/mcp') ? isResource(path) : resource === at(plain(path)),

    protectedResource: (path: string) =>
      isResource(path)
        ? {
            resource: at(path),
            authorization_servers: [publicUrl.origin],
            scopes_supported: clientScopes,
            bearer_methods_supported: ['header'],
            resource_name: 'Switchboard',
            resource_documentation: at('/docs'),
          }
        : undefined,

    metadataOf: (path: string): string => at(`/.well-known/oauth-protected-resource${path}`),

    authorizationServer: {
      issuer: publicUrl.origin,
      authorization_endpoint: at('/oauth/authorize'),
      token_endpoint: at('/oauth/token'),
      registration_endpoint: at('/oauth/register'),
      revocation_endpoint: at('/oauth/revoke'),
      scopes_supported: clientScopes,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      authorization_response_iss_parameter_supported: true,
    },
  };
};

export type OAuthPlaces = ReturnType<typeof oauthPlaces>;
