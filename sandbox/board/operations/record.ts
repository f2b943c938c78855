import type { Action, ActionData, Actor, Board, Card, List, Member } from '../model.ts';
import type { World } from '../world.ts';

/** These go to webhooks only and never appear in GET …/actions. */
export const excludedFromFeeds: ReadonlySet<string> = new Set([
  'addLabelToCard',
  'removeLabelFromCard',
  'createLabel',
  'updateLabel',
  'deleteLabel',
  'createCheckItem',
  'updateCheckItem',
  'deleteCheckItem',
  'updateComment',
  'deleteComment',
  'copyChecklist',
  'updateChecklist',
  'voteOnCard',
]);

export const boardRef = ({ id, name, shortLink }: Board) => ({ id, name, shortLink });
export const cardRef = ({ id, name, idShort, shortLink }: Card) => ({ id, name, idShort, shortLink });
export const listRef = ({ id, name }: List) => ({ id, name });

type About = {
  board?: Board | undefined;
  card?: Card | undefined;
  lists?: readonly List[];
  member?: Member;
  idOrganization?: string;
  /** For a copied comment, which keeps its original's date. */
  date?: string;
};

/** Writes one action down and tells the webhooks. Call it after the change is made. */
export const record = (world: World, actor: Actor, type: string, about: About, data: ActionData): Action => {
  const { board, card } = about;
  const date = world.date();
  const action: Action = {
    id: world.id(),
    type,
    date: about.date ?? date,
    idMemberCreator: actor.member.id,
    appKey: actor.appKey,
    data: board ? { board: boardRef(board), ...data } : data,
    idMember: about.member?.id ?? null,
    idOrganization: about.idOrganization ?? null,
    idBoard: board?.id ?? null,
    idCard: card?.id ?? null,
    idLists: (about.lists ?? []).map(({ id }) => id),
    deleted: false,
  };
  if (board) {
    board.dateLastActivity = date;
    board.changes += 1;
  }
  if (card) card.dateLastActivity = date;
  world.addAction(action);
  world.onAction(action, actor.clientIdentifier);
  return action;
};

export const notify = (
  world: World,
  action: Action,
  idMembers: Iterable<string>,
  type: string,
  data: ActionData,
): void => {
  for (const idMember of new Set(idMembers)) {
    // A member is never notified of the own actions.
    if (idMember === action.idMemberCreator || !world.members.has(idMember)) continue;
    world.addNotification({
      id: world.id(),
      idMember,
      type,
      date: action.date,
      dateRead: null,
      unread: true,
      data,
      idAction: action.id,
      idMemberCreator: action.idMemberCreator,
    });
  }
};
