export const id = (n: number): string => `65a1f0c2e4b0a1b2c3d4e5${n.toString(16).padStart(2, '0')}`;
export const ada = { id: id(1), username: 'ada', fullName: 'Ada Marsh' };
export const ben = { id: id(2), username: 'ben', fullName: 'Ben Ito' };
export const launch = { id: id(3), name: 'Launch', shortLink: 'bOaRd123' };
export const other = { id: id(4), name: 'Other', shortLink: 'oThEr123' };
export const todo = { id: id(5), name: 'To do' };
export const doing = { id: id(6), name: 'Doing' };
// Made long before what happens to it.
export const card = { id: '55a1f0c2e4b0a1b2c3d4e510', name: 'Print flyers', idShort: 3, shortLink: 'aBcD1234' };
export const label = { id: id(8), name: 'Urgent', color: 'red' };
export const checklist = { id: id(9), name: 'Before printing' };
export const checkItem = { id: id(10), name: 'Proofread', state: 'complete' };
export const attachment = { id: id(11), name: 'flyer.pdf', url: 'https://example.com/flyer.pdf' };
const comment = { id: id(12), text: 'Hello' };

export const action = (type: string, data: object, more: object = {}) => ({
  id: id(64),
  idMemberCreator: ada.id,
  memberCreator: ada,
  type,
  date: '2024-01-13T02:08:02.123Z',
  data: { board: launch, ...data },
  ...more,
});

const changed = (field: string, from: unknown, to: unknown) =>
  action('updateCard', { card: { ...card, [field]: to }, old: { [field]: from }, list: todo });

