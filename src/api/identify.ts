import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { createMiddleware } from 'hono/factory';
import { Fault } from '#kit';
import { type RemoteRuns, runKeyPrefix } from '#runs';
import type { ApiKeys, Budgets, Caller, Rate, Sessions } from '#workspaces';
import type { Env } from './env.ts';

export const bearer = /^Bearer +(\S{1,300})$/i;

export const cookieName = (publicUrl: URL): string =>
  publicUrl.protocol === 'https:' ? '__Host-switchboard' : 'switchboard';

const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** A browser sends the header only from our own pages: another site's would need a permission we never give. */
const refuseForgery = (c: Context<Env>, publicUrl: URL): void => {
  if (safe.has(c.req.method)) return;
  const origin = c.req.header('origin');
  const ours = origin === undefined || origin === publicUrl.origin || origin === new URL(c.req.url).origin;
  if (c.req.header('x-switchboard-csrf') === undefined || !ours) {
    throw new Fault('forbidden', 'Writes from a browser need the header X-Switchboard-CSRF and our own origin.');
  }
};

const unknownKey = 'This API key is unknown, expired or revoked.';
const overForRun = 'This key of a run is unknown, or its run has ended.';

const ofRun = async (remote: RemoteRuns, key: string): Promise<{ caller: Caller; rate: Rate } | undefined> => {
  const caller = await remote.holder(key);
  return caller && { caller, rate: { perSecond: 50, burst: 200 } };
};

/** Who holds a key; one call of its budget is taken. */
export type KeyHolder = (key: string) => Promise<Caller>;

export const createKeyHolder =
  ({ keys, budgets, remote }: { keys: ApiKeys; budgets: Budgets; remote: RemoteRuns }): KeyHolder =>
  async (key) => {
    const isOfRun = key.startsWith(runKeyPrefix);
    const found = isOfRun ? await ofRun(remote, key) : await keys.find(key);
    if (found === undefined) throw new Fault('unauthenticated', isOfRun ? overForRun : unknownKey);
    const { caller, rate } = found;
    const retryAfterMs = await budgets.take(caller.workspaceId, `key ${caller.actor.id}`, rate);
    if (retryAfterMs > 0) {
      const message = `This key may make ${rate.perSecond} calls a second (${rate.burst} in a burst); slow down.`;
      throw new Fault('rate_limited', message, { retryAfterMs });
    }
    return caller;
  };

/** Looks again whether a credential still counts, and as whose, without taking from its budget. */
export type Recall = (c: Context<Env>) => () => Promise<Caller | undefined>;

export const createRecall =
  ({ keys, sessions, publicUrl }: { keys: ApiKeys; sessions: Sessions; publicUrl: URL }): Recall =>
  (c) => {
    const key = bearer.exec(c.req.header('authorization') ?? '')?.[1];
    const token = getCookie(c, cookieName(publicUrl));
    if (key !== undefined) return async () => (await keys.find(key))?.caller;
    return async () => (token === undefined ? undefined : sessions.find(token));
  };

/** Finds out who is calling, by API key or by browser session. Whether they may is decided at each door. */
export const identify = (options: { holderOf: KeyHolder; sessions: Sessions; publicUrl: URL }) => {
  const { holderOf, sessions, publicUrl } = options;

  return createMiddleware<Env>(async (c, next) => {
    const authorization = c.req.header('authorization');
    const token = getCookie(c, cookieName(publicUrl));
    if (authorization !== undefined) {
      const key = bearer.exec(authorization)?.[1];
      if (key === undefined) throw new Fault('unauthenticated', 'Send the API key as "Authorization: Bearer …".');
      c.set('caller', await holderOf(key));
    } else if (token !== undefined) {
      const caller = await sessions.find(token);
      if (caller !== undefined) {
        refuseForgery(c, publicUrl);
        c.set('caller', caller);
      }
    }
    return next();
  });
};
