import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { ActedCard, actionOf, actorOf } from './action.ts';
import { boardWatches, common, includeCard, judged, lists, placesAdmit, settleCards } from './config.ts';
import { needsCard, withCard } from './facts.ts';
import sample from './new-card.sample.json' with { type: 'json' };
import { cardBase, cardPayload } from './payload.ts';
import { lineOf } from './words.ts';

const origins = {
  createCard: 'created',
  copyCard: 'copied',
  convertToCardFromCheckItem: 'converted',
  emailCard: 'emailed',
  // The inbox belongs to no board, so this is the first that a board sees of the card.
  moveInboxCardToBoard: 'inbox',
  copyInboxCard: 'inbox',
} as const;

type Type = keyof typeof origins;
const types = Object.keys(origins) as [Type, ...Type[]];

export const newCard = defineWebhookTrigger({
  name: 'new_card',
  title: 'New Card',
  purpose: 'Fires when a card is created on a board.',
  scopes: toRead,
  config: z.object({
    ...common,
    lists,
    includeCopiedAndConverted: z
      .boolean()
      .default(true)
      .describe('Also cards that are copied, made of a checklist item, sent by mail, or brought from the inbox.'),
    includeCard,
  }),
  delivery: actionOf(z.enum(types), { card: ActedCard }),
  event: z.object({ ...cardPayload, origin: z.enum(['created', 'copied', 'converted', 'emailed', 'inbox']) }),
  settle: settleCards,
  ...boardWatches,
  isIncomplete: needsCard,
  complete: withCard,
  judge: (delivery, config) =>
    judged({
      ...placesAdmit(delivery, config),
      includeCopiedAndConverted: config.includeCopiedAndConverted || delivery.type === 'createCard',
    }),
  toEvent: (delivery, _, pages) => ({ ...cardBase(delivery, pages), origin: origins[delivery.type] }),
  actorOf,
  summaryOf: lineOf,
  sample,
});
