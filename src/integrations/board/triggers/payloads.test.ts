import { expect, test } from 'vitest';
import type { WebhookTrigger } from '#kit';
import {
  action,
  ada,
  attachment,
  ben,
  card,
  checkItem,
  checklist,
  doing,
  id,
  kinds,
  label,
  launch,
  other,
  todo,
} from '../../../../test/board-actions.ts';
import { board } from '../index.ts';

/** What each trigger tells, word for word: whoever made an agent for it counts on every field. */

const told = (name: string, given: string | object): unknown => {
  const trigger = board.triggers.find((each): each is WebhookTrigger => each.kind === 'webhook' && each.name === name);
  const delivery = typeof given === 'string' ? kinds.find(([kind]) => kind === given)?.[1] : given;
  return trigger?.toEvent(trigger.delivery.parse(delivery), trigger.config.parse({}), new URL('https://boards.test/'));
};

const common = (type: string) => ({
  action: { id: id(64), type, date: '2024-01-13T02:08:02.123Z' },
  actor: { id: ada.id, name: 'Ada Marsh' },
  board: { id: launch.id, name: 'Launch', url: 'https://boards.test/b/bOaRd123' },
});
const shownCard = { id: card.id, name: 'Print flyers', shortLink: 'aBcD1234', url: 'https://boards.test/c/aBcD1234' };
const onCard = (type: string) => ({ ...common(type), card: { ...shownCard, idBoard: launch.id } });
const inList = (type: string, list = todo) => ({
  ...common(type),
  list,
  card: { ...shownCard, idBoard: launch.id, idList: list.id },
});
const shownBen = { id: ben.id, username: 'ben', fullName: 'Ben Ito' };

test.each<[string, string | object, unknown]>([
  ['new_card', 'createCard', { ...inList('createCard'), origin: 'created' }],
  ['new_card', 'copyCard', { ...inList('copyCard'), origin: 'copied' }],
  ['new_card', 'convertToCardFromCheckItem', { ...inList('convertToCardFromCheckItem'), origin: 'converted' }],
  ['new_card', 'emailCard', { ...inList('emailCard'), origin: 'emailed' }],
  ['new_card', 'moveInboxCardToBoard', { ...inList('moveInboxCardToBoard'), origin: 'inbox' }],
  ['new_card', action('copyInboxCard', { card, list: todo }), { ...inList('copyInboxCard'), origin: 'inbox' }],
  [
    'card_moved',
    'a move between lists',
    { ...inList('updateCard', doing), from: todo, to: doing, betweenBoards: false },
  ],
  [
    'card_moved',
    'moveCardToBoard',
    {
      ...inList('moveCardToBoard'),
      to: todo,
      fromBoard: { id: other.id, name: 'Other', url: 'https://boards.test/b/oThEr123' },
      betweenBoards: true,
    },
  ],
  ['card_archived', 'archiving', { ...inList('updateCard'), archived: true }],
  ['card_archived', 'bringing back', { ...inList('updateCard'), archived: false }],
  ['new_comment', 'commentCard', { ...inList('commentCard'), comment: { id: id(64), text: 'Hello', capped: false } }],
  ['new_member_on_card', 'addMemberToCard', { ...onCard('addMemberToCard'), member: shownBen }],
  [
    'new_member_on_card',
    action('addMemberToCard', { card, idMember: ben.id }),
    { ...onCard('addMemberToCard'), member: { id: ben.id } },
  ],
  ['new_label', 'createLabel', { ...common('createLabel'), label }],
  [
    'new_label',
    action('createLabel', { label: { id: label.id } }),
    { ...common('createLabel'), label: { id: label.id, color: null } },
  ],
  ['label_added_to_card', 'addLabelToCard', { ...onCard('addLabelToCard'), label }],
  ['new_checklist', 'addChecklistToCard', { ...onCard('addChecklistToCard'), checklist }],
  [
    'new_checklist',
    action('addChecklistToCard', { card, checklist, checklistSource: { id: id(40), name: 'Template' } }),
    { ...onCard('addChecklistToCard'), checklist, copiedFrom: { id: id(40), name: 'Template' } },
  ],
  ['new_board', 'createBoard', { ...common('createBoard'), copied: false }],
  [
    'new_board',
    {
      ...action('copyBoard', { boardSource: { id: other.id } }),
      facts: {
        board: { id: launch.id, name: 'Launch', url: 'https://boards.test/b/bOaRd123/launch', idOrganization: id(30) },
        workspace: { id: id(30), name: 'us', displayName: 'All of us' },
      },
    },
    {
      ...common('copyBoard'),
      board: { id: launch.id, name: 'Launch', url: 'https://boards.test/b/bOaRd123/launch' },
      workspace: { id: id(30), name: 'All of us' },
      copied: true,
    },
  ],
  [
    'new_attachment',
    'addAttachmentToCard',
    {
      ...onCard('addAttachmentToCard'),
      attachment: {
        ...attachment,
        ...{ mimeType: null, bytes: null, isUpload: false },
        ref: `/1/cards/${card.id}/attachments/${attachment.id}`,
      },
    },
  ],
])('%s tells of %j what it promises', (name, given, expected) => {
  expect(told(name, given)).toEqual(expected);
});

