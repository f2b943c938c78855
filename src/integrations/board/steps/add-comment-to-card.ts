import { z } from 'zod';
import { defineStep, path } from '#kit';
import { Comment, showComment } from '../comments.ts';
import { look } from '../looks/index.ts';
import { cardIdOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { cardInput } from '../shapes.ts';

export const addCommentToCard = defineStep({
  name: 'add_comment_to_card',
  title: 'Add Comment to Card',
  group: 'Comments',
  purpose: 'Comment on a card.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    ...cardInput,
    text: z.string().min(1).max(16_384).describe('The comment, in Markdown. @username notifies that member.'),
  }),
  output: Comment,
  run: async ({ cardId, board, text }, context) => {
    const id = await cardIdOf(context, cardId, board);
    return showComment(await context.upstream.post(path`/1/cards/${id}/actions/comments`, { body: { text } }));
  },
  find: (_, context) => look(context),
});
