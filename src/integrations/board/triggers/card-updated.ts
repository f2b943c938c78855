import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { ActedCard, actionOf, actorOf } from './action.ts';
import sample from './card-updated.sample.json' with { type: 'json' };
import { Change, changesOf } from './changes.ts';
import { boardWatches, judged, onCards, placesAdmit, settleCards } from './config.ts';
import { isOpen, mayBePartOfCreation, needsCard, withCard, withCreation } from './facts.ts';
import { cardBase, cardPayload } from './payload.ts';
import { lineOf } from './words.ts';

const fields = [
  'name',
  'desc',
  'closed',
  'due',
  'dueComplete',
  'dueReminder',
  'start',
  'pos',
  'idList',
  'idBoard',
  'cover',
  'idAttachmentCover',
  'attachments',
  'labels',
  'members',
  'checklists',
  'customFields',
  'address',
  'locationName',
  'coordinates',
  'cardRole',
] as const;

export const cardUpdated = defineWebhookTrigger({
  name: 'card_updated',
  title: 'Card Updated',
  purpose:
    'Fires when any property of a card changes, moves and reorders included; the items of its checklists do not count.',
  scopes: toRead,
  config: z.object({
    ...onCards,
    fields: z
      .array(z.enum(fields))
      .default([])
      .describe(
        'Only changes of these: a field of the card such as name, due or idList (moves), or its labels, members, checklists, attachments; empty for all.',
      ),
  }),
  delivery: actionOf(
    z.enum([
      'updateCard',
      'addAttachmentToCard',
      'deleteAttachmentFromCard',
      'addLabelToCard',
      'removeLabelFromCard',
      'addMemberToCard',
      'removeMemberFromCard',
      'addChecklistToCard',
      'removeChecklistFromCard',
      'updateCustomFieldItem',
      'moveCardToBoard',
    ]),
    { card: ActedCard, fromCopy: z.boolean().optional() },
  ),
  event: z.object({ ...cardPayload, changes: z.array(Change) }),
  settle: settleCards,
  ...boardWatches,
  isIncomplete: (delivery, config) =>
    (mayBePartOfCreation(delivery) && isOpen(delivery, config)) || needsCard(delivery, config),
  complete: async (delivery, context, config) => {
    const known = await withCreation(delivery, context);
    const isPart = known.facts?.partOfCreation === true;
    return !isPart && needsCard(known, config) ? withCard(known, context, config) : known;
  },
  judge: (delivery, config) => {
    if (delivery.data.fromCopy === true || delivery.facts?.partOfCreation === true) {
      return { outcome: 'skipped', reason: 'This is part of creating the card.' };
    }
    const names: readonly string[] = config.fields;
    return judged({
      ...placesAdmit(delivery, config),
      fields: names.length === 0 || changesOf(delivery).some(({ field }) => names.includes(field)),
    });
  },
  toEvent: (delivery, _, pages) => ({ ...cardBase(delivery, pages), changes: changesOf(delivery) }),
  actorOf,
  summaryOf: lineOf,
  sample,
});
