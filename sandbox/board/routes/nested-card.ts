import type { Call } from '../call.ts';
import type { Card } from '../model.ts';
import { checklistsOf } from '../operations/checklists.ts';
import { boardBasics, boardShape, memberBasics, showMember } from '../views/boards.ts';
import { attachmentShape, checklistShape, listShape } from '../views/cards.ts';
import { parseFields, show } from '../views/fields.ts';
import { customFieldItemsOf } from './custom-fields.ts';
import { feed } from './feed.ts';

const wanted = (value: unknown): boolean => value === 'true' || value === true || value === 'all';

/** What is asked along with a card: `members=true&member_fields=…` and the like. */
export const nestedInCard = (call: Call, card: Card): Record<string, unknown> => {
  const { input, viewer, world } = call;
  const nested: Record<string, unknown> = {};
  const { idBoard, idList } = card;
  if (wanted(input.raw('board'))) {
    const board = world.boards.get(idBoard);
    if (board) nested['board'] = show(boardShape, board, parseFields(input.raw('board_fields'), boardBasics), viewer);
  }
  if (wanted(input.raw('list'))) {
    const list = world.lists.get(idList);
    if (list) nested['list'] = show(listShape, list, parseFields(input.raw('list_fields'), 'all'), viewer);
  }
  const people = (ids: string[], fields: string) =>
    ids
      .map((id) => world.members.get(id))
      .filter((member) => member !== undefined)
      .map((member) => showMember(member, parseFields(input.raw(fields), memberBasics), viewer));
  if (wanted(input.raw('members'))) nested['members'] = people(card.idMembers, 'member_fields');
  if (wanted(input.raw('membersVoted'))) nested['membersVoted'] = people(card.idMembersVoted, 'memberVoted_fields');
  if (wanted(input.raw('checklists'))) {
    const fields = parseFields(input.raw('checklist_fields'), 'all');
    nested['checklists'] = checklistsOf(world, card).map((checklist) =>
      show(checklistShape, checklist, fields, viewer),
    );
  }
  const attachments = input.raw('attachments');
  if (wanted(attachments) || attachments === 'cover') {
    const fields = parseFields(input.raw('attachment_fields'), 'all');
    nested['attachments'] = card.attachments
      .filter(({ id }) => attachments !== 'cover' || id === card.idAttachmentCover)
      .map((attachment) => show(attachmentShape, attachment, fields, viewer));
  }
  if (wanted(input.raw('stickers'))) nested['stickers'] = [];
  if (wanted(input.raw('customFieldItems'))) nested['customFieldItems'] = customFieldItemsOf(call.world, card.id);
  if (wanted(input.raw('pluginData'))) nested['pluginData'] = [];
  const actions = input.raw('actions');
  if (typeof actions === 'string' && actions !== '' && actions !== 'none' && actions !== 'false') {
    nested['actions'] = feed(call, card.id, { filter: actions === 'true' ? 'all' : actions, prefix: 'actions_' });
  }
  return nested;
};
