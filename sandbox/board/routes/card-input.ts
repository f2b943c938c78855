import type { Call } from '../call.ts';
import type { Input } from '../input.ts';
import type { Board, Card, Cover, Label, Member } from '../model.ts';
import type { CardChanges, NewCard } from '../operations/cards.ts';
import { coded, invalidObjectId, invalidValue, plain } from '../refusal.ts';
import { labelColors } from '../views/boards.ts';

const most = 16384;

/** Drops what was not given, so that absent and undefined are one. */
export const given = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } => {
  const kept: { [K in keyof T]?: unknown } = {};
  for (const name in values) if (values[name] !== undefined) kept[name] = values[name];
  return kept as never;
};

const unique = (ids: string[], what: string): string[] => {
  if (new Set(ids).size !== ids.length) throw coded(400, `${what} not found`, 'BAD_REQUEST_ERROR');
  return ids;
};

/** Labels of the board itself; duplicates are refused with the same words as unknown ones. */
export const labelsFrom = (call: Call, board: Board, name = 'idLabels'): Label[] | undefined =>
  call.input.ids(name) &&
  unique(call.input.ids(name) ?? [], 'label').map((id) => {
    const label = call.world.labels.get(id);
    if (label?.idBoard !== board.id) throw coded(400, 'label not found', 'BAD_REQUEST_ERROR');
    return label;
  });

export const boardMember = (call: Call, board: Board, id: string): Member => {
  const member = call.world.members.get(id);
  if (!member || !board.memberships.some(({ idMember }) => idMember === id)) {
    throw coded(400, 'member not found', 'BAD_REQUEST_ERROR');
  }
  return member;
};

const membersFrom = (call: Call, board: Board): Member[] | undefined => {
  const ids = call.input.ids('idMembers');
  return ids && unique(ids, 'member').map((id) => boardMember(call, board, id));
};

const reminder = (input: Input): number | null | undefined => {
  const minutes = input.number('dueReminder');
  return minutes === -1 ? null : minutes;
};

const roles = ['separator', 'board', 'mirror', 'link'];
const common = (input: Input) => {
  const cardRole = input.clearable('cardRole');
  if (typeof cardRole === 'string' && !roles.includes(cardRole)) throw invalidValue('cardRole');
  return {
    name: input.limited('name', most),
    desc: input.raw('desc') === null ? '' : input.limited('desc', most),
    pos: input.pos('pos', () => invalidValue('pos')),
    due: input.date('due'),
    start: input.date('start'),
    dueComplete: input.flag('dueComplete'),
    address: input.clearable('address'),
    locationName: input.clearable('locationName'),
    coordinates: coordinates(input.raw('coordinates')),
    cardRole,
  };
};

const coordinates = (value: unknown): string | null | undefined => {
  if (value === undefined) return undefined;
  if (value === null || value === '') return null;
  if (typeof value === 'object') return JSON.stringify(value);
  if (typeof value !== 'string') throw invalidValue('coordinates');
  return value;
};

export const newCardFrom = (call: Call, board: Board): NewCard => {
  const { input } = call;
  const keep = input.text('keepFromSource') ?? 'all';
  const idSource = input.id('idCardSource');
  return given({
    ...common(input),
    idLabels: labelsFrom(call, board)?.map(({ id }) => id),
    idMembers: membersFrom(call, board)?.map(({ id }) => id),
    source: idSource === undefined ? undefined : call.card('read', idSource),
    keepFromSource: keep === 'all' ? ('all' as const) : keep.split(','),
  });
};

/** A cover as JSON object or JSON text; empty or null takes it away. */
const coverFrom = (input: Input): Partial<Cover> | undefined => {
  const value = input.raw('cover');
  if (value === undefined) return undefined;
  const none = { color: null, idAttachment: null };
  if (value === null || value === '') return none;
  const cover: unknown = typeof value === 'string' ? parse(value) : value;
  if (cover === null) return none;
  if (typeof cover !== 'object') throw invalidValue('cover');
  const { color, brightness, size, idAttachment } = cover as Record<string, unknown>;
  const oneOf = (name: string, given: unknown, choices: readonly unknown[]): void => {
    if (given !== undefined && !choices.includes(given)) throw invalidValue(`cover.${name}`);
  };
  oneOf('color', color, [...labelColors, null]);
  oneOf('brightness', brightness, ['light', 'dark']);
  oneOf('size', size, ['normal', 'full']);
  if (idAttachment !== undefined && idAttachment !== null && typeof idAttachment !== 'string') throw invalidObjectId();
  return given({
    color: color as string | null | undefined,
    brightness: brightness as string | undefined,
    size: size as string | undefined,
    idAttachment,
  });
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidValue('cover');
  }
};

export const cardChangesFrom = (call: Call, card: Card): CardChanges => {
  const { input, world } = call;
  if (input.raw('name') === '') throw invalidValue('name');
  const idBoard = input.id('idBoard', () => invalidValue('idBoard'));
  const idList = input.id('idList', () => invalidValue('idList'));
  const list = idList === undefined ? undefined : world.lists.get(idList);
  if (idList !== undefined && !list) throw plain(404, 'could not find the board that the card belongs to');
  if (list && idBoard !== undefined && list.idBoard !== idBoard) throw invalidValue('idList');
  const target = idBoard ?? list?.idBoard ?? card.idBoard;
  const board = call.board('write', target);
  const cover = input.clearable('idAttachmentCover');
  if (typeof cover === 'string' && !card.attachments.some(({ id }) => id === cover))
    throw invalidValue('idAttachmentCover');
  return given({
    ...common(input),
    // Only a card that is there can be given one: POST /cards does not list it.
    dueReminder: reminder(input),
    closed: input.flag('closed'),
    subscribed: input.flag('subscribed'),
    idAttachmentCover: cover,
    cover: coverFrom(input),
    list,
    board: idBoard === undefined ? undefined : board,
    labels: labelsFrom(call, board),
    members: membersFrom(call, board),
  });
};