const changes = (given: string | object, name = 'new_board_activity'): unknown =>
  (told(name, given) as { changes: unknown }).changes;

test.each<[string | object, unknown[]]>([
  ['createCard', []],
  ['a move between lists', [{ field: 'idList', from: todo, to: doing }]],
  ['a reorder', [{ field: 'pos', from: 1, to: 2 }]],
  ['archiving', [{ field: 'closed', from: false, to: true }]],
  [
    'moveCardToBoard',
    [{ field: 'idBoard', from: { id: other.id, name: 'Other' }, to: { id: launch.id, name: 'Launch' } }],
  ],
  [
    action('moveCardToBoard', { card, list: todo }),
    [{ field: 'idBoard', from: null, to: { id: launch.id, name: 'Launch' } }],
  ],
  ['addAttachmentToCard', [{ field: 'attachments', from: null, to: { id: attachment.id, name: 'flyer.pdf' } }]],
  ['deleteAttachmentFromCard', [{ field: 'attachments', from: { id: attachment.id, name: 'flyer.pdf' }, to: null }]],
  ['addLabelToCard', [{ field: 'labels', from: null, to: label }]],
  ['removeLabelFromCard', [{ field: 'labels', from: label, to: null }]],
  [action('removeLabelFromCard', { card, text: 'Urgent' }), [{ field: 'labels', from: null, to: null }]],
  ['addMemberToCard', [{ field: 'members', from: null, to: { id: ben.id, name: 'Ben Ito' } }]],
  [action('removeMemberFromCard', { card, idMember: ben.id }), [{ field: 'members', from: { id: ben.id }, to: null }]],
  [action('removeMemberFromCard', { card }), [{ field: 'members', from: null, to: null }]],
  ['addChecklistToCard', [{ field: 'checklists', from: null, to: checklist }]],
  ['removeChecklistFromCard', [{ field: 'checklists', from: checklist, to: null }]],
  [
    'updateCustomFieldItem',
    [
      {
        field: 'customFields',
        from: { id: id(20), name: 'Cost', value: null },
        to: { id: id(20), name: 'Cost', value: { number: '5' } },
      },
    ],
  ],
  [action('updateCustomFieldItem', { card }), [{ field: 'customFields', from: { value: null }, to: { value: null } }]],
  ['updateCheckItemStateOnCard', [{ field: 'state', from: 'incomplete', to: 'complete' }]],
  [
    action('updateCheckItemStateOnCard', { card, checklist, checkItem: { ...checkItem, state: 'incomplete' } }),
    [{ field: 'state', from: 'complete', to: 'incomplete' }],
  ],
  [action('updateCheckItemStateOnCard', { card, checklist, checkItem: { ...checkItem, state: 'odd' } }), []],
  ['updateList', [{ field: 'closed', from: false, to: true }]],
  ['updateBoard', [{ field: 'closed', from: true, to: false }]],
  ['updateLabel', [{ field: 'name', from: 'x', to: 'Urgent' }]],
  ['updateChecklist', [{ field: 'name', from: 'x', to: 'Before printing' }]],
  ['updateCheckItem', [{ field: 'name', from: 'x', to: 'Proofread' }]],
  ['updateComment', [{ field: 'text', from: 'x', to: 'Hello' }]],
  [
    action('updateCustomField', { customField: { id: id(20), name: 'Cost' }, old: { name: 'Price' } }),
    [{ field: 'name', from: 'Price', to: 'Cost' }],
  ],
  [
    action('updateCard', { card, old: { cover: 'red' }, listAfter: doing }),
    [{ field: 'cover', from: 'red', to: null }],
  ],
  [
    action('updateCard', { card, old: { idList: todo.id }, listBefore: todo }),
    [{ field: 'idList', from: todo.id, to: null }],
  ],
])('of %j any activity tells what it changed', (given, expected) => {
  expect(changes(given)).toEqual(expected);
});

