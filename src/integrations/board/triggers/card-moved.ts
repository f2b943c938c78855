import { z } from 'zod';
import { defineWebhookTrigger } from '#kit';
import { toRead } from '../scopes.ts';
import { ListRef } from '../shapes.ts';
import { ActedCard, actionOf, actorOf, Linked, Named } from './action.ts';
import sample from './card-moved.sample.json' with { type: 'json' };
import { admitsNamed, boardWatches, common, includeCard, judged, placesAdmit, settleCards } from './config.ts';
import { needsCard, withCard } from './facts.ts';
import { BoardView, cardBase, cardPayload, ListView, shown, shownBoard } from './payload.ts';
import { lineOf } from './words.ts';

const within = actionOf(z.literal('updateCard'), { card: ActedCard, listBefore: Named, listAfter: Named }).refine(
  ({ data }) => data.listBefore.id !== data.listAfter.id,
);
const between = actionOf(z.literal('moveCardToBoard'), { card: ActedCard, list: Named, boardSource: Linked });
const Moved = z.union([within, between]);

/** Where from, as far as it is told, and where to. A move between boards tells no list that was left. */
const ends = ({ data }: z.output<typeof Moved>) => ({
  from: 'boardSource' in data ? undefined : data.listBefore,
  to: data.listAfter ?? data.list,
});

export const cardMoved = defineWebhookTrigger({
  name: 'card_moved',
  title: 'Card Moved',
  purpose: 'Fires when a card moves from one list to another.',
  scopes: toRead,
  config: z.object({
    ...common,
    fromLists: z
      .array(ListRef)
      .max(100)
      .default([])
      .describe('Only moves out of these lists: ids or exact names; empty for all.'),
    toLists: z
      .array(ListRef)
      .max(100)
      .default([])
      .describe('Only moves into these lists: ids or exact names; empty for all.'),
    includeCard,
  }),
  delivery: Moved,
  event: z.object({
    ...cardPayload,
    from: ListView.optional(),
    to: ListView,
    fromBoard: BoardView.optional(),
    betweenBoards: z.boolean(),
  }),
  settle: settleCards,
  ...boardWatches,
  isIncomplete: needsCard,
  complete: withCard,
  judge: (delivery, config) => {
    const { from, to } = ends(delivery);
    return judged({
      boards: placesAdmit(delivery, config).boards,
      fromLists: admitsNamed(config.fromLists, [from ?? []].flat()),
      toLists: admitsNamed(config.toLists, [to ?? []].flat()),
    });
  },
  toEvent: (delivery, _, pages) => {
    const { from, to } = ends(delivery);
    const source = Linked.safeParse(delivery.data['boardSource']).data;
    return {
      ...cardBase(delivery, pages),
      ...(from === undefined ? {} : { from: shown(from) }),
      to: shown(to ?? { id: '' }),
      ...(source === undefined ? {} : { fromBoard: shownBoard(source, pages) }),
      betweenBoards: source !== undefined,
    };
  },
  actorOf,
  summaryOf: lineOf,
  sample,
});
