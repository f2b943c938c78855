import { pagesApp } from './credentials.ts';
import type { Input } from './input.ts';
import type { Actor, Member, Token } from './model.ts';
import { type Refusal, unauthorized } from './refusal.ts';
import type { World } from './world.ts';

/** Who asks. `key` without `token` is a known app and nobody in particular. */
export type Caller = {
  key: string | null;
  token: Token | null;
  member: Member | null;
  /** Whether the credentials came in the Authorization header. */
  byHeader: boolean;
};

export const nobody: Caller = { key: null, token: null, member: null, byHeader: false };

const keyPart = /oauth_consumer_key="?([^",\s]*)"?/;
const tokenPart = /oauth_token="?([^",\s]*)"?/;

type Given = { key: string | undefined; token: string | undefined; bearer: string | undefined };

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

const given = (header: string | undefined, input: Input): Given => {
  const bearer = header && /^Bearer\s+(.+)$/i.exec(header)?.[1];
  if (bearer) return { key: undefined, token: undefined, bearer: bearer.trim() };
  const oauth = header && /^OAuth\s/i.test(header) ? header : '';
  return {
    key: text(keyPart.exec(oauth)?.[1]) ?? text(input.raw('key')),
    token: text(tokenPart.exec(oauth)?.[1]) ?? text(input.raw('token')),
    bearer: undefined,
  };
};

const expired = (world: World, token: Token): boolean =>
  token.dateExpires !== null && Date.parse(token.dateExpires) <= world.clock.now();

/** Reads the credentials of a request; throws the 401 that wrong ones get. */
export const identify = (world: World, header: string | undefined, input: Input): Caller => {
  const { key, token: value, bearer } = given(header, input);
  if (bearer !== undefined) {
    const token = world.tokens.get(bearer);
    if (token?.kind !== 'oauth') throw unauthorized('invalid token');
    return holder(world, token, true);
  }
  if (value === undefined) {
    if (key === undefined) return nobody;
    if (!world.apps.has(key)) throw unauthorized('invalid key');
    return { ...nobody, key };
  }
  if (key === undefined || !world.apps.has(key)) throw unauthorized('invalid key');
  const token = world.tokens.get(value);
  if (token?.kind !== 'key' || token.appKey !== key) throw unauthorized('invalid token');
  return holder(world, token, header !== undefined && header.includes(value));
};

const holder = (world: World, token: Token, byHeader: boolean): Caller => {
  if (expired(world, token)) throw unauthorized('expired token');
  const member = world.members.get(token.idMember);
  if (!member) throw unauthorized('invalid token');
  return { key: token.appKey, token, member, byHeader };
};

/** A key alone lacks scopes; nothing at all lacks permission. */
export const anonymous = (caller: Caller): Refusal =>
  caller.key === null ? unauthorized() : unauthorized('missing scopes');

export const actorOf = (caller: Caller, clientIdentifier: string | undefined): Actor => {
  if (!caller.member) throw anonymous(caller);
  // What people do on the sandbox's own pages has no app as its creator.
  const appKey = caller.key === pagesApp.key ? null : caller.key;
  return { member: caller.member, appKey, clientIdentifier };
};
