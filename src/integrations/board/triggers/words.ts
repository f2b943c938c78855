import { z } from 'zod';
import { cut } from '../cards.ts';
import { type Acted, actorOf, Named } from './action.ts';
import { changesOf } from './changes.ts';

const longest = 80;

export const quoted = (name: string | undefined, otherwise: string): string =>
  name === undefined || name.trim() === '' ? otherwise : `“${cut(name.replace(/\s+/g, ' ').trim(), longest)}”`;

const nameOf = (value: unknown): string | undefined => Named.safeParse(value).data?.name;
const Colored = z.object({ color: z.string() });

/** Of a label without a name the colour is known to people. */
const labelOf = (value: unknown): string =>
  quoted(nameOf(value), Colored.safeParse(value).data?.color ?? 'without a name');

const list = ({ data }: Acted): string => quoted(data.list?.name, 'a list');
const card = ({ data }: Acted): string => quoted(data.card?.name, 'a card');
const board = ({ data }: Acted): string => quoted(data.board.name, 'a board');
const person = ({ data, member }: Acted): string => member?.fullName ?? nameOf(data['member']) ?? 'a member';
const part =
  (name: string, what: string) =>
  ({ data }: Acted) =>
    `${what} ${quoted(nameOf(data[name]), '')}`.trim();

const attachment = part('attachment', 'the attachment');
const checklist = part('checklist', 'the checklist');
const checkItem = part('checkItem', 'the item');

const state = z.object({ state: z.string() });
const isDone = ({ data }: Acted): boolean => state.safeParse(data['checkItem']).data?.state === 'complete';

const moved = (action: Acted): string | undefined => {
  const { listBefore, listAfter } = action.data;
  if (listBefore === undefined || listAfter === undefined) return undefined;
  const [from, to] = [listBefore, listAfter].map(({ name }) => quoted(name, 'a list'));
  if (listBefore.id === listAfter.id) return `moved ${card(action)} within ${to}`;
  return `moved ${card(action)} from ${from} to ${to}`;
};

const fieldWords: Readonly<Record<string, string>> = {
  name: 'the name',
  desc: 'the description',
  due: 'the due date',
  dueReminder: 'the reminder',
  start: 'the start date',
  pos: 'the position',
  cover: 'the cover',
  idAttachmentCover: 'the cover',
  prefs: 'the settings',
};

const updated =
  (what: (action: Acted) => string, [closed, opened] = ['archived', 'brought back']) =>
  (action: Acted): string => {
    const [change] = changesOf(action);
    if (change?.field === 'closed') return `${change.to === true ? closed : opened} ${what(action)}`;
    if (change?.field === 'dueComplete') {
      return `marked the due date of ${what(action)} as ${change.to === true ? 'met' : 'not met'}`;
    }
    const field = change === undefined ? 'something' : (fieldWords[change.field] ?? change.field);
    return `changed ${field} of ${what(action)}`;
  };

