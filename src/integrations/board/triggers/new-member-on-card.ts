import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { ActedCard, actionOf, actorOf } from './action.ts';
import { admitsPerson, boardWatches, judged, members, onCards, placesAdmit, settleListlessCards } from './config.ts';
import { needsCard, withCard } from './facts.ts';
import sample from './new-member-on-card.sample.json' with { type: 'json' };
import { cardBase, cardPayload, MemberView, personOf } from './payload.ts';
import { lineOf } from './words.ts';

export const newMemberOnCard = defineWebhookTrigger({
  name: 'new_member_on_card',
  title: 'New Member on Card',
  purpose: 'Fires when a member is added to a card.',
  scopes: toRead,
  config: z.object({
    ...onCards,
    members,
    onlyMe: z.boolean().default(false).describe('Only when the person of the account is added.'),
  }),
  delivery: actionOf(z.literal('addMemberToCard'), {
    card: ActedCard,
    idMember: z.string(),
    // The members of a copied card are told a second time.
    fromCopy: z.literal(false).optional(),
  }),
  event: z.object({ ...cardPayload, member: MemberView }),
  settle: settleListlessCards,
  ...boardWatches,
  isIncomplete: needsCard,
  complete: withCard,
  judge: (delivery, config, context) =>
    judged({
      ...placesAdmit(delivery, config),
      members: admitsPerson(config.members, personOf(delivery), context),
      onlyMe: !config.onlyMe || delivery.data.idMember === context.account.identity.id,
    }),
  toEvent: (delivery, _, pages) => ({
    ...cardBase(delivery, pages),
    member: personOf(delivery) ?? { id: delivery.data.idMember },
  }),
  actorOf,
  summaryOf: lineOf,
  sample,
});
