import { Fault } from '#kit';
import { accessTokenPrefix, type Budgets, type Caller, type ClientGrants } from '#workspaces';
import type { KeyHolder } from '../identify.ts';
import type { OAuthPlaces } from './places.ts';

const rate = { perSecond: 50, burst: 200 };

/** Who calls over MCP: with a key, or with the token of a program that a person let in, which opens its one address. */
export const createMcpHolder =
  (options: { holderOf: KeyHolder; clientGrants: ClientGrants; budgets: Budgets; places: OAuthPlaces }) =>
  async (key: string, path: string): Promise<Caller> => {
    const { holderOf, clientGrants, budgets, places } = options;
    if (!key.startsWith(accessTokenPrefix)) return holderOf(key);
    const found = await clientGrants.find(key);
    if (found === undefined || !places.opens(found.resource, path)) {
      throw new Fault('unauthenticated', 'This token is unknown, expired, revoked, or for another address.');
    }
    const retryAfterMs = await budgets.take(found.caller.workspaceId, `key ${found.caller.keyId}`, rate);
    if (retryAfterMs > 0) throw new Fault('rate_limited', 'This program calls too often; slow down.', { retryAfterMs });
    return found.caller;
  };
