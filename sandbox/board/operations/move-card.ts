import type { Actor, Board, Card, Label, List } from '../model.ts';
import type { World } from '../world.ts';
import { boardRef, cardRef, listRef, record } from './record.ts';

const sameLabel = (world: World, board: Board, wanted: Label): Label => {
  const there = board.idLabels
    .map((id) => world.labels.get(id))
    .find((label) => label?.name === wanted.name && label.color === wanted.color);
  if (there) return there;
  const label: Label = { id: world.id(), idBoard: board.id, name: wanted.name, color: wanted.color };
  world.labels.set(label.id, label);
  board.idLabels.push(label.id);
  return label;
};

/** Fits a card into another board: a new short number, that board's labels, only its members. */
export const fitCardToBoard = (world: World, card: Card, board: Board): void => {
  card.idBoard = board.id;
  card.idShort = ++board.cardsMade;
  const labels = card.idLabels.map((id) => world.labels.get(id)).filter((label) => label !== undefined);
  card.idLabels = labels.map((label) => sameLabel(world, board, label).id);
  card.idMembers = card.idMembers.filter((id) => board.memberships.some(({ idMember }) => idMember === id));
  for (const id of card.idChecklists) {
    const checklist = world.checklists.get(id);
    if (checklist) checklist.idBoard = board.id;
  }
};

/** The card already sits in its new list; answers what there is to tell once all changes are made. */
export const moveCardToBoard = (world: World, actor: Actor, card: Card, before: List, after: List): (() => void)[] => {
  const source = world.boards.get(before.idBoard) as Board;
  const target = world.boards.get(after.idBoard) as Board;
  fitCardToBoard(world, card, target);
  return [
    () => {
      const { id, name } = card;
      record(
        world,
        actor,
        'moveCardFromBoard',
        { board: source, lists: [before] },
        {
          card: { id, name },
          list: listRef(before),
          boardTarget: { id: target.id, name: target.name },
        },
      );
    },
    () => {
      record(
        world,
        actor,
        'moveCardToBoard',
        { board: target, card, lists: [after] },
        {
          card: cardRef(card),
          list: listRef(after),
          boardSource: { id: source.id, name: source.name },
        },
      );
    },
  ];
};

export const moveListToBoard = (world: World, actor: Actor, list: List, source: Board, target: Board): void => {
  for (const card of world.cardsIn(list.id)) fitCardToBoard(world, card, target);
  record(
    world,
    actor,
    'moveListFromBoard',
    { board: source, lists: [list] },
    {
      list: listRef(list),
      boardTarget: boardRef(target),
    },
  );
  record(
    world,
    actor,
    'moveListToBoard',
    { board: target, lists: [list] },
    {
      list: listRef(list),
      boardSource: boardRef(source),
    },
  );
};
