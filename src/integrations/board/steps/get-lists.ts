import { z } from 'zod';
import { counted, defineStep, path } from '#kit';
import { boardIdOf } from '../lookups.ts';
import { pageInput, pageOf, pageOutput } from '../paging.ts';
import { toRead } from '../scopes.ts';
import { BoardRef, List } from '../shapes.ts';

const WithCards = List.extend({ cards: z.array(z.unknown()).optional() });
const Shown = List.extend({ cardCount: z.number().optional() });

export const getLists = defineStep({
  name: 'get_lists',
  title: 'Get Lists',
  group: 'Boards/Lists',
  purpose: 'List the lists of a board, from left to right.',
  effect: 'read',
  scopes: toRead,
  input: z.object({
    board: BoardRef.describe('Board: its id, short link, web address or exact name.'),
    filter: z.enum(['open', 'closed', 'all']).default('open').describe('Open lists, archived ones, or both.'),
    includeCardCount: z.boolean().default(false).describe('Whether to count the open cards of each list.'),
    ...pageInput,
  }),
  output: z.object(pageOutput(Shown)),
  summary: ({ items, nextCursor }) => counted(items.length, ['list', 'lists'], nextCursor !== undefined),
  run: async ({ board, filter, includeCardCount, ...page }, context) => {
    const idBoard = await boardIdOf(context, board);
    const query = {
      filter,
      fields: 'name,idBoard,closed,pos',
      cards: includeCardCount ? 'open' : 'none',
      card_fields: 'id',
    };
    const lists = z.array(WithCards).parse(await context.upstream.get(path`/1/boards/${idBoard}/lists`, { query }));
    const shown = lists.map(({ cards, ...list }) => ({ ...list, ...(cards && { cardCount: cards.length }) }));
    return pageOf(shown, ({ pos, id }) => [pos, id], page);
  },
});
