import { z } from 'zod';
import { defineStep, path, quoted } from '#kit';
import { CommentTold, showComment } from '../comments.ts';
import { look } from '../looks/index.ts';
import { cardIdOf } from '../lookups.ts';
import { toWrite } from '../scopes.ts';
import { cardInput, Words } from '../shapes.ts';
import { tellTimes } from '../times.ts';

export const addCommentToCard = defineStep({
  name: 'add_comment_to_card',
  title: 'Add Comment to Card',
  group: 'Comments',
  purpose: 'Comment on a card.',
  effect: 'write',
  scopes: toWrite,
  input: z.object({
    ...cardInput,
    text: Words.describe('The comment, in Markdown. @username notifies that member.'),
  }),
  output: CommentTold,
  summary: ({ text }) => `Commented on the card: ${quoted(text)}.`,
  run: async ({ cardId, board, text }, context) => {
    const id = await cardIdOf(context, cardId, board);
    const made = await context.upstream.post(path`/1/cards/${id}/actions/comments`, { body: { text } });
    return tellTimes(showComment(made));
  },
  find: (_, context) => look(context),
});
