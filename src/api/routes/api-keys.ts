import { OpenAPIHono } from '@hono/zod-openapi';
import { Fault } from '#kit';
import { type ApiKeys, opens } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import { ApiKey, ById, CreatedApiKey, NewApiKey, PageQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation, page } from '../operation.ts';

export const apiKeyRoutes = (keys: ApiKeys) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/api-keys', {
        tag: 'API keys',
        summary: 'The keys of this workspace',
        request: { query: PageQuery },
        responses: { 200: page(ApiKey, 'Newest first; never the keys themselves.') },
      }),
      async (c) => c.json(await keys.list(callerOf(c).workspaceId, c.req.valid('query')), 200),
    )
    .openapi(
      operation('POST /v1/api-keys', {
        tag: 'API keys',
        summary: 'A new key',
        request: body(NewApiKey),
        responses: { 201: json(CreatedApiKey, 'The key, shown this once.') },
      }),
      async (c) => {
        const caller = callerOf(c);
        const { name, scopes, expiresAt } = c.req.valid('json');
        // A key cannot hand out what it does not hold.
        const missing = caller.kind === 'key' ? scopes.filter((scope) => !opens(caller, { role: 'owner', scope })) : [];
        if (missing.length > 0) throw new Fault('forbidden', `This key does not hold ${missing.join(', ')} itself.`);
        const expiry = expiresAt === undefined ? undefined : new Date(expiresAt);
        return c.json(await keys.create(caller.workspaceId, { name, scopes, expiresAt: expiry }, caller.actor), 201);
      },
    )
    .openapi(
      operation('DELETE /v1/api-keys/{id}', {
        tag: 'API keys',
        summary: 'Revoke a key',
        request: { params: ById },
        responses: { 204: { description: 'Revoked; it is refused from now on.' } },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await keys.revoke(workspaceId, c.req.valid('param').id, actor);
        return c.body(null, 204);
      },
    );
