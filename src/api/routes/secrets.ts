import { OpenAPIHono } from '@hono/zod-openapi';
import type { Secrets } from '#accounts';
import { NewAccount, Secret } from '../account-contract.ts';
import { callerOf } from '../caller-of.ts';
import { ById, PageQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation, page } from '../operation.ts';

export const secretRoutes = (secrets: Secrets) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/secrets', {
        tag: 'Secrets',
        summary: 'The stored secrets, without what they hold',
        request: { query: PageQuery },
        responses: { 200: page(Secret, 'Newest first.') },
      }),
      async (c) => c.json(await secrets.list(callerOf(c).workspaceId, c.req.valid('query')), 200),
    )
    .openapi(
      operation('POST /v1/secrets', {
        tag: 'Secrets',
        summary: 'Store a typed credential for step configuration',
        description: 'The service is asked first: a credential it refuses is not stored. It is never read back.',
        request: body(NewAccount),
        responses: { 201: json(Secret, 'The secret; use its id as `secretId`.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await secrets.create(workspaceId, c.req.valid('json'), actor), 201);
      },
    )
    .openapi(
      operation('DELETE /v1/secrets/{id}', {
        tag: 'Secrets',
        summary: 'Delete a secret',
        request: { params: ById },
        responses: { 204: { description: 'Gone; calls with it have ended.' } },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await secrets.remove(workspaceId, c.req.valid('param').id, actor);
        return c.body(null, 204);
      },
    );
