import { expect, test } from 'vitest';
import { showComment } from './comments.ts';

const action = {
  id: 'comment-1',
  date: '2026-12-01T10:00:00.000Z',
  idMemberCreator: 'ada',
  memberCreator: { id: 'ada', username: 'ada', fullName: 'Ada Marsh' },
};
const data = { text: 'Ready?', card: { id: 'card-1' } };
const shown = { commentId: 'comment-1', cardId: 'card-1', text: 'Ready?', createdAt: action.date };
const ada = { id: 'ada', username: 'ada', name: 'Ada Marsh' };

test.each([
  ['by who wrote it', {}, ada],
  ['where it was copied with its card, by who wrote it first', { idOriginalCommenter: 'ben' }, { id: 'ben' }],
  ['where the same person copied it, by that person', { idOriginalCommenter: 'ada' }, ada],
  ['where nobody knows who wrote it first, by who copied it', { idOriginalCommenter: null }, ada],
])('a comment is told %s', (_, more, author) => {
  expect(showComment({ ...action, data: { ...data, ...more } })).toEqual({ ...shown, author });
});
