import { defineIntegration } from '#kit';
import { authorize, keyAndToken, signIn } from './auth.ts';
import { pickers } from './pickers.ts';
import { addChecklist } from './steps/add-checklist.ts';
import { addComment } from './steps/add-comment.ts';
import { addCommentToCard } from './steps/add-comment-to-card.ts';
import { addLabel } from './steps/add-label.ts';
import { addMember } from './steps/add-member.ts';
import { apiCall } from './steps/api-call.ts';
import { archiveCard } from './steps/archive-card.ts';
import { attach } from './steps/attach.ts';
import { completeChecklistItem } from './steps/complete-checklist-item.ts';
import { createCard } from './steps/create-card.ts';
import { createChecklistItem } from './steps/create-checklist-item.ts';
import { createLabel } from './steps/create-label.ts';
import { createList } from './steps/create-list.ts';
import { getBoard } from './steps/get-board.ts';
import { getBoards } from './steps/get-boards.ts';
import { getCard } from './steps/get-card.ts';
import { getComments } from './steps/get-comments.ts';
import { getListCards } from './steps/get-list-cards.ts';
import { getLists } from './steps/get-lists.ts';
import { listLabels } from './steps/list-labels.ts';
import { listMembers } from './steps/list-members.ts';
import { moveCard } from './steps/move-card.ts';
import { removeLabel } from './steps/remove-label.ts';
import { searchCards } from './steps/search-cards.ts';
import { updateCard } from './steps/update-card.ts';
import { cardArchived } from './triggers/card-archived.ts';
import { cardDueReminder } from './triggers/card-due-reminder.ts';
import { cardMoved } from './triggers/card-moved.ts';
import { cardUpdated } from './triggers/card-updated.ts';
import { customWebhookEvents } from './triggers/custom-webhook-events.ts';
import { labelAddedToCard } from './triggers/label-added-to-card.ts';
import { newAttachment } from './triggers/new-attachment.ts';
import { newBoard } from './triggers/new-board.ts';
import { newBoardActivity } from './triggers/new-board-activity.ts';
import { newCard } from './triggers/new-card.ts';
import { newChecklist } from './triggers/new-checklist.ts';
import { newComment } from './triggers/new-comment.ts';
import { newLabel } from './triggers/new-label.ts';
import { newMemberOnCard } from './triggers/new-member-on-card.ts';
import { newNotification } from './triggers/new-notification.ts';
import { boardUpstream } from './upstream.ts';
import { watching } from './watching/index.ts';

export const board = defineIntegration({
  name: 'board',
  title: 'Boards',
  purpose: 'Boards, lists and cards.',
  auth: [signIn, authorize, keyAndToken],
  upstream: boardUpstream,
  steps: [
    createCard,
    updateCard,
    getCard,
    archiveCard,
    getBoards,
    getListCards,
    createList,
    addCommentToCard,
    addComment,
    addChecklist,
    createChecklistItem,
    apiCall,
    getLists,
    getBoard,
    listLabels,
    listMembers,
    searchCards,
    getComments,
    moveCard,
    addLabel,
    removeLabel,
    addMember,
    completeChecklistItem,
    attach,
    createLabel,
  ],
  triggers: [
    newCard,
    cardUpdated,
    cardMoved,
    cardArchived,
    cardDueReminder,
    newComment,
    newMemberOnCard,
    newLabel,
    labelAddedToCard,
    newChecklist,
    newBoard,
    newBoardActivity,
    newNotification,
    newAttachment,
    customWebhookEvents,
  ],
  watching,
  pickers,
});
