import type { Actor, Board, Label, List, Member, Membership } from '../model.ts';
import { insertByPos, type Place, posFor, takeOut } from '../positions.ts';
import { coded } from '../refusal.ts';
import type { World } from '../world.ts';
import { createCard } from './cards.ts';
import { moveListToBoard } from './move-card.ts';
import { listRef, notify, record } from './record.ts';

const labelColors = ['green', 'yellow', 'orange', 'red', 'purple', 'blue'];
const openListsPerBoard = 500;
const labelsPerBoard = 1000;

const basicPrefs = {
  permissionLevel: 'private',
  hideVotes: false,
  voting: 'disabled',
  comments: 'members',
  invitations: 'members',
  selfJoin: true,
  cardCovers: true,
  cardCounts: false,
  isTemplate: false,
  cardAging: 'regular',
  calendarFeedEnabled: false,
  background: 'blue',
  backgroundColor: '#0079BF',
  backgroundImage: null,
  backgroundImageScaled: null,
  backgroundTile: false,
  backgroundBrightness: 'dark',
  backgroundBottomColor: '#0079BF',
  backgroundTopColor: '#0079BF',
  canBePublic: true,
  canBeEnterprise: true,
  canBeOrg: true,
  canBePrivate: true,
  canInvite: true,
};

export type NewBoard = {
  name: string;
  desc?: string;
  idOrganization?: string | null;
  defaultLabels?: boolean;
  defaultLists?: boolean;
  prefs?: Record<string, unknown>;
  source?: Board;
  keepCards?: boolean;
};

export const newMembership = (world: World, member: Member, memberType: Membership['memberType']): Membership => ({
  id: world.id(),
  idMember: member.id,
  memberType,
  unconfirmed: false,
  deactivated: false,
});

export const createBoard = (world: World, actor: Actor, wanted: NewBoard): Board => {
  const { source } = wanted;
  const organization = world.organizations.get(wanted.idOrganization ?? '');
  const board: Board = {
    ...world.idAndShortLink(),
    name: wanted.name,
    desc: wanted.desc ?? source?.desc ?? '',
    closed: false,
    dateClosed: null,
    idOrganization: organization?.id ?? null,
    idMemberCreator: actor.member.id,
    prefs: { ...basicPrefs, ...source?.prefs, ...wanted.prefs },
    memberships: [newMembership(world, actor.member, 'admin')],
    dateLastActivity: world.date(),
    dateLastView: world.date(),
    starredBy: [],
    subscribers: [],
    idLabels: [],
    cardsMade: 0,
    changes: 0,
  };
  world.addBoard(board);
  actor.member.idBoards.push(board.id);
  organization?.idBoards.push(board.id);
  if (source) fillFromSource(world, actor, board, source, wanted.keepCards ?? false);
  else {
    const labels = wanted.defaultLabels === false ? [] : labelColors;
    for (const color of labels) putLabel(world, board, '', color);
    const lists = wanted.defaultLists === false ? [] : ['To Do', 'Doing', 'Done'];
    for (const name of lists) putList(world, board, name, 'bottom');
  }
  const born = source ? { boardSource: { id: source.id } } : {};
  record(world, actor, source ? 'copyBoard' : 'createBoard', { board }, born);
  if (organization) {
    const { id, name } = organization;
    record(world, actor, 'addToOrganizationBoard', { board }, { organization: { id, name } });
  }
  return board;
};

const fillFromSource = (world: World, actor: Actor, board: Board, source: Board, cards: boolean): void => {
  const twin = new Map<string, string>();
  for (const id of source.idLabels) {
    const label = world.labels.get(id);
    if (label) twin.set(id, putLabel(world, board, label.name, label.color).id);
  }
  for (const list of world.listsIn(source.id).filter(({ closed }) => !closed)) {
    const copy = putList(world, board, list.name, list.pos);
    if (!cards) continue;
    for (const card of world.cardsIn(list.id).filter(({ closed }) => !closed)) {
      const idLabels = card.idLabels.map((id) => twin.get(id)).filter((id) => id !== undefined);
      createCard(world, actor, copy, { source: card, pos: card.pos, idLabels, keepFromSource: ['checklists', 'due'] });
    }
  }
};

export const putList = (world: World, board: Board, name: string, pos: Place): List => {
  const list: List = {
    id: world.id(),
    name,
    closed: false,
    idBoard: board.id,
    pos: posFor(world.listsIn(board.id), pos, 'list'),
    color: null,
    subscribers: [],
  };
  world.addList(list);
  return list;
};

