import type { Actor, Card, CheckItem, Checklist } from '../model.ts';
import { insertByPos, type Place, posFor, takeOut } from '../positions.ts';
import { coded } from '../refusal.ts';
import type { World } from '../world.ts';
import { cardRef, record } from './record.ts';

const itemsPerChecklist = 200;
const checklistsPerCard = 500;

const ref = ({ id, name }: Checklist) => ({ id, name });
const itemRef = ({ id, name, state }: CheckItem) => ({ id, name, state, textData: { emoji: {} } });

export const cardOfChecklist = (world: World, checklist: Checklist): Card => world.cards.get(checklist.idCard) as Card;

const place = (world: World, card: Card) => {
  const list = world.lists.get(card.idList);
  return { board: world.boards.get(card.idBoard), card, lists: list ? [list] : [] };
};

export const checklistsOf = (world: World, card: Card): Checklist[] =>
  card.idChecklists.map((id) => world.checklists.get(id)).filter((checklist) => checklist !== undefined);

const sortOnCard = (world: World, card: Card): void => {
  const sorted = checklistsOf(world, card).toSorted((a, b) => a.pos - b.pos || (a.id < b.id ? -1 : 1));
  card.idChecklists = sorted.map(({ id }) => id);
};

export const addChecklist = (
  world: World,
  actor: Actor,
  card: Card,
  { name = 'Checklist', pos = 'bottom' }: { name?: string; pos?: Place },
): Checklist => {
  if (card.idChecklists.length >= checklistsPerCard) throw coded(403, 'Card has reached its limit of checklists');
  const checklist: Checklist = {
    id: world.id(),
    name,
    idBoard: card.idBoard,
    idCard: card.id,
    pos: posFor(checklistsOf(world, card), pos),
    checkItems: [],
  };
  world.checklists.set(checklist.id, checklist);
  card.idChecklists.push(checklist.id);
  sortOnCard(world, card);
  record(world, actor, 'addChecklistToCard', place(world, card), { card: cardRef(card), checklist: ref(checklist) });
  return checklist;
};

/** Copied items start incomplete, unless the whole card is being copied. */
export const copyChecklist = (
  world: World,
  actor: Actor,
  card: Card,
  source: Checklist,
  { name, pos, keepStates = false }: { name?: string; pos?: Place; keepStates?: boolean } = {},
): Checklist => {
  const checklist = addChecklist(world, actor, card, {
    name: name ?? source.name,
    ...(pos === undefined ? {} : { pos }),
  });
  checklist.checkItems = source.checkItems.map((item) => ({
    ...item,
    id: world.id(),
    idChecklist: checklist.id,
    state: keepStates ? item.state : 'incomplete',
  }));
  const { board, lists } = place(world, card);
  record(
    world,
    actor,
    'copyChecklist',
    { board, card, lists },
    {
      checklist: ref(checklist),
      checklistSource: ref(source),
    },
  );
  return checklist;
};

export const updateChecklist = (
  world: World,
  actor: Actor,
  checklist: Checklist,
  changes: { name?: string; pos?: Place },
): Checklist => {
  const card = cardOfChecklist(world, checklist);
  if (changes.name !== undefined && changes.name !== checklist.name) {
    const old = { name: checklist.name };
    checklist.name = changes.name;
    const data = { old, checklist: ref(checklist), card: cardRef(card) };
    record(world, actor, 'updateChecklist', place(world, card), data);
  }
  if (changes.pos !== undefined) {
    checklist.pos = posFor(
      checklistsOf(world, card).filter((other) => other !== checklist),
      changes.pos,
    );
    sortOnCard(world, card);
    world.revision += 1;
  }
  return checklist;
};

export const deleteChecklist = (world: World, actor: Actor, checklist: Checklist): void => {
  const card = cardOfChecklist(world, checklist);
  world.checklists.delete(checklist.id);
  card.idChecklists = card.idChecklists.filter((id) => id !== checklist.id);
  const data = { card: cardRef(card), checklist: ref(checklist) };
  record(world, actor, 'removeChecklistFromCard', place(world, card), data);
};

export type NewCheckItem = {
  name: string;
  pos?: Place;
  checked?: boolean;
  due?: string | null;
  dueReminder?: number | null;
  idMember?: string | null;
};

export const addCheckItem = (world: World, actor: Actor, checklist: Checklist, wanted: NewCheckItem): CheckItem => {
  if (checklist.checkItems.length >= itemsPerChecklist) throw coded(403, 'Checklist has reached its limit of items');
  const card = cardOfChecklist(world, checklist);
  const item: CheckItem = {
    id: world.id(),
    idChecklist: checklist.id,
    name: wanted.name,
    pos: posFor(checklist.checkItems, wanted.pos ?? 'bottom'),
    state: wanted.checked ? 'complete' : 'incomplete',
    due: wanted.due ?? null,
    dueReminder: wanted.dueReminder ?? null,
    idMember: wanted.idMember ?? null,
  };
  insertByPos(checklist.checkItems, item);
  const data = { card: cardRef(card), checklist: ref(checklist), checkItem: itemRef(item) };
  record(world, actor, 'createCheckItem', place(world, card), data);
  return item;
};

export type CheckItemChanges = Partial<Pick<CheckItem, 'name' | 'state' | 'due' | 'dueReminder' | 'idMember'>> & {
  pos?: Place;
  checklist?: Checklist;
};

export const updateCheckItem = (
  world: World,
  actor: Actor,
  checklist: Checklist,
  item: CheckItem,
  changes: CheckItemChanges,
): CheckItem => {
  const card = cardOfChecklist(world, checklist);
  const home = changes.checklist ?? checklist;
  if (home !== checklist || changes.pos !== undefined) {
    takeOut(checklist.checkItems, item);
    item.idChecklist = home.id;
    item.pos = posFor(home.checkItems, changes.pos ?? 'bottom');
    insertByPos(home.checkItems, item);
    world.revision += 1;
  }
  const data = (old?: Record<string, unknown>) => ({
    card: cardRef(card),
    checklist: ref(home),
    checkItem: itemRef(item),
    ...(old ? { old } : {}),
  });
  for (const field of ['name', 'due', 'dueReminder', 'idMember'] as const) {
    const value = changes[field];
    if (value === undefined || value === item[field]) continue;
    const old = { [field]: item[field] };
    Object.assign(item, { [field]: value });
    record(world, actor, 'updateCheckItem', place(world, card), data(old));
  }
  if (changes.state !== undefined && changes.state !== item.state) {
    item.state = changes.state;
    record(world, actor, 'updateCheckItemStateOnCard', place(world, card), data());
  }
  return item;
};

export const deleteCheckItem = (world: World, actor: Actor, checklist: Checklist, item: CheckItem): void => {
  const card = cardOfChecklist(world, checklist);
  takeOut(checklist.checkItems, item);
  const data = { card: cardRef(card), checklist: ref(checklist), checkItem: itemRef(item) };
  record(world, actor, 'deleteCheckItem', place(world, card), data);
};
