import { accessDenied, GraphError } from './graph-error.ts';
import type { Person } from './people.ts';
import type { World } from './world.ts';

/** Who asks: a person, through an app, with what the person granted it. Scopes are lower case and short. */
export type Session = { person: Person; scopes: Set<string>; appId: string };

const refused = (message: string): GraphError => new GraphError(401, 'InvalidAuthenticationToken', message);

export const authenticate = (world: World, authorization: string | undefined): Session => {
  if (authorization === undefined || authorization === '') throw refused('Access token is empty.');
  const token = /^Bearer\s+(\S+)$/i.exec(authorization)?.[1];
  if (token === undefined) throw refused('Access token is empty.');
  const checked = world.tokens.check(token);
  if (checked === 'expired') throw refused('Lifetime validation failed, the token is expired.');
  if (checked === undefined) {
    const looksLikeJwt = token.split('.').length === 3;
    throw refused(
      looksLikeJwt
        ? 'Access token validation failure. Invalid audience.'
        : 'CompactToken parsing failed with error code: 80049217',
    );
  }
  const person = world.people.get(checked.userId);
  if (person === undefined) throw refused('The token contains no known user.');
  return { person, scopes: checked.scopes, appId: checked.clientId };
};

/** Any one of these scopes will do. */
export const requireScope = (session: Session, ...anyOf: string[]): void => {
  if (!anyOf.some((scope) => session.scopes.has(scope.toLowerCase()))) throw accessDenied();
};
