import { OpenAPIHono } from '@hono/zod-openapi';
import type { Audit } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import { AuditQuery, AuditRecord } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { operation, page } from '../operation.ts';

export const auditRoutes = (audit: Audit) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid }).openapi(
    operation('GET /v1/audit', {
      tag: 'Audit',
      summary: 'Who did what, and every outside write with its outcome',
      request: { query: AuditQuery },
      responses: {
        200: page(
          AuditRecord,
          'Newest first. Where what is asked for is rare, a page may be short or empty and yet have a nextCursor: older records are looked through from there.',
        ),
      },
    }),
    async (c) => {
      const { limit, cursor, ...filter } = c.req.valid('query');
      return c.json(await audit.list(callerOf(c).workspaceId, { limit, cursor }, filter), 200);
    },
  );
