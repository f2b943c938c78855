import { z } from '@hono/zod-openapi';
import { eventTypes, noticeTypes } from '#notices';
import { Time, TimeOrNull } from './time.ts';

const Url = z.string().trim().min(1).max(2_000).openapi({ format: 'uri', example: 'https://example.com/hooks' });
const Events = z.array(z.enum(eventTypes)).min(1).max(eventTypes.length).openapi({ description: 'What it is told.' });
const Description = z.string().trim().max(500);
const State = z.enum(['enabled', 'paused']);

export const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.enum(eventTypes)),
    description: z.string(),
    state: State,
    reason: z.string().optional().openapi({ description: 'Why Switchboard paused it.' }),
    failingSince: Time.optional().openapi({ description: 'Nothing was taken since; after five days it is paused.' }),
    previousSecretUntil: Time.optional().openapi({ description: 'Until then the secret before signs, too.' }),
    createdAt: Time,
  })
  .openapi('Webhook');

export const NewWebhook = z.strictObject({ url: Url, events: Events, description: Description.optional() });

export const WebhookChange = z.strictObject({
  url: Url.optional(),
  events: Events.optional(),
  description: Description.optional(),
  state: State.optional().openapi({ description: 'Resumed, it takes what waited when it was paused.' }),
});

export const WebhookWithSecret = Webhook.extend({
  secret: z.string().openapi({ description: 'Shown this once; it cannot be read again.', example: 'whsec_…' }),
}).openapi('WebhookWithSecret');

export const WebhookDelivery = z
  .object({
    id: z.string(),
    webhookId: z.string(),
    messageId: z.string().openapi({ description: 'Stands in the header webhook-id, the same at each try.' }),
    payload: z.object({ type: z.string(), timestamp: z.string(), data: z.unknown() }),
    state: z.enum(['pending', 'delivered', 'failed']),
    attempts: z
      .number()
      .openapi({ description: 'Those before it was sent again included; of the tries, the latest 20 are kept.' }),
    nextTryAt: TimeOrNull,
    tries: z
      .array(
        z.object({
          at: z.iso.datetime(),
          ms: z.number(),
          status: z.number().optional(),
          error: z.string().optional(),
          response: z.string().optional().openapi({ description: 'The first 500 characters of the answer.' }),
        }),
      )
      .openapi({ description: 'Oldest first.' }),
    createdAt: Time,
    finishedAt: TimeOrNull,
  })
  .openapi('WebhookDelivery');

export const WebhookDetail = Webhook.extend({ recentDeliveries: z.array(WebhookDelivery) }).openapi('WebhookDetail');

export const OfWebhook = z.object({
  id: z.string().regex(/^[\w.-]{1,100}$/, 'is not an id'),
  deliveryId: z.string().regex(/^[\w.-]{1,100}$/, 'is not an id'),
});

const signature = z.object({
  'webhook-id': z.string().openapi({ description: 'The same at each try: what was seen before is a repetition.' }),
  'webhook-timestamp': z.string().openapi({ description: 'Seconds since 1970, of this try.' }),
  'webhook-signature': z.string().openapi({ description: 'One or several, separated by blanks.' }),
});

/** What receivers are sent, for the OpenAPI document. */
export const noticeWebhooks = Object.entries(noticeTypes).map(([type, { purpose, data }]) => ({
  method: 'post' as const,
  path: type,
  summary: purpose,
  description: 'Signed after Standard Webhooks. Ids and states only: ask the API for the rest.',
  tags: ['Webhooks'],
  security: [],
  request: {
    headers: signature,
    body: {
      required: true,
      content: {
        'application/json': { schema: z.object({ type: z.literal(type), timestamp: z.iso.datetime(), data }) },
      },
    },
  },
  responses: { 204: { description: 'Any 2xx: taken. 410: no more, please. All else, and silence: try again later.' } },
}));
