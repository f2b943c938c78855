import { z } from 'zod';
import { caseless, defineWebhookTrigger, type JudgeContext } from '#kit';
import { toRead } from '../scopes.ts';
import { ActedCard, actionOf, actorOf } from './action.ts';
import { boardWatches, judged, onCards, placesAdmit, settleCards } from './config.ts';
import { needsCard, withCard } from './facts.ts';
import sample from './new-comment.sample.json' with { type: 'json' };
import { capped, cardBase, cardPayload } from './payload.ts';
import { lineOf } from './words.ts';

const mentions = (text: string, { account }: JudgeContext): boolean => {
  const { username } = account.identity;
  const named = [...text.matchAll(/@([\w.-]+)/g)].map(([, name = '']) => name.replace(/[.-]+$/, '').toLowerCase());
  return username !== undefined && named.includes(username.toLowerCase());
};

export const newComment = defineWebhookTrigger({
  name: 'new_comment',
  title: 'New Comment Added to Card',
  purpose: 'Fires when a comment is added to a card.',
  scopes: toRead,
  config: z.object({
    ...onCards,
    mentionsMe: z.boolean().default(false).describe("Only comments that mention the account's own username."),
    contains: z
      .string()
      .max(200)
      .default('')
      .describe('Only comments with this text in them; letter case does not count.'),
  }),
  delivery: actionOf(z.literal('commentCard'), { card: ActedCard, text: z.string() }),
  event: z.object({
    ...cardPayload,
    comment: z.object({ id: z.string(), text: z.string(), capped: z.boolean() }),
  }),
  settle: settleCards,
  ...boardWatches,
  isIncomplete: needsCard,
  complete: withCard,
  judge: (delivery, config, context) => {
    const { text } = delivery.data;
    return judged({
      ...placesAdmit(delivery, config),
      mentionsMe: !config.mentionsMe || mentions(text, context),
      contains: config.contains === '' || caseless(text).includes(caseless(config.contains)),
    });
  },
  toEvent: (delivery, _, pages) => ({
    ...cardBase(delivery, pages),
    comment: { id: delivery.id, ...capped(delivery.data.text) },
  }),
  actorOf,
  summaryOf: lineOf,
  sample,
});
