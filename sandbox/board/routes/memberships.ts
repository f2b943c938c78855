import type { Call } from '../call.ts';
import type { Board, Member, Membership } from '../model.ts';
import { removeMemberFromBoard } from '../operations/board-life.ts';
import { addMemberToBoard } from '../operations/boards.ts';
import { voteOnCard } from '../operations/card-parts.ts';
import { coded, invalidValue, notFound, unauthorized } from '../refusal.ts';
import { del, type Endpoint, get, post, put } from '../router.ts';
import { newMember } from '../seed.ts';
import { memberBasics, membershipView, shortMember, showMember } from '../views/boards.ts';
import { parseFields } from '../views/fields.ts';

const read = ['read:board'] as const;
const manage = ['write:board:membership'] as const;

const typeFrom = (call: Call): Membership['memberType'] => {
  const type = call.input.text('type') ?? 'normal';
  if (type !== 'admin' && type !== 'normal' && type !== 'observer') throw invalidValue('type');
  return type;
};

const managed = (call: Call): Board => {
  const board = call.board('write');
  const own = board.memberships.find(({ idMember }) => idMember === call.actor.member.id);
  if (own?.memberType !== 'admin' && board.prefs['invitations'] !== 'members') throw unauthorized();
  return board;
};

const people = (call: Call, { memberships }: { memberships: Membership[] }): Member[] =>
  memberships.map(({ idMember }) => call.world.members.get(idMember)).filter((member) => member !== undefined);

const answer = (call: Call, board: Board) => ({
  id: board.id,
  members: people(call, board).map((member) => shortMember(member, call.viewer)),
  memberships: board.memberships.map(membershipView),
});

/** Someone by address; an address nobody has yet becomes an invited member. */
export const byEmail = (call: Call): Member => {
  const email = call.input.text('email') ?? '';
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) throw invalidValue('email');
  const known = [...call.world.members.values()].find((member) => member.email === email);
  if (known) return known;
  const username = `${email.split('@')[0]?.replace(/\W/g, '') ?? ''}${call.world.members.size}`;
  return newMember(call.world, username, call.input.text('fullName') ?? username, email);
};

const keepAnAdmin = (board: Board, leaving: Member): void => {
  const others = board.memberships.filter(({ idMember }) => idMember !== leaving.id);
  if (others.some(({ memberType }) => memberType === 'admin')) return;
  throw coded(403, 'Must have at least one admin', 'LAST_ADMIN');
};

const memberHere = (call: Call, board: Board): Member => {
  const id = (call.params['idMember'] ?? '').toLowerCase();
  const member = call.world.members.get(id);
  if (!member || !board.memberships.some(({ idMember }) => idMember === id)) throw notFound();
  return member;
};

export const membershipRoutes: readonly Endpoint[] = [
  get('/boards/:board/members', read, (call) =>
    people(call, call.board()).map((member) =>
      showMember(member, call.fields(['id', 'fullName', 'username']), call.viewer),
    ),
  ),
  get('/boards/:board/memberships', read, (call) => {
    const board = call.board();
    const withMember = call.input.flag('member') ?? false;
    const fields = parseFields(call.input.raw('member_fields'), memberBasics);
    return board.memberships.map((membership) => {
      const member = call.world.members.get(membership.idMember);
      const shown = membershipView(membership);
      return withMember && member ? { ...shown, member: showMember(member, fields, call.viewer) } : shown;
    });
  }),
  put('/boards/:board/members', manage, (call) => {
    const board = managed(call);
    addMemberToBoard(call.world, call.actor, board, byEmail(call), typeFrom(call));
    return answer(call, board);
  }),
  put('/boards/:board/members/:idMember', manage, (call) => {
    const board = managed(call);
    const member = call.world.members.get((call.params['idMember'] ?? '').toLowerCase());
    if (!member) throw notFound();
    const type = typeFrom(call);
    if (type !== 'admin') keepAnAdmin(board, member);
    addMemberToBoard(call.world, call.actor, board, member, type);
    return answer(call, board);
  }),
  del('/boards/:board/members/:idMember', manage, (call) => {
    const board = managed(call);
    const member = memberHere(call, board);
    keepAnAdmin(board, member);
    removeMemberFromBoard(call.world, call.actor, board, member);
    return answer(call, board);
  }),
  get('/cards/:card/membersVoted', read, (call) =>
    call
      .card()
      .idMembersVoted.map((id) => call.world.members.get(id))
      .filter((member) => member !== undefined)
      .map((member) => showMember(member, call.fields(memberBasics), call.viewer)),
  ),
  post('/cards/:card/membersVoted', ['write:board'], (call) => {
    const card = call.card('write');
    const id = call.input.id('value', () => invalidValue('value'));
    if (id !== undefined && id !== call.actor.member.id) throw unauthorized();
    voteOnCard(call.world, call.actor, card, call.actor.member);
    return { _value: null };
  }),
];