export const createList = (
  world: World,
  actor: Actor,
  board: Board,
  { name, pos = 'top', source }: { name: string; pos?: Place; source?: List | undefined },
): List => {
  const open = world.listsIn(board.id).filter(({ closed }) => !closed).length;
  if (open >= openListsPerBoard) throw coded(403, 'Board has reached its limit of open lists');
  const list = putList(world, board, name, pos);
  record(world, actor, 'createList', { board, lists: [list] }, { list: listRef(list) });
  if (source) {
    for (const card of world.cardsIn(source.id).filter(({ closed }) => !closed)) {
      createCard(world, actor, list, { source: card, pos: card.pos });
    }
  }
  return list;
};

export type ListChanges = { name?: string; closed?: boolean; pos?: Place; board?: Board; subscribed?: boolean };

export const updateList = (world: World, actor: Actor, list: List, changes: ListChanges): List => {
  const board = world.boards.get(list.idBoard) as Board;
  const tell = (old: Record<string, unknown>, now: Record<string, unknown>): void => {
    const home = world.boards.get(list.idBoard) as Board;
    record(world, actor, 'updateList', { board: home, lists: [list] }, { old, list: { ...listRef(list), ...now } });
  };
  if (changes.subscribed !== undefined) {
    list.subscribers = list.subscribers.filter((id) => id !== actor.member.id);
    if (changes.subscribed) list.subscribers.push(actor.member.id);
    world.revision += 1;
  }
  const { name, closed, pos } = changes;
  if (name !== undefined && name !== list.name) {
    const old = { name: list.name };
    list.name = name;
    tell(old, { name });
  }
  if (closed !== undefined && closed !== list.closed) {
    // Its cards keep closed=false and get no action of their own.
    list.closed = closed;
    tell({ closed: !closed }, { closed });
  }
  const target = changes.board ?? board;
  if (target !== board || pos !== undefined) {
    const oldPos = list.pos;
    takeOut(world.listsOf.get(board.id) ?? [], list);
    list.idBoard = target.id;
    const siblings = world.listsOf.get(target.id) ?? [];
    list.pos = posFor(siblings, pos ?? 'bottom', 'list');
    insertByPos(siblings, list);
    if (target !== board) moveListToBoard(world, actor, list, board, target);
    else if (oldPos !== list.pos) tell({ pos: oldPos }, { pos: list.pos });
  }
  return list;
};

const putLabel = (world: World, board: Board, name: string, color: string | null): Label => {
  const label: Label = { id: world.id(), idBoard: board.id, name, color };
  world.labels.set(label.id, label);
  board.idLabels.push(label.id);
  return label;
};

const labelRef = ({ id, name, color }: Label) => (color === null ? { id, name } : { id, name, color });

export const createLabel = (world: World, actor: Actor, board: Board, name: string, color: string | null): Label => {
  if (board.idLabels.length >= labelsPerBoard) throw coded(403, 'Board has reached its limit of labels');
  const label = putLabel(world, board, name, color);
  record(world, actor, 'createLabel', { board }, { label: labelRef(label) });
  return label;
};

export const updateLabel = (
  world: World,
  actor: Actor,
  label: Label,
  changes: { name?: string | undefined; color?: string | null | undefined },
): Label => {
  const board = world.boards.get(label.idBoard);
  const { name, color } = changes;
  if (name !== undefined && name !== label.name) {
    const old = { name: label.name };
    label.name = name;
    record(world, actor, 'updateLabel', { board }, { label: labelRef(label), old });
  }
  if (color !== undefined && color !== label.color) {
    const old = { color: label.color };
    label.color = color;
    record(world, actor, 'updateLabel', { board }, { label: labelRef(label), old });
  }
  return label;
};

export const deleteLabel = (world: World, actor: Actor, label: Label): void => {
  const board = world.boards.get(label.idBoard) as Board;
  world.labels.delete(label.id);
  board.idLabels = board.idLabels.filter((id) => id !== label.id);
  for (const list of world.listsIn(board.id)) {
    for (const card of world.cardsIn(list.id)) {
      if (card.idLabels.includes(label.id)) card.idLabels = card.idLabels.filter((id) => id !== label.id);
    }
  }
  record(world, actor, 'deleteLabel', { board }, { label: { id: label.id } });
};

export const addMemberToBoard = (
  world: World,
  actor: Actor,
  board: Board,
  member: Member,
  memberType: Membership['memberType'],
): void => {
  const there = board.memberships.find(({ idMember }) => idMember === member.id);
  if (there) {
    there.memberType = memberType;
    world.revision += 1;
    return;
  }
  board.memberships.push(newMembership(world, member, memberType));
  member.idBoards.push(board.id);
  const data = { idMemberAdded: member.id, memberType };
  const action = record(world, actor, 'addMemberToBoard', { board, member }, data);
  notify(world, action, [member.id], 'addedToBoard', action.data);
};
