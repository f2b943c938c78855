import { z } from 'zod';
import { defineStep, path } from '#kit';
import { cardBegun } from '../begun.ts';
import { look } from '../looks/index.ts';
import { cardIdOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { cardInput } from '../shapes.ts';

const Closed = z.object({ closed: z.boolean() });

export const archiveCard = defineStep({
  name: 'archive_card',
  title: 'Archive Card',
  group: 'Cards',
  purpose: 'Archive a card, or bring an archived one back.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    ...cardInput,
    archived: z.boolean().default(true).describe('false brings the card back.'),
  }),
  output: z.object({ cardId: z.string(), closed: z.boolean(), changed: z.boolean() }),
  summary: ({ closed, changed }) =>
    `${changed ? 'The card is now' : 'The card was already'} ${closed ? 'archived' : 'open'}.`,
  run: async ({ cardId, board, archived }, context) => {
    const { upstream } = context;
    const id = cardBegun(context) ?? (await cardIdOf(context, cardId, board));
    const read = async () => Closed.parse(await upstream.get(path`/1/cards/${id}`, { query: { fields: 'closed' } }));
    const before = await context.before(Closed, read);
    const { closed } = Closed.parse(await upstream.put(path`/1/cards/${id}`, { body: { closed: archived } }));
    return { cardId: id, closed, changed: before.closed !== closed };
  },
  find: (_, context) => look(context),
});