const said: Readonly<Record<string, (action: Acted) => string>> = {
  createCard: (action) => `created ${card(action)} in ${list(action)}`,
  copyCard: (action) => `made ${card(action)} in ${list(action)} as a copy`,
  convertToCardFromCheckItem: (action) => `made ${card(action)} of a checklist item`,
  emailCard: (action) => `created ${card(action)} in ${list(action)} by mail`,
  moveCardToBoard: (action) =>
    `moved ${card(action)} from ${quoted(nameOf(action.data['boardSource']), 'another board')} to ${board(action)}`,
  moveCardFromBoard: (action) =>
    `moved ${card(action)} from ${board(action)} to ${quoted(nameOf(action.data['boardTarget']), 'another board')}`,
  moveInboxCardToBoard: (action) => `moved ${card(action)} from the inbox to ${list(action)}`,
  createInboxCard: (action) => `created ${card(action)} in the inbox`,
  copyInboxCard: (action) => `copied ${card(action)} from the inbox to ${list(action)}`,
  updateCard: (action) => moved(action) ?? updated(card)(action),
  deleteCard: () => 'deleted a card',
  commentCard: (action) => `commented on ${card(action)}`,
  copyCommentCard: (action) => `copied a comment to ${card(action)}`,
  updateComment: (action) => `changed a comment on ${card(action)}`,
  deleteComment: (action) => `deleted a comment on ${card(action)}`,
  voteOnCard: (action) =>
    action.data['voted'] === false ? `took back a vote for ${card(action)}` : `voted for ${card(action)}`,
  updateCustomFieldItem: (action) =>
    `changed ${quoted(nameOf(action.data['customField']), 'a custom field')} of ${card(action)}`,
  addMemberToCard: (action) => `added ${person(action)} to ${card(action)}`,
  removeMemberFromCard: (action) => `removed ${person(action)} from ${card(action)}`,
  createLabel: (action) => `created the label ${labelOf(action.data['label'])}`,
  updateLabel: (action) => `changed the label ${labelOf(action.data['label'])}`,
  deleteLabel: () => 'deleted a label',
  addLabelToCard: (action) => `put the label ${labelOf(action.data['label'])} on ${card(action)}`,
  removeLabelFromCard: (action) => `took the label ${labelOf(action.data['label'])} off ${card(action)}`,
  addChecklistToCard: (action) => `added ${checklist(action)} to ${card(action)}`,
  removeChecklistFromCard: (action) => `removed ${checklist(action)} from ${card(action)}`,
  copyChecklist: (action) => `copied ${checklist(action)}`,
  updateChecklist: (action) => `changed ${checklist(action)} on ${card(action)}`,
  createCheckItem: (action) => `added ${checkItem(action)} on ${card(action)}`,
  updateCheckItem: (action) => `changed ${checkItem(action)} on ${card(action)}`,
  deleteCheckItem: (action) => `deleted ${checkItem(action)} on ${card(action)}`,
  updateCheckItemStateOnCard: (action) =>
    `marked ${checkItem(action)} on ${card(action)} as ${isDone(action) ? 'done' : 'not done'}`,
  addAttachmentToCard: (action) =>
    `attached ${quoted(nameOf(action.data['attachment']), 'something')} to ${card(action)}`,
  deleteAttachmentFromCard: (action) => `removed ${attachment(action)} from ${card(action)}`,
  createList: (action) => `created the list ${list(action)}`,
  updateList: (action) => updated((one) => `the list ${list(one)}`)(action),
  moveListToBoard: (action) =>
    `moved the list ${list(action)} from ${quoted(nameOf(action.data['boardSource']), 'another board')} to ${board(action)}`,
  moveListFromBoard: (action) =>
    `moved the list ${list(action)} from ${board(action)} to ${quoted(nameOf(action.data['boardTarget']), 'another board')}`,
  createBoard: (action) => `created the board ${board(action)}`,
  copyBoard: (action) => `created the board ${board(action)} as a copy`,
  updateBoard: (action) => updated((one) => `the board ${board(one)}`, ['closed', 'reopened'])(action),
  addToOrganizationBoard: (action) =>
    `added ${board(action)} to ${quoted(nameOf(action.data['organization']), 'a workspace')}`,
  removeFromOrganizationBoard: (action) =>
    `removed ${board(action)} from ${quoted(nameOf(action.data['organization']), 'a workspace')}`,
  addMemberToBoard: (action) => `added ${person(action)} to ${board(action)}`,
  removeMemberFromBoard: (action) => `removed ${person(action)} from ${board(action)}`,
};

/** A type that we have no words for, in its own: the service adds types as it likes. */
export const spelled = (type: string): string => type.replace(/\B[A-Z]/g, ' $&').toLowerCase();

/** One plain line about an action. */
export const lineOf = (action: Acted): string => {
  const who = cut(actorOf(action)?.name ?? 'Somebody', longest);
  const line = said[action.type]?.(action);
  return line === undefined ? `${who}: ${cut(spelled(action.type), longest)} on ${board(action)}` : `${who} ${line}`;
};
