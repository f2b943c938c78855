import { OpenAPIHono } from '@hono/zod-openapi';
import type { Notices } from '#notices';
import { callerOf } from '../caller-of.ts';
import { ById, PageQuery } from '../contract.ts';
import type { Env } from '../env.ts';
import { refuseInvalid } from '../failures.ts';
import {
  NewWebhook,
  OfWebhook,
  Webhook,
  WebhookChange,
  WebhookDelivery,
  WebhookDetail,
  WebhookWithSecret,
} from '../notice-contract.ts';
import { body, json, operation, page } from '../operation.ts';

const shownAtOnce = 10;

export const webhookRoutes = ({ webhooks, deliveries }: Pick<Notices, 'webhooks' | 'deliveries'>) =>
  new OpenAPIHono<Env>({ defaultHook: refuseInvalid })
    .openapi(
      operation('GET /v1/webhooks', {
        tag: 'Webhooks',
        summary: 'The webhooks of this workspace',
        request: { query: PageQuery },
        responses: { 200: page(Webhook, 'Newest first.') },
      }),
      async (c) => c.json(await webhooks.list(callerOf(c).workspaceId, c.req.valid('query')), 200),
    )
    .openapi(
      operation('POST /v1/webhooks', {
        tag: 'Webhooks',
        summary: 'Have an address told what happens',
        description: 'Only https, and only addresses that the world can reach. Deliveries are signed with the secret.',
        request: body(NewWebhook),
        responses: { 201: json(WebhookWithSecret, 'The webhook, with the secret this once.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await webhooks.create(workspaceId, c.req.valid('json'), actor), 201);
      },
    )
    .openapi(
      operation('GET /v1/webhooks/{id}', {
        tag: 'Webhooks',
        summary: 'One webhook with its latest deliveries',
        request: { params: ById },
        responses: { 200: json(WebhookDetail, 'The webhook.') },
      }),
      async (c) => {
        const { workspaceId } = callerOf(c);
        const { id } = c.req.valid('param');
        const webhook = await webhooks.get(workspaceId, id);
        const { items } = await deliveries.list(workspaceId, id, { limit: shownAtOnce });
        return c.json({ ...webhook, recentDeliveries: items }, 200);
      },
    )
    .openapi(
      operation('PATCH /v1/webhooks/{id}', {
        tag: 'Webhooks',
        summary: 'Change, pause or resume a webhook',
        description: 'What happens while it is paused is not told later.',
        request: { params: ById, ...body(WebhookChange) },
        responses: { 200: json(Webhook, 'The webhook.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await webhooks.change(workspaceId, c.req.valid('param').id, c.req.valid('json'), actor), 200);
      },
    )
    .openapi(
      operation('DELETE /v1/webhooks/{id}', {
        tag: 'Webhooks',
        summary: 'Delete a webhook with its deliveries',
        request: { params: ById },
        responses: { 204: { description: 'Gone.' } },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        await webhooks.remove(workspaceId, c.req.valid('param').id, actor);
        return c.body(null, 204);
      },
    )
    .openapi(
      operation('POST /v1/webhooks/{id}/rotate', {
        tag: 'Webhooks',
        summary: 'Give a webhook a new secret',
        description: 'For 24 hours both secrets sign, so that the receiver can change without a gap.',
        request: { params: ById },
        responses: { 200: json(WebhookWithSecret, 'The webhook, with the new secret this once.') },
      }),
      async (c) => {
        const { workspaceId, actor } = callerOf(c);
        return c.json(await webhooks.rotate(workspaceId, c.req.valid('param').id, actor), 200);
      },
    )
    .openapi(
      operation('POST /v1/webhooks/{id}/test', {
        tag: 'Webhooks',
        summary: 'Send a webhook.test',
        request: { params: ById },
        responses: { 202: json(WebhookDelivery, 'On its way; read it again to see the answer.') },
      }),
      async (c) => c.json(await deliveries.test(callerOf(c).workspaceId, c.req.valid('param').id), 202),
    )
    .openapi(
      operation('GET /v1/webhooks/{id}/deliveries', {
        tag: 'Webhooks',
        summary: 'What was sent to a webhook and what it answered',
        description: 'Kept for 30 days.',
        request: { params: ById, query: PageQuery },
        responses: { 200: page(WebhookDelivery, 'Newest first.') },
      }),
      async (c) => {
        const { id } = c.req.valid('param');
        return c.json(await deliveries.list(callerOf(c).workspaceId, id, c.req.valid('query')), 200);
      },
    )
    .openapi(
      operation('POST /v1/webhooks/{id}/deliveries/{deliveryId}/resend', {
        tag: 'Webhooks',
        summary: 'Send the same message once more',
        request: { params: OfWebhook },
        responses: { 202: json(WebhookDelivery, 'On its way, under the same webhook-id.') },
      }),
      async (c) => {
        const { id, deliveryId } = c.req.valid('param');
        return c.json(await deliveries.resend(callerOf(c).workspaceId, id, deliveryId), 202);
      },
    );
