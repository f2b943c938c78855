import { z } from 'zod';
import { definePicker, howMany, path } from '#kit';
import { boardIdOf, cardIdOf } from './lookups.ts';
import { namedOneByOne } from './names.ts';
import { BoardRef, CardRef, Checklist, Label, List, Member } from './shapes.ts';
import { actionTypeOptions } from './triggers/action-type.ts';
import { notificationTypeOptions } from './triggers/notification-words.ts';
import { workspacesOf } from './workspaces.ts';

const OfBoard = z.object({ board: BoardRef.describe('Board whose entries are shown.') });
const OfCard = z.object({
  cardId: CardRef.describe('Card whose checklists are shown.'),
  board: BoardRef.optional().describe('Board of the card, when the card is given by name.'),
});

const Board = z.object({
  id: z.string(),
  name: z.string(),
  organization: z.object({ displayName: z.string() }).optional(),
});

const boards = definePicker({
  name: 'boards',
  query: z.object({}),
  options: async (_, { upstream }) => {
    const query = { filter: 'open', fields: 'name', organization: true, organization_fields: 'displayName' };
    const all = z.array(Board).parse(await upstream.get(path`/1/members/me/boards`, { query }));
    return all.map(({ id, name, organization }) => ({ value: id, label: name, hint: organization?.displayName }));
  },
  named: namedOneByOne((id) => path`/1/boards/${id}`, 'name'),
});

const workspaces = definePicker({
  name: 'workspaces',
  query: z.object({}),
  options: async (_, context) =>
    (await workspacesOf(context)).map(({ id, name, displayName = name }) => ({ value: id, label: displayName })),
  named: namedOneByOne((id) => path`/1/organizations/${id}`, 'name,displayName'),
});

const lists = definePicker({
  name: 'lists',
  query: OfBoard,
  options: async ({ board }, context) => {
    const place = path`/1/boards/${await boardIdOf(context, board)}/lists`;
    const query = { filter: 'open', fields: 'name,idBoard,closed,pos' };
    const all = z.array(List).parse(await context.upstream.get(place, { query }));
    return all.toSorted((a, b) => a.pos - b.pos).map(({ id, name }) => ({ value: id, label: name }));
  },
  named: namedOneByOne((id) => path`/1/lists/${id}`, 'name'),
});

const labels = definePicker({
  name: 'labels',
  query: OfBoard,
  options: async ({ board }, context) => {
    const place = path`/1/boards/${await boardIdOf(context, board)}/labels`;
    const all = z
      .array(Label)
      .parse(await context.upstream.get(place, { query: { limit: 1000, fields: 'name,color' } }));
    return all.map(({ id, name, color }) => ({
      value: id,
      label: name === '' ? (color ?? 'no name') : name,
      hint: color ?? undefined,
    }));
  },
  named: namedOneByOne((id) => path`/1/labels/${id}`, 'name,color'),
});

const members = definePicker({
  name: 'members',
  query: OfBoard,
  options: async ({ board }, context) => {
    const place = path`/1/boards/${await boardIdOf(context, board)}/members`;
    const all = z.array(Member).parse(await context.upstream.get(place, { query: { fields: 'username,fullName' } }));
    return all.map(({ id, fullName, username }) => ({ value: id, label: fullName, hint: username }));
  },
  named: namedOneByOne((id) => path`/1/members/${id}`, 'fullName'),
});

const Card = z.object({ id: z.string(), name: z.string(), idList: z.string() });
const Lists = z.array(List.pick({ id: true, name: true }));

const cards = definePicker({
  name: 'cards',
  query: OfBoard,
  options: async ({ board }, context) => {
    const { upstream } = context;
    const idBoard = await boardIdOf(context, board);
    const query = { filter: 'visible', fields: 'name,idList' };
    const all = z.array(Card).parse(await upstream.get(path`/1/boards/${idBoard}/cards`, { query }));
    const homes = Lists.parse(await upstream.get(path`/1/boards/${idBoard}/lists`, { query: { fields: 'name' } }));
    const nameOf = new Map(homes.map(({ id, name }) => [id, name]));
    return all.map(({ id, name, idList }) => ({ value: id, label: name, hint: nameOf.get(idList) }));
  },
  named: namedOneByOne((id) => path`/1/cards/${id}`, 'name'),
});

const checklists = definePicker({
  name: 'checklists',
  query: OfCard,
  options: async ({ cardId, board }, context) => {
    const place = path`/1/cards/${await cardIdOf(context, cardId, board)}/checklists`;
    const all = z.array(Checklist).parse(await context.upstream.get(place));
    return all.map(({ id, name, checkItems }) => ({
      value: id,
      label: name,
      hint: howMany(checkItems.length, ['item', 'items']),
    }));
  },
});

const activityTypes = definePicker({
  name: 'activity_types',
  query: z.object({}),
  options: async () => [...actionTypeOptions],
});

const notificationTypes = definePicker({
  name: 'notification_types',
  query: z.object({}),
  options: async () => [...notificationTypeOptions],
});

export const pickers = [
  boards,
  workspaces,
  lists,
  labels,
  members,
  cards,
  checklists,
  activityTypes,
  notificationTypes,
];
