import {
  type AuthMethod,
  type Catalogue,
  type FragmentAuth,
  type Integration,
  type OAuthAuth,
  type PermissionType,
  type ServiceSettings,
  type TypedAuth,
  wrong,
} from '#kit';

export type Services = Readonly<Record<string, ServiceSettings>>;

export const integrationOf = (catalogue: Catalogue, name: string): Integration => {
  const integration = catalogue.integration(name);
  if (integration !== undefined) return integration;
  const known = catalogue.integrations.map((each) => each.name).join(', ');
  throw wrong('integration', `There is no integration "${name}"; there are: ${known}.`);
};

/** The address of a service and the operator's registration there. */
export const serviceOf = (services: Services, integration: Integration): ServiceSettings => {
  const service = services[integration.name];
  if (service === undefined) throw new Error(`no address is configured for ${integration.name}`);
  return service;
};

export const methodOf = (integration: Integration, type: string): AuthMethod => {
  const method = integration.auth.find((each) => each.type === type);
  if (method === undefined) throw new Error(`${integration.name} has no way to connect called ${type}`);
  return method;
};

export const typedMethod = (integration: Integration, type: string): TypedAuth => {
  const typed = integration.auth.filter((each) => each.way === 'typed');
  const method = typed.find((each) => each.type === type);
  if (method !== undefined) return method;
  if (typed.length === 0) {
    throw wrong('auth.type', `${integration.title} is connected by signing in: use POST /v1/connect.`);
  }
  const known = typed.map((each) => each.type).join(', ');
  throw wrong('auth.type', `${integration.title} cannot be connected by "${type}"; use one of: ${known}.`);
};

/** A way to connect in the browser that the operator has registered an app for. */
export type BrowserWay = OAuthAuth | FragmentAuth;

export const isSetUp = (method: AuthMethod, service: ServiceSettings): method is BrowserWay =>
  (method.way === 'oauth2' && service.oauth !== undefined) ||
  (method.way === 'fragment' && service.fragment !== undefined);

export const browserMethod = (
  integration: Integration,
  service: ServiceSettings,
  type: string | undefined,
): BrowserWay => {
  const ways = integration.auth.filter((each) => isSetUp(each, service));
  const method = type === undefined ? ways[0] : ways.find((each) => each.type === type);
  if (method !== undefined) return method;
  if (ways.length === 0) {
    const message = `${integration.title} cannot be connected in the browser: the operator has registered no app there.`;
    throw wrong('integration', message);
  }
  const known = ways.map((each) => each.type).join(', ');
  throw wrong('method', `${integration.title} cannot be connected by "${type}"; use one of: ${known}.`);
};

type ByType = Readonly<Partial<Record<PermissionType, readonly string[]>>>;

/** What is asked for, by permission type, as the service spells it. */
export const scopesByType = (method: AuthMethod): ByType =>
  method.way === 'oauth2' ? method.scopes : { standard: method.scopes };

/** The same in our short spelling, as granted scopes are kept and steps name them. */
export const shortScopesByType = (method: AuthMethod): [PermissionType, readonly string[]][] =>
  Object.entries(scopesByType(method)).map(([type, scopes]) => [
    type as PermissionType,
    method.way === 'oauth2' ? method.readScopes(scopes.join(' ')) : scopes,
  ]);

/** The permission types whose scopes were all granted. */
export const permissionTypesOf = (method: AuthMethod, granted: readonly string[]): PermissionType[] => {
  const held = new Set(granted.map((scope) => scope.toLowerCase()));
  return shortScopesByType(method)
    .filter(([, scopes]) => scopes.every((scope) => held.has(scope.toLowerCase())))
    .map(([type]) => type);
};
