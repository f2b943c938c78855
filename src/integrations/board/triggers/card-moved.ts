import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { admits, BoardId, ListId, Ref } from '../shapes.ts';
import sample from './card-moved.sample.json' with { type: 'json' };

export const cardMoved = defineWebhookTrigger({
  name: 'card_moved',
  title: 'Card Moved',
  purpose: 'Fires when a card moves from one list to another.',
  config: z.object({
    boards: z.array(BoardId).default([]).describe('Boards to watch; empty for all.'),
    fromLists: z.array(ListId).default([]).describe('Only moves out of these lists; empty for all.'),
    toLists: z.array(ListId).default([]).describe('Only moves into these lists; empty for all.'),
  }),
  // A delivery of another shape belongs to another trigger.
  delivery: z.object({
    id: z.string(),
    type: z.literal('updateCard'),
    date: z.iso.datetime(),
    data: z.object({ board: Ref, card: Ref, listBefore: Ref, listAfter: Ref }),
  }),
  event: z.object({ card: Ref, board: Ref, from: Ref, to: Ref, at: z.string() }),
  resources: async ({ boards }) => boards.map((id) => `board/${id}`),
  judge: ({ data }, { boards, fromLists, toLists }) => {
    if (!admits(boards, data.board)) return { outcome: 'filtered', clause: 'boards' };
    if (!admits(fromLists, data.listBefore)) return { outcome: 'filtered', clause: 'fromLists' };
    if (!admits(toLists, data.listAfter)) return { outcome: 'filtered', clause: 'toLists' };
    return { outcome: 'fired' };
  },
  actorOf: () => undefined,
  summaryOf: ({ data: { card } }) => `${card.name ?? card.id} moved`,
  toEvent: ({ data: { card, board, listBefore: from, listAfter: to }, date: at }) => ({ card, board, from, to, at }),
  sample,
});
