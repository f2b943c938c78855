import { OpenAPIHono } from '@hono/zod-openapi';
import type { Events } from '#events';
import { callerOf } from '../caller-of.ts';
import { ById } from '../contract.ts';
import type { Env } from '../env.ts';
import {
  Diagnosis,
  EventSummary,
  NewTrigger,
  Preview,
  PreviewRequest,
  Trigger,
  TriggerChange,
  TriggerQuery,
} from '../event-contract.ts';
import { refuseInvalid } from '../failures.ts';
import { body, json, operation, page } from '../operation.ts';

export const triggerRoutes = ({ triggers, history, preview, diagnose }: Events) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/triggers', {
        tag: 'Triggers',
        summary: 'The triggers of this workspace',
        request: { query: TriggerQuery },
        responses: { 200: page(Trigger, 'Newest first.') },
      }),
      async (c) => {
        const { limit, cursor, ...filter } = c.req.valid('query');
        return c.json(await triggers.list(callerOf(c).workspaceId, filter, { limit, cursor }), 200);
      },
    )
    .openapi(
      operation('POST /v1/triggers', {
        tag: 'Triggers',
        summary: 'Start an agent from what happens at an account',
        description: 'Only what happens from now on. The types are listed with each integration.',
        request: body(NewTrigger),
        responses: { 201: json(Trigger, 'The trigger; its watches are being set up.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await triggers.create(workspaceId, c.req.valid('json'), actor), 201);
      },
    )
    .openapi(
      operation('POST /v1/triggers/preview', {
        tag: 'Triggers',
        summary: 'Try a configuration on recent history',
        reads: true,
        description: 'What would have fired, and for the rest which clause failed. Nothing starts.',
        request: body(PreviewRequest),
        responses: { 200: json(Preview, 'Recent occurrences, newest first.') },
      }),
      async (c) => c.json(await preview(callerOf(c).workspaceId, c.req.valid('json')), 200),
    )
    .openapi(
      operation('GET /v1/triggers/{id}', {
        tag: 'Triggers',
        summary: 'One trigger',
        request: { params: ById },
        responses: { 200: json(Trigger, 'The trigger.') },
      }),
      async (c) => c.json(await triggers.get(callerOf(c).workspaceId, c.req.valid('param').id), 200),
    )
    .openapi(
      operation('PATCH /v1/triggers/{id}', {
        tag: 'Triggers',
        summary: 'Change, pause or resume a trigger',
        request: { params: ById, ...body(TriggerChange) },
        responses: { 200: json(Trigger, 'The trigger as it is now.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await triggers.change(workspaceId, c.req.valid('param').id, c.req.valid('json'), actor), 200);
      },
    )
    .openapi(
      operation('DELETE /v1/triggers/{id}', {
        tag: 'Triggers',
        summary: 'Delete a trigger',
        request: { params: ById },
        responses: { 204: { description: 'Gone; its events stay in the history.' } },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await triggers.remove(workspaceId, c.req.valid('param').id, actor);
        return c.body(null, 204);
      },
    )
    .openapi(
      operation('POST /v1/triggers/{id}/test', {
        tag: 'Triggers',
        summary: 'Start the agent with a sample event',
        request: { params: ById },
        responses: { 200: json(EventSummary, 'The event, marked as a test.') },
      }),
      async (c) => c.json(await history.test(callerOf(c).workspaceId, c.req.valid('param').id), 200),
    )
    .openapi(
      operation('GET /v1/triggers/{id}/diagnosis', {
        tag: 'Triggers',
        summary: 'Why it does, or does not, fire',
        request: { params: ById },
        responses: { 200: json(Diagnosis, 'What was found, the likeliest cause first.') },
      }),
      async (c) => c.json(await diagnose(callerOf(c).workspaceId, c.req.valid('param').id), 200),
    );
