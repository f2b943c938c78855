import { OpenAPIHono } from '@hono/zod-openapi';
import type { History } from '#events';
import { callerOf } from '../caller-of.ts';
import { ById } from '../contract.ts';
import type { Env } from '../env.ts';
import { Event, EventQuery, EventSummary } from '../event-contract.ts';
import { refuseInvalid } from '../failures.ts';
import { json, operation, page } from '../operation.ts';

export const eventRoutes = (history: History) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/events', {
        tag: 'Events',
        summary: 'What happened, and what became of it',
        description:
          'One event per trigger and occurrence; `upstreamId` finds a mail or a board action, `query` what people remember of it; `from` and `to` are about when it happened. Where many have to be looked through for that, a page may hold few or none and lead on.',
        request: { query: EventQuery },
        responses: { 200: page(EventSummary, 'Newest first.') },
      }),
      async (c) => {
        const { limit, cursor, ...filter } = c.req.valid('query');
        return c.json(await history.list(callerOf(c).workspaceId, filter, { limit, cursor }), 200);
      },
    )
    .openapi(
      operation('GET /v1/events/{id}', {
        tag: 'Events',
        summary: 'One event with what the agent was told',
        request: { params: ById },
        responses: { 200: json(Event, 'The event.') },
      }),
      async (c) => c.json(await history.get(callerOf(c).workspaceId, c.req.valid('param').id), 200),
    )
    .openapi(
      operation('POST /v1/events/{id}/replay', {
        tag: 'Events',
        summary: 'Start the agent again from a stored event',
        description:
          'An event that was not admitted is judged anew by the present configuration; what only the pause of its agent kept back starts it as it was found.',
        request: { params: ById },
        responses: { 200: json(EventSummary, 'The new event, marked as a replay.') },
      }),
      async (c) => c.json(await history.replay(callerOf(c).workspaceId, c.req.valid('param').id), 200),
    );
