import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { ActedCard, ActedLabel, actionOf, actorOf } from './action.ts';
import { admitsNamed, boardWatches, judged, labels, onCards, placesAdmit, settleListlessCards } from './config.ts';
import { needsCard, withCard } from './facts.ts';
import sample from './label-added-to-card.sample.json' with { type: 'json' };
import { cardBase, cardPayload, LabelView, shownLabel } from './payload.ts';
import { lineOf } from './words.ts';

export const labelAddedToCard = defineWebhookTrigger({
  name: 'label_added_to_card',
  title: 'New Label Added To Card',
  purpose: 'Fires when a label is applied to a card.',
  scopes: toRead,
  config: z.object({ ...onCards, labels }),
  neverListed: true,
  delivery: actionOf(z.literal('addLabelToCard'), { card: ActedCard, label: ActedLabel }),
  event: z.object({ ...cardPayload, label: LabelView }),
  settle: settleListlessCards,
  ...boardWatches,
  isIncomplete: (delivery, config) => admitsNamed(config.labels, [delivery.data.label]) && needsCard(delivery, config),
  complete: withCard,
  judge: (delivery, config) =>
    judged({ ...placesAdmit(delivery, config), labels: admitsNamed(config.labels, [delivery.data.label]) }),
  toEvent: (delivery, _, pages) => ({ ...cardBase(delivery, pages), label: shownLabel(delivery.data.label) }),
  actorOf,
  summaryOf: lineOf,
  sample,
});
