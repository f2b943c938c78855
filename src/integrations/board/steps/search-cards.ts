import { z } from 'zod';
import { counted, defineStep, path, wrong } from '#kit';
import { CardFields, CardPart, CardView, cardFields, pick, summarizeAs } from '../cards.ts';
import { boardIdOf } from '../lookups.ts';
import { explainNothing } from '../nothing-found.ts';
import { fromCursor, pageInput, pageOutput, toCursor } from '../paging.ts';
import { toRead } from '../scopes.ts';
import { BoardRef, several, Words } from '../shapes.ts';
import { TimeZone, tellTimes } from '../times.ts';

const Found = z.object({ cards: z.array(z.unknown()) });
const Place = z.tuple([z.int().min(0).max(100), z.int()]);

export const searchCards = defineStep({
  name: 'search_cards',
  title: 'Search Cards',
  group: 'Cards',
  purpose: 'Find cards by words and operators such as label:, list:, @member, due:overdue and is:archived.',
  effect: 'read',
  scopes: toRead,
  input: z.object({
    query: Words.max(2_000).describe('What to look for. Very recent changes may be missing.'),
    boards: several(BoardRef).describe('Only on these boards; empty for all of this account.'),
    includeArchived: z.boolean().default(false).describe('Whether archived cards count.'),
    partial: z.boolean().default(true).describe('Whether the beginning of a word is enough.'),
    view: CardView,
    fields: CardFields,
    timeZone: TimeZone,
    ...pageInput,
  }),
  output: z.object(pageOutput(CardPart)),
  summary: ({ items, nextCursor }) => counted(items.length, ['card', 'cards'], nextCursor !== undefined),
  run: async ({ query: words, boards, includeArchived, partial, view, fields, timeZone, limit, cursor }, context) => {
    const ids: string[] = [];
    for (const board of boards) ids.push(await boardIdOf(context, board, 'boards'));
    const [page, size] = cursor === undefined ? [0, limit] : Place.parse(fromCursor(cursor));
    if (size !== limit) throw wrong('limit', `Go on with the limit of the call that gave this cursor: ${size}.`);
    const query = {
      query: includeArchived || /\bis:/i.test(words) ? words : `${words} is:open`,
      idBoards: ids.length > 0 ? ids.join(',') : 'mine',
      modelTypes: 'cards',
      card_fields: cardFields,
      card_members: true,
      cards_limit: limit,
      cards_page: page,
      partial,
    };
    const { cards } = Found.parse(await context.upstream.get(path`/1/search`, { query }));
    if (cards.length === 0 && cursor === undefined) await explainNothing(context, words, ids);
    const more = cards.length === limit && page < 100;
    return {
      items: cards.map((card) => tellTimes(pick(summarizeAs(view)(card), fields), timeZone)),
      ...(more ? { nextCursor: toCursor([page + 1, limit]) } : {}),
      truncated: more,
    };
  },
});