test.each([
  'a new name',
  'a reorder',
  'addLabelToCard',
  'removeMemberFromCard',
  'updateCustomFieldItem',
  'moveCardToBoard',
])('Card Updated tells of %s the same changes as any activity', (kind) => {
  expect(changes(kind, 'card_updated')).toEqual(changes(kind));
});

/** Beside the changes. */
const about = (given: string | object): unknown => {
  const { changes: _, ...rest } = told('new_board_activity', given) as Record<string, unknown>;
  expect(told('custom_webhook_events', given)).toEqual({ ...rest, changes: changes(given) });
  return rest;
};

test.each<[string | object, object]>([
  ['createCard', { list: todo, card: shownCard }],
  ['a move between lists', { list: doing, card: shownCard }],
  ['createBoard', {}],
  ['createList', { list: todo }],
  ['createLabel', { label }],
  ['voteOnCard', { card: shownCard }],
  ['addMemberToBoard', { member: shownBen }],
  [action('addMemberToBoard', { idMemberAdded: ben.id }), { member: { id: ben.id } }],
  ['commentCard', { list: todo, card: shownCard, comment: { id: id(64), text: 'Hello', capped: false } }],
  ['copyCommentCard', { list: todo, card: shownCard, comment: { id: id(64), text: 'Hello', capped: false } }],
  ['updateComment', { card: shownCard, comment: { id: id(12), text: 'Hello', capped: false } }],
  ['deleteComment', { card: shownCard, comment: { id: id(12), capped: false } }],
  // Only what is about a comment tells one.
  [action('voteOnCard', { card, action: { id: id(12), text: 'Hello' } }), { card: shownCard }],
  ['updateCheckItemStateOnCard', { card: shownCard, checklist, checkItem }],
  ['createCheckItem', { card: shownCard, checklist, checkItem }],
  ['addAttachmentToCard', { card: shownCard, attachment }],
  [
    action('deleteAttachmentFromCard', { card, attachment: { id: attachment.id, name: 'flyer.pdf' } }),
    { card: shownCard, attachment: { id: attachment.id, name: 'flyer.pdf' } },
  ],
])('of %j any activity tells what it is about', (given, expected) => {
  const { type } =
    typeof given === 'string'
      ? (kinds.find(([kind]) => kind === given)?.[1] ?? { type: '' })
      : (given as { type: string });
  expect(about(given)).toEqual({ ...common(type), ...expected });
});

test.each([
  ['a move within a list', 'moved “Print flyers” within “To do”'],
  ['a due date met', 'marked the due date of “Print flyers” as met'],
  ['a cover from an attachment', 'changed the cover of “Print flyers”'],
  ['bringing back', 'brought back “Print flyers”'],
  ['updateList', 'archived the list “To do”'],
  ['updateBoard', 'reopened the board “Launch”'],
  ['updateCheckItemStateOnCard', 'marked the item “Proofread” on “Print flyers” as done'],
])('of %s one line says that it %s', (kind, line) => {
  const delivery = kinds.find(([each]) => each === kind)?.[1];
  const trigger = board.triggers.find(({ name }) => name === 'new_board_activity') as WebhookTrigger;
  expect(trigger.summaryOf(trigger.delivery.parse(delivery))).toBe(`Ada Marsh ${line}`);
});
