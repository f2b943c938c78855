import { defineIntegration } from '#kit';
import { keyAndToken } from './auth.ts';
import { apiCall } from './steps/api-call.ts';
import { createCard } from './steps/create-card.ts';
import { cardDueReminder } from './triggers/card-due-reminder.ts';
import { cardMoved } from './triggers/card-moved.ts';
import { boardUpstream } from './upstream.ts';

export const board = defineIntegration({
  name: 'board',
  title: 'Boards',
  purpose: 'Boards, lists and cards.',
  auth: [keyAndToken],
  upstream: boardUpstream,
  steps: [createCard, apiCall],
  triggers: [cardMoved, cardDueReminder],
  pickers: [],
});
