import { clientScopes, isLoopback } from '#workspaces';

const agentView = /^\/mcp\/agents\/[\w.-]{1,100}$/;

/** Where programs find out how to be let in, and what their tokens open. */
export const oauthPlaces = (publicUrl: URL) => {
  const at = (path: string): string => new URL(path, publicUrl).href;
  // On a laptop people write localhost and 127.0.0.1 as they like, and clients hold us to the name they were given.
  const isOurs = (url: URL): boolean =>
    url.origin === publicUrl.origin ||
    (url.port === publicUrl.port && isLoopback(url.href) && isLoopback(publicUrl.href));
  const asAsked = (path: string, asked: string): string => {
    const url = new URL(asked);
    return new URL(path, isOurs(url) ? url : publicUrl).href;
  };
  // People copy addresses with a slash at the end.
  const plain = (path: string): string => path.replace(/\/$/, '');
  const isResource = (path: string): boolean => plain(path) === '/mcp' || agentView.test(plain(path));
  return {
    issuer: publicUrl.origin,

    /** The address that a token is asked for; `undefined` when it is none of ours. */
    resourceOf: (given: string | undefined): string | undefined => {
      if (given === undefined) return at('/mcp');
      const url = URL.parse(given);
      if (url === null || !isOurs(url) || url.search !== '' || url.hash !== '') return undefined;
      return isResource(url.pathname) ? at(plain(url.pathname)) : undefined;
    },

    /** A token for the workspace's view opens the agents' views, too; one for an agent's opens that alone. */
    opens: (resource: string, path: string): boolean =>
      resource === at('/mcp') ? isResource(path) : resource === at(plain(path)),

    /** As a client that asked under this address expects it. */
    protectedResource: (path: string, asked: string) =>
      isResource(path)
        ? {
            resource: asAsked(path, asked),
            authorization_servers: [publicUrl.origin],
            scopes_supported: clientScopes,
            bearer_methods_supported: ['header'],
            resource_name: 'Switchboard',
            resource_documentation: at('/docs'),
          }
        : undefined,

    metadataOf: (path: string, asked: string): string => asAsked(`/.well-known/oauth-protected-resource${path}`, asked),

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
