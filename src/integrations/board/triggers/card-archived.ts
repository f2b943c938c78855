import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { ActedCard, actionOf, actorOf } from './action.ts';
import sample from './card-archived.sample.json' with { type: 'json' };
import { boardWatches, judged, onCards, placesAdmit, settleCards } from './config.ts';
import { needsCard, withCard } from './facts.ts';
import { cardBase, cardPayload } from './payload.ts';
import { lineOf } from './words.ts';

export const cardArchived = defineWebhookTrigger({
  name: 'card_archived',
  title: 'Card Archived',
  purpose: 'Fires when a card is archived.',
  scopes: toRead,
  config: z.object({
    ...onCards,
    alsoUnarchived: z.boolean().default(false).describe('Whether it also fires when a card is brought back.'),
  }),
  delivery: actionOf(z.literal('updateCard'), {
    card: ActedCard.extend({ closed: z.boolean() }),
    old: z.object({ closed: z.boolean() }),
  }),
  event: z.object({ ...cardPayload, archived: z.boolean() }),
  settle: settleCards,
  ...boardWatches,
  isIncomplete: needsCard,
  complete: withCard,
  judge: (delivery, config) =>
    judged({
      ...placesAdmit(delivery, config),
      alsoUnarchived: config.alsoUnarchived || delivery.data.card.closed,
    }),
  toEvent: (delivery, _, pages) => ({ ...cardBase(delivery, pages), archived: delivery.data.card.closed }),
  actorOf,
  summaryOf: lineOf,
  sample,
});
