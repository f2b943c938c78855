import { z } from 'zod';
import { defineStep, path, quoted } from '#kit';
import { aside } from '../aside.ts';
import { CardFullTold, markdownOf, showFull } from '../card-full.ts';
import { cardFields } from '../cards.ts';
import { commentTypes } from '../comments.ts';
import { fieldsOn } from '../custom-fields.ts';
import { cardIdOf } from '../lookups.ts';
import { toRead } from '../scopes.ts';
import { cardInput } from '../shapes.ts';
import { TimeZone, tellTimes } from '../times.ts';

const OnBoard = z.object({ idBoard: z.string() });
const parts = ['checklists', 'attachments', 'comments', 'members', 'customFields', 'list', 'board'] as const;

export const getCard = defineStep({
  name: 'get_card',
  title: 'Get Card',
  group: 'Cards',
  purpose: 'Read one card with its checklists, attachments, comments and members.',
  effect: 'read',
  scopes: toRead,
  input: z.object({
    ...cardInput,
    include: z
      .array(z.enum(parts))
      .default(['checklists', 'attachments', 'members', 'list', 'board'])
      .describe('What to read along with it.'),
    maxComments: z.int().min(1).max(100).default(10).describe('How many of the latest comments, if they are included.'),
    maxDescChars: z.int().min(0).max(16_384).default(5_000).describe('How much of the description.'),
    timeZone: TimeZone,
    format: z.enum(['json', 'markdown']).default('json').describe('Fields, or one text that is easy to read.'),
  }),
  output: CardFullTold.partial().extend({ id: z.string(), markdown: z.string().optional() }),
  summary: ({ name }) => `Read the card ${quoted(name)}.`,
  run: async (input, context) => {
    const { include, maxComments, maxDescChars, timeZone, format } = input;
    const { upstream } = context;
    const idCard = await cardIdOf(context, input.cardId, input.board);
    const wants = (part: (typeof parts)[number]) => include.includes(part);
    const card = await upstream.get(path`/1/cards/${idCard}`, {
      query: {
        fields: `${cardFields},badges`,
        checklists: wants('checklists') ? 'all' : 'none',
        attachments: wants('attachments'),
        members: wants('members'),
        member_fields: 'username,fullName',
        customFieldItems: wants('customFields'),
        list: wants('list'),
        board: wants('board'),
        board_fields: 'name,url',
      },
    });
    const comments = wants('comments')
      ? await upstream.get(path`/1/cards/${idCard}/actions`, {
          query: { filter: commentTypes, limit: maxComments + 1 },
        })
      : undefined;
    const { idBoard } = OnBoard.parse(card);
    // Without their names, the values still are what they are.
    const fields = wants('customFields')
      ? await aside(context, 'The names and choices of the custom fields are missing', () =>
          fieldsOn(upstream, idBoard),
        )
      : undefined;
    const full = showFull(card, { comments, ...(fields && { fields }) }, { maxComments, maxDescChars });
    if (format === 'json') return tellTimes(full, timeZone);
    const { id, shortLink, name, url, commentsNextCursor, truncated } = full;
    return { id, shortLink, name, url, commentsNextCursor, truncated, markdown: markdownOf(full, timeZone) };
  },
});
