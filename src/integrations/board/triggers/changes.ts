import { z } from 'zod';
import { whereDifferent } from '#kit';
import { Change } from '../card-changes.ts';
import { type Acted, ActedLabel, Named } from './action.ts';
import { longestName, shown, shownLabel, small } from './payload.ts';

export type Change = z.output<typeof Change>;
export { Change };

const Fields = z.record(z.string(), z.unknown());

/** Where an action of this type has the new value of what changed. */
const subjects: Readonly<Record<string, string>> = {
  updateCard: 'card',
  updateList: 'list',
  updateBoard: 'board',
  updateLabel: 'label',
  updateChecklist: 'checklist',
  updateCheckItem: 'checkItem',
  updateComment: 'action',
  updateCustomField: 'customField',
};

type Data = Acted['data'];

const updated = (type: string, data: Data): Change[] => {
  const now = Fields.safeParse(data[subjects[type] ?? 'card']).data ?? {};
  return Object.entries(Fields.safeParse(data['old']).data ?? {}).map(([field, before]) => {
    const [from, to] = whereDifferent(before, now[field], longestName).map(small);
    return { field, from, to };
  });
};

const moved = ({ listBefore, listAfter }: Data): Change[] =>
  listBefore === undefined || listAfter === undefined
    ? []
    : [{ field: 'idList', from: shown(listBefore), to: shown(listAfter) }];

/** Parts that come and go: how a type of action changes which field. */
const parts: Readonly<Record<string, { field: string; part: string; comes: boolean }>> = {
  addAttachmentToCard: { field: 'attachments', part: 'attachment', comes: true },
  deleteAttachmentFromCard: { field: 'attachments', part: 'attachment', comes: false },
  addLabelToCard: { field: 'labels', part: 'label', comes: true },
  removeLabelFromCard: { field: 'labels', part: 'label', comes: false },
  addMemberToCard: { field: 'members', part: 'member', comes: true },
  removeMemberFromCard: { field: 'members', part: 'member', comes: false },
  addChecklistToCard: { field: 'checklists', part: 'checklist', comes: true },
  removeChecklistFromCard: { field: 'checklists', part: 'checklist', comes: false },
};

const partOf = (data: Data, part: string): unknown => {
  if (part === 'label') {
    const label = ActedLabel.safeParse(data['label']).data;
    return label === undefined ? null : shownLabel(label);
  }
  const named = Named.safeParse(data[part] ?? { id: data['idMember'] }).data;
  return named === undefined ? null : shown(named);
};

const customField = (data: Data): Change[] => {
  const field = Named.safeParse(data['customField']).data;
  const item = Fields.safeParse(data['customFieldItem']).data ?? {};
  const old = Fields.safeParse(data['old']).data ?? {};
  // A choice is told by the id of its option.
  const value = (given: Record<string, unknown>) => ({
    ...(field === undefined ? {} : shown(field)),
    value: small(given['value'] ?? given['idValue']),
  });
  return [{ field: 'customFields', from: value(old), to: value(item) }];
};

const arrived = (data: Data): Change[] => {
  const source = Named.safeParse(data['boardSource']).data;
  return [{ field: 'idBoard', from: source === undefined ? null : shown(source), to: shown(data.board) }];
};

/** An item has two states: what it was is not told. */
const ticked = (data: Data): Change[] => {
  const { state } = Fields.safeParse(data['checkItem']).data ?? {};
  if (state !== 'complete' && state !== 'incomplete') return [];
  return [{ field: 'state', from: state === 'complete' ? 'incomplete' : 'complete', to: state }];
};

/** What an action changed, in the names of the fields that the configuration uses. */
export const changesOf = ({ type, data }: Pick<Acted, 'type' | 'data'>): Change[] => {
  if (type === 'updateCustomFieldItem') return customField(data);
  if (type === 'moveCardToBoard') return arrived(data);
  if (type === 'updateCheckItemStateOnCard') return ticked(data);
  const part = parts[type];
  if (part !== undefined) {
    const thing = partOf(data, part.part);
    return [{ field: part.field, from: part.comes ? null : thing, to: part.comes ? thing : null }];
  }
  const places = moved(data);
  return places.length > 0 ? places : updated(type, data);
};
