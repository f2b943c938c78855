import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { ActedCard, actionOf, actorOf, Named } from './action.ts';
import { boardWatches, judged, onCards, placesAdmit, settleListlessCards } from './config.ts';
import { needsCard, withCard } from './facts.ts';
import sample from './new-checklist.sample.json' with { type: 'json' };
import { cardBase, cardPayload, ListView, shown } from './payload.ts';
import { lineOf } from './words.ts';

export const newChecklist = defineWebhookTrigger({
  name: 'new_checklist',
  title: 'New Checklist',
  purpose: 'Fires when a checklist is added to a card of a board.',
  scopes: toRead,
  config: z.object(onCards),
  // A copied checklist is told by copyChecklist as well, which belongs to no trigger of its own.
  delivery: actionOf(z.literal('addChecklistToCard'), {
    card: ActedCard,
    checklist: Named,
    checklistSource: Named.optional(),
  }),
  event: z.object({ ...cardPayload, checklist: ListView, copiedFrom: ListView.optional() }),
  settle: settleListlessCards,
  ...boardWatches,
  isIncomplete: needsCard,
  complete: withCard,
  judge: (delivery, config) => judged(placesAdmit(delivery, config)),
  toEvent: (delivery, _, pages) => {
    const { checklist, checklistSource } = delivery.data;
    return {
      ...cardBase(delivery, pages),
      checklist: shown(checklist),
      ...(checklistSource === undefined ? {} : { copiedFrom: shown(checklistSource) }),
    };
  },
  actorOf,
  summaryOf: lineOf,
  sample,
});
