import type { Actor, Board, Card, Cover, Label, List, Member } from '../model.ts';
import { insertByPos, type Place, posFor, takeOut } from '../positions.ts';
import { coded, notFound } from '../refusal.ts';
import type { World } from '../world.ts';
import { addLabelToCard, addMemberToCard, removeLabelFromCard, removeMemberFromCard } from './card-parts.ts';
import { copyCardParts, type KeepFromSource } from './copy-card.ts';
import { moveCardToBoard } from './move-card.ts';
import { cardRef, listRef, notify, record } from './record.ts';

export const boardOf = (world: World, { idBoard }: { idBoard: string }): Board => {
  const board = world.boards.get(idBoard);
  if (!board) throw notFound();
  return board;
};

export const listOf = (world: World, { idList }: { idList: string }): List => {
  const list = world.lists.get(idList);
  if (!list) throw notFound();
  return list;
};

export const openCardsPerList = 5000;

export type NewCard = {
  name?: string;
  desc?: string;
  pos?: Place;
  due?: string | null;
  dueComplete?: boolean;
  dueReminder?: number | null;
  start?: string | null;
  idLabels?: string[];
  idMembers?: string[];
  address?: string | null;
  locationName?: string | null;
  coordinates?: string | null;
  cardRole?: string | null;
  source?: Card;
  keepFromSource?: KeepFromSource;
};

const noCover = (): Cover => ({
  idAttachment: null,
  color: null,
  idUploadedBackground: null,
  size: 'normal',
  brightness: 'dark',
  idPlugin: null,
});

const tooManyCards = (list: List, open: number): void => {
  if (open >= openCardsPerList) throw coded(403, `List ${list.id} has reached its limit of open cards`, 'LIST_LIMIT');
};

export const createCard = (world: World, actor: Actor, list: List, wanted: NewCard): Card => {
  const board = boardOf(world, list);
  const { source } = wanted;
  const siblings = world.cardsOf.get(list.id) ?? [];
  tooManyCards(list, world.limitsOff ? 0 : siblings.length);
  const card: Card = {
    ...world.idAndShortLink(),
    idShort: ++board.cardsMade,
    idBoard: board.id,
    idList: list.id,
    name: wanted.name ?? source?.name ?? '',
    desc: wanted.desc ?? source?.desc ?? '',
    closed: false,
    pos: posFor(siblings, wanted.pos ?? 'bottom'),
    due: wanted.due ?? null,
    dueComplete: wanted.dueComplete ?? false,
    dueReminder: wanted.dueReminder ?? null,
    start: wanted.start ?? null,
    idLabels: wanted.idLabels ?? [],
    idMembers: [],
    idMembersVoted: [],
    idChecklists: [],
    attachments: [],
    idAttachmentCover: null,
    manualCoverAttachment: false,
    cover: noCover(),
    subscribers: [],
    dateLastActivity: world.date(),
    comments: 0,
    address: wanted.address ?? null,
    locationName: wanted.locationName ?? null,
    coordinates: wanted.coordinates ?? null,
    cardRole: wanted.cardRole ?? null,
  };
  world.addCard(card);
  const keep = wanted.keepFromSource ?? 'all';
  if (source && card.due === null && keeps(keep, 'due')) card.due = source.due;

  // The service records the due date before the creation itself.
  if (card.due !== null) {
    const about = { board, card, lists: [list] };
    record(world, actor, 'updateCard', about, {
      old: { due: null },
      card: { ...cardRef(card), due: card.due },
      list: listRef(list),
    });
  }
  if (source) copyCardParts(world, actor, source, card, keep);
  for (const id of wanted.idMembers ?? []) addMemberToCard(world, actor, card, world.members.get(id) as Member);
  if (source) {
    record(
      world,
      actor,
      'copyCard',
      { board, card, lists: [list] },
      {
        card: cardRef(card),
        list: listRef(list),
        cardSource: cardRef(source),
      },
    );
    for (const id of card.idMembers) {
      addMemberToCard(world, actor, card, world.members.get(id) as Member, { fromCopy: true });
    }
  } else {
    const action = record(
      world,
      actor,
      'createCard',
      { board, card, lists: [list] },
      {
        card: cardRef(card),
        list: listRef(list),
      },
    );
    notify(world, action, [...board.subscribers, ...list.subscribers], 'createdCard', action.data);
  }
  return card;
};

const keeps = (keep: KeepFromSource, part: string): boolean => keep === 'all' || keep.includes(part);

export type CardChanges = Partial<
  Pick<
    Card,
    | 'name'
    | 'desc'
    | 'closed'
    | 'due'
    | 'start'
    | 'dueComplete'
    | 'dueReminder'
    | 'idAttachmentCover'
    | 'address'
    | 'locationName'
    | 'coordinates'
    | 'cardRole'
  >
> & {
  cover?: Partial<Cover>;
  pos?: Place;
  list?: List;
  board?: Board;
  labels?: Label[];
  members?: Member[];
  subscribed?: boolean;
};

