import { z } from 'zod';
import { path, type Upstream } from '#kit';

const Cards = z.array(z.object({ id: z.string(), pos: z.number() }));

type Placed = { id?: unknown; idList?: unknown; pos?: unknown };

/** Whether a card lies in its list where it was to lie. */
export const isPlaced = async (upstream: Upstream, card: Placed, pos: unknown): Promise<boolean> => {
  if (pos !== 'top' && pos !== 'bottom') return card.pos === pos;
  const query = { filter: 'open', fields: 'pos' };
  const cards = Cards.parse(await upstream.get(path`/1/lists/${String(card.idList)}/cards`, { query }));
  return cards.toSorted((a, b) => a.pos - b.pos).at(pos === 'top' ? 0 : -1)?.id === card.id;
};
