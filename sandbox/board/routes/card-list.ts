import type { Call } from '../call.ts';
import { bornAt, isId } from '../ids.ts';
import type { Card, List } from '../model.ts';
import { invalidValue } from '../refusal.ts';
import { bulkCardShape } from '../views/cards.ts';
import { parseFields, show } from '../views/fields.ts';
import { nestedInCard } from './nested-card.ts';

const filters: Record<string, (card: Card, list: List) => boolean> = {
  all: () => true,
  none: () => false,
  closed: ({ closed }) => closed,
  open: ({ closed }) => !closed,
  // Unlike `open`, this also hides cards whose list is archived.
  visible: ({ closed }, list) => !closed && !list.closed,
  complete: ({ closed, dueComplete }, list) => !closed && !list.closed && dueComplete,
  incomplete: ({ closed, dueComplete }, list) => !closed && !list.closed && !dueComplete,
};

const bound = (value: unknown, name: string): number | string | undefined => {
  if (value === undefined || value === '' || value === null || value === 'null') return undefined;
  if (typeof value === 'string' && isId(value)) return value.toLowerCase();
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (!Number.isFinite(time)) throw invalidValue(name);
  return time;
};

/** Cards of some lists in order; with limit, before or since: the newest ones. */
export const cardList = (
  call: Call,
  lists: readonly List[],
  filter: string,
  also: (card: Card) => boolean = () => true,
): unknown[] => {
  const { input, world, viewer } = call;
  const keep = Object.hasOwn(filters, filter) ? filters[filter] : undefined;
  if (!keep) throw invalidValue('filter');
  const before = bound(input.raw('before'), 'before');
  const since = bound(input.raw('since'), 'since');
  const limit = input.number('limit') ?? undefined;
  if (limit !== undefined && (!Number.isInteger(limit) || limit < 1 || limit > 1000)) throw invalidValue('limit');
  let cards: Card[] = [];
  for (const list of lists)
    for (const card of world.cardsIn(list.id)) if (keep(card, list) && also(card)) cards.push(card);
  if (before !== undefined || since !== undefined || limit !== undefined) {
    const older = (id: string, than: number | string) => (typeof than === 'string' ? id < than : bornAt(id) < than);
    const newer = (id: string, than: number | string) => (typeof than === 'string' ? id > than : bornAt(id) > than);
    cards = cards
      .filter(({ id }) => (before === undefined || older(id, before)) && (since === undefined || newer(id, since)))
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit);
  }
  const fields = parseFields(input.raw('fields'), 'all');
  return cards.map((card) => ({ ...show(bulkCardShape, card, fields, viewer), ...nestedInCard(call, card) }));
};
