import { OpenAPIHono, type z } from '@hono/zod-openapi';
import type { Overview as Look } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { json, operation } from '../operation.ts';
import { Overview, OverviewQuery } from '../overview-contract.ts';

export const overviewRoutes = ({ overview }: { overview: Look }) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid }).openapi(
    operation('GET /v1/overview', {
      tag: 'Overview',
      summary: 'How this workspace is doing',
      request: { query: OverviewQuery },
      responses: { 200: json(Overview, 'Counts for charts, and what needs somebody.') },
    }),
    async (c) => {
      const { days, bucket = days <= 2 ? 'hour' : 'day', timeZone } = c.req.valid('query');
      const found = await overview(callerOf(c).workspaceId, { days, bucket, timeZone });
      return c.json(found as z.output<typeof Overview>, 200);
    },
  );
