import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import { Fault } from '#kit';
import { type Caller, opens } from '#workspaces';
import { bodyLimits } from '../body-limits.ts';
import { callerOf } from '../caller-of.ts';
import type { Env } from '../env.ts';
import { bearer } from '../identify.ts';
import type { createMcpHolder } from '../oauth/mcp-holder.ts';
import type { OAuthPlaces } from '../oauth/places.ts';

type McpHolder = ReturnType<typeof createMcpHolder>;

/** What speaks the Model Context Protocol. */
export type McpRoom = {
  guards: MiddlewareHandler[];
  serve(asked: {
    request: Request;
    body: string;
    caller: Caller;
    agentId: string | undefined;
    requestId: string;
  }): Promise<Response>;
};

/** Says beside a refusal what would open the door, as clients expect it. */
const challenge = (c: Context<Env>, error: unknown, key: string | undefined, places: OAuthPlaces): unknown => {
  if (!(error instanceof Fault)) return error;
  const realm = `Bearer realm="Switchboard", resource_metadata="${places.metadataOf(c.req.path, c.req.url)}"`;
  const { scope } = error.details ?? {};
  if (error.code === 'unauthenticated')
    c.header('www-authenticate', key === undefined ? realm : `${realm}, error="invalid_token"`);
  else if (error.code === 'forbidden' && typeof scope === 'string')
    c.header('www-authenticate', `${realm}, error="insufficient_scope", scope="${scope}"`);
  return error;
};

/** By key or token alone: a browser's session opens nothing here. */
const enter = (holderOf: McpHolder, places: OAuthPlaces) =>
  createMiddleware<Env>(async (c, next) => {
    const key = bearer.exec(c.req.header('authorization') ?? '')?.[1];
    try {
      if (key === undefined) throw new Fault('unauthenticated', 'Send a key or a token as "Authorization: Bearer …".');
      const caller = await holderOf(key, c.req.path);
      c.set('caller', caller);
      if (!opens(caller, { role: 'viewer', scope: 'read', runKey: true })) {
        throw new Fault('forbidden', 'This needs the key scope read.', { details: { scope: 'read' } });
      }
    } catch (error) {
      throw challenge(c, error, key, places);
    }
    c.header('cache-control', 'no-store');
    return next();
  });

export const mcpRoutes = (options: { mcp: McpRoom; holderOf: McpHolder; places: OAuthPlaces }) => {
  const { mcp, holderOf, places } = options;
  const serve = async (c: Context<Env>, agentId: string | undefined): Promise<Response> => {
    try {
      const { body, requestId } = c.var;
      return await mcp.serve({ request: c.req.raw, body, caller: callerOf(c), agentId, requestId });
    } catch (error) {
      throw challenge(c, error, undefined, places);
    }
  };
  return new Hono<Env>()
    .use('/mcp/*', ...mcp.guards, enter(holderOf, places), bodyLimits)
    .on('ALL', ['/mcp', '/mcp/'], (c) => serve(c, undefined))
    .on('ALL', ['/mcp/agents/:id', '/mcp/agents/:id/'], (c) => serve(c, c.req.param('id')));
};
