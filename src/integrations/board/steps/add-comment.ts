import type { Step } from '#kit';
import { addCommentToCard } from './add-comment-to-card.ts';

/** The name this step had first; whoever uses it goes on working. */
export const addComment: Step = {
  ...addCommentToCard,
  name: 'add_comment',
  title: 'Add Comment',
  purpose: 'Legacy action: comment on a card, as Add Comment to Card does.',
  deprecated: 'Use board.add_comment_to_card.',
};
