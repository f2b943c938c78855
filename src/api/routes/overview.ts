import { OpenAPIHono, type z } from '@hono/zod-openapi';
import type { Agents } from '#runs';
import type { Overview as Look, Names as Naming, Waiting as WhatWaits } from '#workspaces';
import { callerOf } from '../caller-of.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import { json, operation, page } from '../operation.ts';
import { Names, Overview, OverviewQuery, Waiting } from '../overview-contract.ts';
import { AgentInUse, AgentQuery } from '../tool-contract.ts';

type Rooms = { overview: Look; waiting: WhatWaits; names: Naming; agents: Agents };

export const overviewRoutes = ({ overview, waiting, names, agents }: Rooms) =>
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
        request: { query: AgentQuery },
        responses: { 200: page(AgentInUse, 'Newest first.') },
      }),
      async (c) => c.json(await agents.listActive(callerOf(c).workspaceId, c.req.valid('query')), 200),
    )
    .openapi(
      operation('GET /v1/overview/waiting', {
        tag: 'Overview',
        summary: 'How many decisions wait',
        description: 'The number of the overview alone, for whoever shows it everywhere.',
        responses: { 200: json(Waiting, 'All of them are counted.') },
      }),
      async (c) => c.json(await waiting(callerOf(c).workspaceId), 200),
    )
    .openapi(
      operation('GET /v1/names', {
        tag: 'Overview',
        summary: 'What everything in this workspace is called',
        description:
          'For lists that know things by their ids, and for choosing among them. Secrets are not among them.',
        responses: { 200: json(Names, 'Newest first, at most 10,000 of each.') },
      }),
      async (c) => c.json(await names(callerOf(c).workspaceId), 200),
    );
