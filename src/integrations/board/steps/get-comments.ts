import { z } from 'zod';
import { counted, defineStep, fromListCursor, path, toListCursor } from '#kit';
import { CommentTold, commentTypes, showComment } from '../comments.ts';
import { cardIdOf } from '../lookups.ts';
import { pageInput, pageOutput } from '../paging.ts';
import { toRead } from '../scopes.ts';
import { cardInput } from '../shapes.ts';
import { TimeZone, tellTimes } from '../times.ts';

export const getComments = defineStep({
  name: 'get_comments',
  title: 'Get Comments',
  group: 'Comments',
  purpose: 'Read the comments on a card, latest first.',
  effect: 'read',
  ownCursors: true,
  scopes: toRead,
  input: z.object({
    ...cardInput,
    maxTextChars: z.int().min(1).max(16_384).default(2_000).describe('How much of each comment.'),
    timeZone: TimeZone,
    ...pageInput,
  }),
  output: z.object(pageOutput(CommentTold)),
  summary: ({ items, nextCursor }) => counted(items.length, ['comment', 'comments'], nextCursor !== undefined),
  run: async ({ cardId, board, maxTextChars, timeZone, limit, cursor }, context) => {
    const id = await cardIdOf(context, cardId, board);
    const before = cursor === undefined ? undefined : fromListCursor(id, cursor);
    const query = { filter: commentTypes, limit: limit + 1, before };
    const actions = z.array(z.unknown()).parse(await context.upstream.get(path`/1/cards/${id}/actions`, { query }));
    const items = actions.slice(0, limit).map((action) => showComment(action, maxTextChars));
    const last = actions.length > limit ? items.at(-1) : undefined;
    const next = last === undefined ? {} : { nextCursor: toListCursor(id, last.commentId) };
    return { items: tellTimes(items, timeZone), ...next, truncated: last !== undefined };
  },
});