/** Every kind of action that the service is known to tell of, and what fires on it beside the triggers on any activity. */
export const kinds: readonly [string, ReturnType<typeof action>, readonly string[]][] = [
  ['createCard', action('createCard', { card, list: todo }), ['new_card']],
  ['copyCard', action('copyCard', { card, list: todo, cardSource: card }), ['new_card']],
  [
    'convertToCardFromCheckItem',
    action('convertToCardFromCheckItem', { card, list: todo, cardSource: card, checklist }),
    ['new_card'],
  ],
  ['emailCard', action('emailCard', { card, list: todo }), ['new_card']],
  ['moveInboxCardToBoard', action('moveInboxCardToBoard', { card, list: todo }), ['new_card']],
  ['createInboxCard', action('createInboxCard', { card, list: todo }), []],
  [
    'moveCardToBoard',
    action('moveCardToBoard', { card, list: todo, boardSource: other }),
    ['card_moved', 'card_updated'],
  ],
  ['moveCardFromBoard', action('moveCardFromBoard', { card, list: todo, boardTarget: other }), []],
  [
    'a move between lists',
    action('updateCard', { card, old: { idList: todo.id }, listBefore: todo, listAfter: doing }),
    ['card_moved', 'card_updated'],
  ],
  [
    'a move within a list',
    action('updateCard', { card, old: { idList: todo.id }, listBefore: todo, listAfter: todo }),
    ['card_updated'],
  ],
  ['a reorder', changed('pos', 1, 2), ['card_updated']],
  ['archiving', changed('closed', false, true), ['card_archived', 'card_updated']],
  ['bringing back', changed('closed', true, false), ['card_updated']],
  ['a new due date', changed('due', null, '2026-12-01T09:00:00.000Z'), ['card_updated']],
  ['a due date met', changed('dueComplete', false, true), ['card_updated']],
  ['a new name', changed('name', 'A', 'B'), ['card_updated']],
  ['a new description', changed('desc', 'A', 'B'), ['card_updated']],
  ['a new start', changed('start', null, '2026-12-01T09:00:00.000Z'), ['card_updated']],
  ['a new cover', changed('cover', { color: null }, { color: 'red' }), ['card_updated']],
  ['a cover from an attachment', changed('idAttachmentCover', null, attachment.id), ['card_updated']],
  ['deleteCard', action('deleteCard', { card: { id: card.id, shortLink: card.shortLink }, list: todo }), []],
  ['commentCard', action('commentCard', { card, list: todo, text: 'Hello' }), ['new_comment']],
  ['copyCommentCard', action('copyCommentCard', { card, list: todo, text: 'Hello' }), []],
  ['updateComment', action('updateComment', { card, action: comment, old: { text: 'x' } }), []],
  ['deleteComment', action('deleteComment', { card, action: { id: comment.id } }), []],
  [
    'addMemberToCard',
    action('addMemberToCard', { card, idMember: ben.id, member: { id: ben.id, name: ben.fullName } }, { member: ben }),
    ['card_updated', 'new_member_on_card'],
  ],
  [
    'addMemberToCard from a copy',
    action('addMemberToCard', { card, idMember: ben.id, fromCopy: true }, { member: ben }),
    [],
  ],
  [
    'removeMemberFromCard',
    action('removeMemberFromCard', { card, idMember: ben.id, deactivated: false }, { member: ben }),
    ['card_updated'],
  ],
  ['createLabel', action('createLabel', { label }), ['new_label']],
  ['updateLabel', action('updateLabel', { label, old: { name: 'x' } }), []],
  ['deleteLabel', action('deleteLabel', { label: { id: label.id } }), []],
  [
    'addLabelToCard',
    action('addLabelToCard', { card, label, text: 'Urgent', value: 'red' }),
    ['card_updated', 'label_added_to_card'],
  ],
  ['removeLabelFromCard', action('removeLabelFromCard', { card, label, text: 'Urgent' }), ['card_updated']],
  ['addChecklistToCard', action('addChecklistToCard', { card, checklist }), ['card_updated', 'new_checklist']],
  ['removeChecklistFromCard', action('removeChecklistFromCard', { card, checklist }), ['card_updated']],
  ['copyChecklist', action('copyChecklist', { checklist, checklistSource: checklist }), []],
  ['updateChecklist', action('updateChecklist', { card, checklist, old: { name: 'x' } }), []],
  ['createCheckItem', action('createCheckItem', { card, checklist, checkItem }), []],
  ['updateCheckItem', action('updateCheckItem', { card, checklist, checkItem, old: { name: 'x' } }), []],
  ['deleteCheckItem', action('deleteCheckItem', { card, checklist, checkItem }), []],
  ['updateCheckItemStateOnCard', action('updateCheckItemStateOnCard', { card, checklist, checkItem }), []],
  ['addAttachmentToCard', action('addAttachmentToCard', { card, attachment }), ['card_updated', 'new_attachment']],
  ['deleteAttachmentFromCard', action('deleteAttachmentFromCard', { card, attachment }), ['card_updated']],
  [
    'updateCustomFieldItem',
    action('updateCustomFieldItem', {
      card,
      customField: { id: id(20), name: 'Cost' },
      customFieldItem: { id: id(21), value: { number: '5' } },
      old: { value: null },
    }),
    ['card_updated'],
  ],
  ['createList', action('createList', { list: todo }), []],
  ['updateList', action('updateList', { list: { ...todo, closed: true }, old: { closed: false } }), []],
  ['moveListToBoard', action('moveListToBoard', { list: todo, boardSource: other }), []],
  ['moveListFromBoard', action('moveListFromBoard', { list: todo, boardTarget: other }), []],
  ['createBoard', action('createBoard', {}), ['new_board']],
  ['copyBoard', action('copyBoard', { boardSource: { id: other.id } }), ['new_board']],
  ['updateBoard', action('updateBoard', { board: { ...launch, closed: false }, old: { closed: true } }), []],
  ['addToOrganizationBoard', action('addToOrganizationBoard', { organization: { id: id(30), name: 'us' } }), []],
  [
    'addMemberToBoard',
    action('addMemberToBoard', { idMemberAdded: ben.id, memberType: 'normal' }, { member: ben }),
    [],
  ],
  ['voteOnCard', action('voteOnCard', { card, voted: true }), []],
];
