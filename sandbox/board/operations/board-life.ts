import type { Actor, Board, Member, Organization } from '../model.ts';
import type { World } from '../world.ts';
import { notify, record } from './record.ts';

export type BoardChanges = {
  name?: string | undefined;
  desc?: string | undefined;
  closed?: boolean | undefined;
  subscribed?: boolean | undefined;
  organization?: Organization | null | undefined;
  prefs?: Record<string, unknown>;
};

export const updateBoard = (world: World, actor: Actor, board: Board, changes: BoardChanges): Board => {
  const told: [old: Record<string, unknown>, now: Record<string, unknown>][] = [];
  const { name, desc, closed } = changes;
  if (name !== undefined && name !== board.name) told.push([{ name: board.name }, { name }]);
  if (desc !== undefined && desc !== board.desc) told.push([{ desc: board.desc }, { desc }]);
  if (closed !== undefined && closed !== board.closed) {
    told.push([{ closed: board.closed }, { closed }]);
    board.dateClosed = closed ? world.date() : null;
  }
  for (const [, now] of told) Object.assign(board, now);
  for (const [key, value] of Object.entries(changes.prefs ?? {})) {
    if (board.prefs[key] === value) continue;
    told.push([{ prefs: { [key]: board.prefs[key] } }, { prefs: { [key]: value } }]);
    board.prefs = { ...board.prefs, [key]: value };
  }
  if (changes.subscribed !== undefined) {
    board.subscribers = board.subscribers.filter((id) => id !== actor.member.id);
    if (changes.subscribed) board.subscribers.push(actor.member.id);
    world.revision += 1;
  }
  for (const [old, now] of told) {
    const { id, shortLink } = board;
    const data = { old, board: { id, name: board.name, shortLink, ...now } };
    const action = record(world, actor, 'updateBoard', { board }, data);
    const type = closed === true ? 'closeBoard' : closed === false ? 'reopenBoard' : undefined;
    if (type && 'closed' in old) notify(world, action, board.subscribers, type, action.data);
  }
  if (changes.organization !== undefined) moveToOrganization(world, actor, board, changes.organization);
  return board;
};

const moveToOrganization = (world: World, actor: Actor, board: Board, target: Organization | null): void => {
  const source = world.organizations.get(board.idOrganization ?? '');
  if ((source?.id ?? null) === (target?.id ?? null)) return;
  board.idOrganization = target?.id ?? null;
  if (source) {
    source.idBoards = source.idBoards.filter((id) => id !== board.id);
    const organization = { id: source.id, name: source.name };
    record(world, actor, 'removeFromOrganizationBoard', { board }, { organization });
  }
  if (target) {
    target.idBoards.push(board.id);
    const organization = { id: target.id, name: target.name };
    record(world, actor, 'addToOrganizationBoard', { board }, { organization });
  }
};

export const deleteBoard = (world: World, board: Board): void => {
  for (const list of world.listsIn(board.id)) {
    for (const card of world.cardsIn(list.id)) {
      world.cards.delete(card.id);
      world.byShortLink.delete(card.shortLink);
      for (const id of card.idChecklists) world.checklists.delete(id);
      for (const { id } of card.attachments) world.files.delete(id);
    }
    world.lists.delete(list.id);
    world.cardsOf.delete(list.id);
  }
  world.listsOf.delete(board.id);
  for (const id of board.idLabels) world.labels.delete(id);
  world.boards.delete(board.id);
  world.byShortLink.delete(board.shortLink);
  for (const { idMember } of board.memberships) {
    const member = world.members.get(idMember);
    if (member) member.idBoards = member.idBoards.filter((id) => id !== board.id);
  }
  const organization = world.organizations.get(board.idOrganization ?? '');
  if (organization) organization.idBoards = organization.idBoards.filter((id) => id !== board.id);
  world.revision += 1;
};

export const removeMemberFromBoard = (world: World, actor: Actor, board: Board, member: Member): void => {
  board.memberships = board.memberships.filter(({ idMember }) => idMember !== member.id);
  member.idBoards = member.idBoards.filter((id) => id !== board.id);
  const data = { idMember: member.id, deactivated: false };
  const action = record(world, actor, 'removeMemberFromBoard', { board, member }, data);
  notify(world, action, [member.id], 'removedFromBoard', action.data);
};
