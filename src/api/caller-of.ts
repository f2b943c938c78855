import type { Context } from 'hono';
import { Fault } from '#kit';
import type { Caller } from '#workspaces';
import type { Env } from './env.ts';

/** The caller behind a door; doors let nobody in without one. */
export const callerOf = (c: Context<Env>): Caller => {
  const { caller } = c.var;
  if (caller === undefined) throw new Fault('unauthenticated', 'Send an API key or sign in.');
  return caller;
};
