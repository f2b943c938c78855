import { OpenAPIHono, type z } from '@hono/zod-openapi';
import type { Agents } from '#runs';
import type { Overview as Look } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import { NamedQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { json, operation, page } from '../operation.ts';
import { Overview, OverviewQuery } from '../overview-contract.ts';
import { AgentInUse } from '../tool-contract.ts';

export const overviewRoutes = ({ overview, agents }: { overview: Look; agents: Agents }) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
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
    )
    .openapi(
      operation('GET /v1/overview/agents', {
        tag: 'Overview',
        summary: 'How the agents of this workspace are doing',
        description: 'Each agent with what starts it, how it last went, and what waits for somebody.',
        request: { query: NamedQuery },
        responses: { 200: page(AgentInUse, 'Newest first.') },
      }),
      async (c) => c.json(await agents.listActive(callerOf(c).workspaceId, c.req.valid('query')), 200),
    );
