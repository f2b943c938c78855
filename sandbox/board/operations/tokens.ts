import { randomBytes } from 'node:crypto';
import type { App, Member, Token } from '../model.ts';
import { webhooksOwnedBy } from '../views/tokens.ts';
import type { World } from '../world.ts';

export const newTokenValue = (): string => `ATTA${randomBytes(36).toString('hex')}`;

const lifetimes: Record<string, number | null> = {
  '1hour': 3_600_000,
  '1day': 86_400_000,
  '30days': 30 * 86_400_000,
  never: null,
};
export const isExpiration = (text: string): boolean => Object.hasOwn(lifetimes, text);

type Wanted = { scopes: string[]; expiration: string; name: string; value?: string };

/** A token for an app. For `never` and the same wishes the same token is handed out again. */
export const grantToken = (world: World, app: App, member: Member, wanted: Wanted): Token => {
  const same = [...world.tokens.values()].find(
    (token) =>
      wanted.expiration === 'never' &&
      token.kind === 'key' &&
      token.appKey === app.key &&
      token.idMember === member.id &&
      token.dateExpires === null &&
      token.identifier === wanted.name &&
      token.scopes.join() === wanted.scopes.join(),
  );
  if (same) return same;
  const life = lifetimes[wanted.expiration] ?? null;
  const id = world.id();
  const token: Token = {
    id,
    value: wanted.value ?? newTokenValue(),
    appKey: app.key,
    kind: 'key',
    idOwner: id,
    identifier: wanted.name,
    idMember: member.id,
    dateCreated: world.date(),
    dateExpires: life === null ? null : new Date(world.now() + life).toISOString(),
    scopes: wanted.scopes,
  };
  world.addToken(token);
  return token;
};

/** Revoking a token deletes its webhooks; for OAuth 2.0 the whole grant goes. */
export const revokeToken = (world: World, token: Token): void => {
  for (const webhook of webhooksOwnedBy(world, token.idOwner)) world.removeWebhook(webhook);
  world.grants.delete(token.idOwner);
  for (const other of world.tokens.values()) if (other.idOwner === token.idOwner) world.removeToken(other);
  world.revision += 1;
};
