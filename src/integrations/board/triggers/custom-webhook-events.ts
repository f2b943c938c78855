import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { actorOf } from './action.ts';
import { ActionType, refuseSlips } from './action-type.ts';
import { Activity, ActivityEvent, activityOf, admitsType } from './activity.ts';
import { boardWatches, judged, onCards, placesAdmit, settleListlessCards } from './config.ts';
import sample from './custom-webhook-events.sample.json' with { type: 'json' };
import { needsCard, withCard } from './facts.ts';
import { lineOf } from './words.ts';

export const customWebhookEvents = defineWebhookTrigger({
  name: 'custom_webhook_events',
  title: 'Custom Webhook Events',
  purpose: 'Fires on events that match every one of the given filters: boards, event types, lists, cards.',
  scopes: toRead,
  config: z.object({
    ...onCards,
    eventTypes: z
      .array(ActionType)
      .max(100)
      .default([])
      .describe('Only these types, such as createCard, updateCard:idList, or a verb such as update; empty for all.'),
  }),
  delivery: Activity,
  event: ActivityEvent,
  settle: async (config, ...rest) => {
    refuseSlips('eventTypes', config.eventTypes);
    return settleListlessCards(config, ...rest);
  },
  ...boardWatches,
  isIncomplete: (delivery, config) => admitsType(config.eventTypes, delivery) && needsCard(delivery, config),
  complete: withCard,
  judge: (delivery, config) =>
    judged({
      eventTypes: admitsType(config.eventTypes, delivery),
      ...placesAdmit(delivery, config),
    }),
  toEvent: activityOf,
  actorOf,
  summaryOf: lineOf,
  sample,
});