const plainFields = [
  'name',
  'desc',
  'closed',
  'start',
  'due',
  'dueComplete',
  'dueReminder',
  'idAttachmentCover',
  'address',
  'locationName',
  'coordinates',
  'cardRole',
] as const;

const setField = <K extends (typeof plainFields)[number]>(card: Card, field: K, value: Card[K]): Card[K] => {
  const before = card[field];
  card[field] = value;
  return before;
};

/** Applies every change first, then records one action per changed field. */
export const updateCard = (world: World, actor: Actor, card: Card, changes: CardChanges): Card => {
  const told: (() => void)[] = [];
  const tell = (old: Record<string, unknown>, now: Record<string, unknown>): void => {
    told.push(() => {
      const list = listOf(world, card);
      const action = record(
        world,
        actor,
        'updateCard',
        { board: boardOf(world, card), card, lists: [list] },
        {
          old,
          card: { ...cardRef(card), ...now },
          list: listRef(list),
        },
      );
      if (!('pos' in old)) notify(world, action, [...card.idMembers, ...card.subscribers], 'changeCard', action.data);
    });
  };

  for (const field of plainFields) {
    const value = changes[field];
    if (value === undefined || value === card[field]) continue;
    const before = setField(card, field, value as never);
    tell({ [field]: before }, { [field]: value });
    if (field === 'idAttachmentCover') {
      card.manualCoverAttachment = value !== null;
      card.cover = { ...card.cover, idAttachment: value as string | null };
    }
  }
  if (changes.cover) {
    const before = card.cover;
    card.cover = { ...before, ...changes.cover };
    if (JSON.stringify(before) !== JSON.stringify(card.cover)) tell({ cover: before }, { cover: card.cover });
  }
  if (changes.subscribed !== undefined) {
    card.subscribers = card.subscribers.filter((id) => id !== actor.member.id);
    if (changes.subscribed) card.subscribers.push(actor.member.id);
  }
  moveCard(world, actor, card, changes, tell, told);
  world.revision += 1;
  for (const tellOne of told) tellOne();

  if (changes.labels) {
    const wanted = new Set(changes.labels.map(({ id }) => id));
    for (const id of card.idLabels) if (!wanted.has(id)) removeLabelFromCard(world, actor, card, id);
    for (const label of changes.labels)
      if (!card.idLabels.includes(label.id)) addLabelToCard(world, actor, card, label);
  }
  if (changes.members) {
    const wanted = new Set(changes.members.map(({ id }) => id));
    for (const id of card.idMembers) if (!wanted.has(id)) removeMemberFromCard(world, actor, card, id);
    for (const one of changes.members) if (!card.idMembers.includes(one.id)) addMemberToCard(world, actor, card, one);
  }
  return card;
};

const moveCard = (
  world: World,
  actor: Actor,
  card: Card,
  { list, board, pos }: CardChanges,
  tell: (old: Record<string, unknown>, now: Record<string, unknown>) => void,
  told: (() => void)[],
): void => {
  const target =
    list ?? (board && board.id !== card.idBoard ? world.listsIn(board.id).find((l) => !l.closed) : undefined);
  if (board && board.id !== card.idBoard && !target) throw coded(400, 'Board must have a list on it', 'NO_LISTS');
  const before = listOf(world, card);
  const after = target ?? before;
  if (after === before && pos === undefined) return;

  const oldPos = card.pos;
  takeOut(world.cardsOf.get(before.id) ?? [], card);
  const siblings = world.cardsOf.get(after.id) ?? [];
  card.pos = posFor(siblings, pos ?? 'bottom');
  card.idList = after.id;
  insertByPos(siblings, card);
  if (after === before) {
    if (card.pos !== oldPos) tell({ pos: oldPos }, { pos: card.pos });
  } else if (after.idBoard !== before.idBoard) {
    told.push(...moveCardToBoard(world, actor, card, before, after));
  } else {
    told.push(() => {
      const about = { board: boardOf(world, card), card, lists: [before, after] };
      const action = record(world, actor, 'updateCard', about, {
        old: { idList: before.id },
        card: { ...cardRef(card), idList: after.id },
        listBefore: listRef(before),
        listAfter: listRef(after),
      });
      notify(world, action, [...card.idMembers, ...card.subscribers], 'changeCard', action.data);
    });
  }
};

export const deleteCard = (world: World, actor: Actor, card: Card): void => {
  const list = listOf(world, card);
  takeOut(world.cardsOf.get(list.id) ?? [], card);
  world.cards.delete(card.id);
  world.byShortLink.delete(card.shortLink);
  for (const id of card.idChecklists) world.checklists.delete(id);
  for (const { id } of card.attachments) world.files.delete(id);
  // The payload has no name: whoever hears of it can no longer look the card up.
  record(
    world,
    actor,
    'deleteCard',
    { board: boardOf(world, card), card, lists: [list] },
    {
      card: { id: card.id, idShort: card.idShort, shortLink: card.shortLink },
      list: listRef(list),
    },
  );
};
