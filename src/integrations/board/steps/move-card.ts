import { z } from 'zod';
import { defineStep, path, quoted } from '#kit';
import { cardBegun } from '../begun.ts';
import { CardSummary, CardTold, cardFields, summarize, withMembers, withPeople } from '../cards.ts';
import { look } from '../looks/index.ts';
import { boardOfCard, cardIdOf, listIdOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { BoardRef, cardInput, ListRef, Pos } from '../shapes.ts';
import { tellTimes } from '../times.ts';

const Place = z.object({ idList: z.string(), idBoard: z.string() });

export const moveCard = defineStep({
  name: 'move_card',
  title: 'Move Card',
  group: 'Cards',
  purpose: 'Move a card to another list, on its own board or another one.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    ...cardInput,
    list: ListRef.describe('List it moves to: id or exact name.'),
    toBoard: BoardRef.optional().describe(
      "Board of that list, when the list is given by name; the card's own if left out.",
    ),
    pos: Pos.optional().describe(
      'Where in the list it lands: top, bottom or a number; bottom if left out, or where it is if it is in that list already.',
    ),
  }),
  output: CardTold.extend({ from: Place, moved: z.boolean() }),
  summary: ({ name, moved }) => `${moved ? 'Moved the card' : 'Already there: the card'} ${quoted(name)}.`,
  run: async ({ cardId, board, list, toBoard, pos }, context) => {
    const { upstream } = context;
    const id = cardBegun(context) ?? (await cardIdOf(context, cardId, board));
    const byName = !/^[0-9a-f]{24}$/i.test(list);
    const home = byName ? (toBoard ?? (await boardOfCard(upstream, id))) : undefined;
    const idList = await listIdOf(context, list, home);
    const query = { fields: cardFields, ...withMembers };
    const read = async () => summarize(await upstream.get(path`/1/cards/${id}`, { query }));
    const before = await context.before(CardSummary, read);
    const from = Place.parse(before);
    if (pos === undefined && idList === from.idList) return tellTimes({ ...before, from, moved: false });
    const body = { idList, pos: pos ?? 'bottom' };
    const moved = summarize(await upstream.put(path`/1/cards/${id}`, { body }));
    const card = await withPeople(moved, context, before.members);
    return tellTimes({ ...card, from, moved: card.idList !== from.idList || card.pos !== before.pos });
  },
  find: (_, context) => look(context),
});
