import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { cut } from '../cards.ts';
import { toRead } from '../scopes.ts';
import { type Acted, ActedCard, actionOf, actorOf, Named } from './action.ts';
import { boardWatches, judged, onCards, placesAdmit, settleCards } from './config.ts';
import { isOpen, withCard } from './facts.ts';
import sample from './new-attachment.sample.json' with { type: 'json' };
import { cardBase, cardPayload, short } from './payload.ts';
import { lineOf } from './words.ts';

type Delivery = Acted & { data: { card: { id: string }; attachment: Named & { url?: string | undefined } } };

const viewOf = ({ data, facts }: Delivery) => {
  const { id, name, url = '' } = data.attachment;
  const read = facts?.attachment;
  return {
    id,
    name: short(name ?? ''),
    url: cut(read?.url ?? url, 2_000),
    mimeType: read?.mimeType ?? null,
    bytes: read?.bytes ?? null,
    isUpload: read?.isUpload ?? url.includes(`/attachments/${id}/`),
    ref: `/1/cards/${data.card.id}/attachments/${id}`,
  };
};

/** `image/*` stands for all images. */
const isOfType = (given: string | null, wanted: string): boolean => {
  const type = (given ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const low = wanted.toLowerCase();
  return low.endsWith('/*') ? type.startsWith(low.slice(0, -1)) : type === low;
};

export const newAttachment = defineWebhookTrigger({
  name: 'new_attachment',
  title: 'New Attachment',
  purpose: 'Fires when a file or a link is attached to a card.',
  scopes: toRead,
  config: z.object({
    ...onCards,
    kind: z.enum(['any', 'file', 'link']).default('any').describe('Files, links, or both.'),
    mimeTypes: z
      .array(z.string().regex(/^[\w.+-]+\/([\w.+-]+|\*)$/, 'must be a type such as application/pdf or image/*'))
      .max(50)
      .default([])
      .describe('Only files of these types, such as application/pdf or image/*; empty for all.'),
  }),
  delivery: actionOf(z.literal('addAttachmentToCard'), {
    card: ActedCard,
    attachment: Named.extend({ url: z.string().optional() }),
  }),
  event: z.object({
    ...cardPayload,
    attachment: z.object({
      id: z.string(),
      name: z.string(),
      url: z.string(),
      mimeType: z.string().nullable(),
      bytes: z.number().nullable(),
      isUpload: z.boolean(),
      ref: z.string().describe('Where Board API Call finds it.'),
    }),
  }),
  settle: settleCards,
  ...boardWatches,
  // The action tells neither type nor size nor list.
  isIncomplete: (delivery, config) => delivery.facts?.attachment === undefined && isOpen(delivery, config),
  complete: (delivery, context, config) => withCard(delivery, context, config, delivery.data.attachment.id),
  judge: (delivery, config) => {
    const { mimeType, isUpload } = viewOf(delivery);
    const { kind, mimeTypes } = config;
    return judged({
      ...placesAdmit(delivery, config),
      kind: kind === 'any' || isUpload === (kind === 'file'),
      mimeTypes: mimeTypes.length === 0 || mimeTypes.some((wanted) => isOfType(mimeType, wanted)),
    });
  },
  toEvent: (delivery, _, pages) => ({ ...cardBase(delivery, pages), attachment: viewOf(delivery) }),
  actorOf,
  summaryOf: lineOf,
  sample,
});
