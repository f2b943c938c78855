import { OpenAPIHono } from '@hono/zod-openapi';
import type { ClientGrants } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import { ById, ClientGrant, PageQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { operation, page } from '../operation.ts';

export const clientRoutes = (grants: ClientGrants) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/clients', {
        tag: 'API keys',
        summary: 'The programs that people let in over MCP',
        request: { query: PageQuery },
        responses: { 200: page(ClientGrant, 'Newest first; never their tokens.') },
      }),
      async (c) => c.json(await grants.list(callerOf(c).workspaceId, c.req.valid('query')), 200),
    )
    .openapi(
      operation('DELETE /v1/clients/{id}', {
        tag: 'API keys',
        summary: 'Let a program in no longer',
        request: { params: ById },
        responses: { 204: { description: 'Its tokens are refused from now on.' } },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await grants.revoke(workspaceId, c.req.valid('param').id, actor);
        return c.body(null, 204);
      },
    );
