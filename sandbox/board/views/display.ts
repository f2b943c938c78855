import type { Action } from '../model.ts';
import type { Viewer } from './fields.ts';

const fixed: Record<string, string> = {
  createCard: 'action_create_card',
  copyCard: 'action_copy_card',
  convertToCardFromCheckItem: 'action_convert_to_card_from_checkitem',
  emailCard: 'action_email_card',
  moveCardToBoard: 'action_move_card_to_board',
  moveCardFromBoard: 'action_move_card_from_board',
  deleteCard: 'action_delete_card',
  commentCard: 'action_comment_on_card',
  addLabelToCard: 'action_add_label_to_card',
  removeLabelFromCard: 'action_remove_label_from_card',
  addChecklistToCard: 'action_add_checklist_to_card',
  removeChecklistFromCard: 'action_remove_checklist_from_card',
  addAttachmentToCard: 'action_add_attachment_to_card',
  deleteAttachmentFromCard: 'action_delete_attachment_from_card',
  createList: 'action_added_list_to_board',
  moveListToBoard: 'action_move_list_to_board',
  moveListFromBoard: 'action_move_list_from_board',
  createBoard: 'action_create_board',
  copyBoard: 'action_copy_board',
  addToOrganizationBoard: 'action_add_to_organization_board',
  removeFromOrganizationBoard: 'action_remove_from_organization_board',
  addMemberToBoard: 'action_added_member_to_board',
  removeMemberFromBoard: 'action_removed_from_board',
  updateCustomFieldItem: 'action_update_custom_field_item',
};

type Part = Record<string, unknown>;
const part = (value: unknown): Part => (typeof value === 'object' && value !== null ? { ...value } : {});

const updateCardKey = (card: Part, old: Part): string => {
  if ('idList' in old) return 'action_move_card_from_list_to_list';
  if ('closed' in old) return card['closed'] ? 'action_archived_card' : 'action_sent_card_to_board';
  if ('due' in old) {
    if (old['due'] === null) return 'action_added_a_due_date';
    return card['due'] === null ? 'action_removed_a_due_date' : 'action_changed_a_due_date';
  }
  if ('dueComplete' in old) {
    return card['dueComplete'] ? 'action_marked_the_due_date_complete' : 'action_marked_the_due_date_incomplete';
  }
  if ('name' in old) return 'action_renamed_card';
  if ('desc' in old) return 'action_changed_description_of_card';
  if ('pos' in old)
    return Number(card['pos']) < Number(old['pos']) ? 'action_moved_card_higher' : 'action_moved_card_lower';
  return 'unknown';
};

const updateListKey = (list: Part, old: Part): string => {
  if ('closed' in old) return list['closed'] ? 'action_archived_list' : 'action_sent_list_to_board';
  if ('name' in old) return 'action_renamed_list';
  return 'unknown';
};

const translationKey = ({ type, data, idMember, idMemberCreator }: Action): string => {
  const self = idMember === idMemberCreator;
  const old = part(data['old']);
  switch (type) {
    case 'updateCard':
      return updateCardKey(part(data['card']), old);
    case 'updateList':
      return updateListKey(part(data['list']), old);
    case 'addMemberToCard':
      return self ? 'action_member_joined_card' : 'action_added_member_to_card';
    case 'removeMemberFromCard':
      return self ? 'action_member_left_card' : 'action_removed_member_from_card';
    case 'updateCheckItemStateOnCard':
      return part(data['checkItem'])['state'] === 'complete'
        ? 'action_completed_checkitem'
        : 'action_marked_checkitem_incomplete';
    case 'updateBoard':
      if ('closed' in old) return part(data['board'])['closed'] ? 'action_closed_board' : 'action_reopened_board';
      return 'name' in old ? 'action_renamed_board' : 'unknown';
    default:
      return fixed[type] ?? 'unknown';
  }
};

const named = (type: string, value: Part, hideIfContext = false): Part => ({
  type,
  ...(hideIfContext ? { hideIfContext } : {}),
  id: value['id'],
  ...(value['shortLink'] === undefined ? {} : { shortLink: value['shortLink'] }),
  text: value['name'] ?? value['id'],
});

/** How the service's own pages would word an action: a key for the sentence, and what goes into it. */
export const displayOf = (action: Action, { world }: Viewer): { translationKey: string; entities: Part } => {
  const { data } = action;
  const entities: Part = {};
  if (data['card']) {
    entities['card'] = named('card', part(data['card']), action.type === 'commentCard');
    const card = part(data['card']);
    for (const field of ['due', 'closed', 'desc', 'idList', 'pos', 'dueComplete']) {
      if (field in part(data['old']) && field in card)
        entities['card'] = { ...part(entities['card']), [field]: card[field] };
    }
  }
  for (const name of ['list', 'listBefore', 'listAfter', 'board', 'boardSource', 'boardTarget'] as const) {
    if (data[name]) entities[name] = named(name.startsWith('list') ? 'list' : 'board', part(data[name]));
  }
  if (data['checklist']) entities['checklist'] = named('checklist', part(data['checklist']));
  if (data['checkItem'])
    entities['checkitem'] = { ...named('checkItem', part(data['checkItem'])), state: part(data['checkItem'])['state'] };
  if (data['label'])
    entities['label'] = { ...named('label', part(data['label'])), color: part(data['label'])['color'] ?? null };
  if (data['attachment']) {
    const { id, name, url } = part(data['attachment']);
    entities['attachment'] = {
      type: 'attachment',
      id,
      link: url !== undefined,
      text: name,
      ...(url === undefined ? {} : { url }),
    };
  }
  if (typeof data['text'] === 'string' && action.type === 'commentCard') {
    entities['contextOn'] = {
      type: 'translatable',
      translationKey: 'action_on',
      hideIfContext: true,
      idContext: action.idCard,
    };
    entities['comment'] = { type: 'comment', text: data['text'] };
  }
  const person = (id: string | null): Part | undefined => {
    const member = world.members.get(id ?? '');
    return member && { type: 'member', id: member.id, username: member.username, text: member.fullName };
  };
  if (action.idMember) entities['member'] = person(action.idMember) ?? {};
  const creator = person(action.idMemberCreator);
  if (creator) entities['memberCreator'] = creator;
  return { translationKey: translationKey(action), entities };
};
