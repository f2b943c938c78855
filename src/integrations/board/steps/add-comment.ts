import type { Step } from '#kit';
import { addCommentToCard } from './add-comment-to-card.ts';

/** The name this step had first; whoever uses it goes on working. */
export const addComment: Step = {
  ...addCommentToCard,
  name: 'add_comment',
  title: 'Add Comment (legacy)',
  purpose: 'Comment on a card; the same as Add Comment to Card.',
  deprecated: 'Use board.add_comment_to_card.',
};
