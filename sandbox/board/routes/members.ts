import type { Call } from '../call.ts';
import type { Board, Member } from '../model.ts';
import { invalidValue, plain } from '../refusal.ts';
import { type Endpoint, get, put } from '../router.ts';
import { boardShape, memberShape, organizationShape, showMember } from '../views/boards.ts';
import { listShape } from '../views/cards.ts';
import { parseFields, show } from '../views/fields.ts';
import { showToken } from '../views/tokens.ts';
import { cardList } from './card-list.ts';
import { feed } from './feed.ts';
import { listsOf } from './lists-of.ts';
import { notificationList } from './notifications.ts';

const boardFilters: Record<string, (board: Board) => boolean> = {
  // Closed boards are included unless asked otherwise.
  all: () => true,
  none: () => false,
  open: ({ closed }) => !closed,
  closed: ({ closed }) => closed,
  members: ({ prefs }) => prefs['permissionLevel'] === 'private',
  organization: ({ prefs }) => prefs['permissionLevel'] === 'org',
  public: ({ prefs }) => prefs['permissionLevel'] === 'public',
};

export const boardFilter = (name: string): ((board: Board) => boolean) => {
  const wanted = name.split(',').map((part) => {
    const filter = Object.hasOwn(boardFilters, part) ? boardFilters[part] : undefined;
    if (filter) return filter;
    // Starred and pinned boards are known words for sets that are empty here.
    if (['starred', 'pinned', 'unpinned'].includes(part)) return () => part === 'unpinned';
    throw invalidValue('filter');
  });
  return (board) => wanted.some((filter) => filter(board));
};

const boardsOf = (call: Call, member: Member, filter: string): Board[] =>
  member.idBoards
    .map((id) => call.world.boards.get(id))
    .filter((board) => board !== undefined)
    .filter((board) => call.may(board, 'read'))
    .filter(boardFilter(filter));

const boardAnswer = (call: Call, board: Board, fields: string | undefined) => {
  const { input, viewer, world } = call;
  const shown = show(boardShape, board, parseFields(fields ?? input.raw('fields'), 'all'), viewer);
  const lists = input.raw('lists');
  if (typeof lists === 'string' && lists !== 'none') {
    shown['lists'] = listsOf(call, board, lists).map((list) => show(listShape, list, 'all', viewer));
  }
  const organization = world.organizations.get(board.idOrganization ?? '');
  if (input.raw('organization') === 'true' && organization) {
    const wanted = parseFields(input.raw('organization_fields'), ['id', 'name', 'displayName']);
    shown['organization'] = show(organizationShape, organization, wanted, viewer);
  }
  return shown;
};

const organizationsOf = (call: Call, member: Member) =>
  member.idOrganizations.map((id) => call.world.organizations.get(id)).filter((one) => one !== undefined);

const nested = (call: Call, member: Member): Record<string, unknown> => {
  const { input, viewer } = call;
  const extra: Record<string, unknown> = {};
  const boards = input.raw('boards');
  if (typeof boards === 'string' && boards !== 'none') {
    const fields = input.text('board_fields') ?? 'all';
    extra['boards'] = boardsOf(call, member, boards).map((board) => boardAnswer(call, board, fields));
  }
  const organizations = input.raw('organizations');
  if (typeof organizations === 'string' && organizations !== 'none') {
    const fields = parseFields(input.raw('organization_fields'), 'all');
    extra['organizations'] = organizationsOf(call, member).map((one) => show(organizationShape, one, fields, viewer));
  }
  const notifications = input.raw('notifications');
  if (typeof notifications === 'string' && notifications !== 'none' && member === call.caller.member) {
    extra['notifications'] = notificationList(call.with(input.only({ filter: notifications })), member);
  }
  return extra;
};

const changeable = { fullName: 'fullName', initials: 'initials', username: 'username', bio: 'bio' } as const;

export const memberRoutes: readonly Endpoint[] = [
  get('/members/:member', ['read:member'], (call) => {
    const member = call.memberAt();
    return { ...showMember(member, call.fields('all'), call.viewer), ...nested(call, member) };
  }),
  put('/members/:member', ['write:member'], (call) => {
    const member = call.self();
    const { input, world } = call;
    const username = input.text('username');
    if (username !== undefined && !/^[a-z0-9_]{3,}$/.test(username)) throw invalidValue('username');
    if (username !== undefined && world.byUsername.has(username) && username !== member.username) {
      throw plain(400, 'username already taken');
    }
    for (const name of Object.values(changeable)) {
      const value = input.text(name);
      if (value === undefined) continue;
      if (value === '' && name !== 'bio') throw invalidValue(name);
      if (name === 'username') world.byUsername.delete(member.username);
      member[name] = value;
    }
    world.addMember(member);
    member.colorBlind = input.flag('prefs/colorBlind') ?? member.colorBlind;
    member.locale = input.text('prefs/locale') ?? member.locale;
    member.minutesBetweenSummaries = input.number('prefs/minutesBetweenSummaries') ?? member.minutesBetweenSummaries;
    world.revision += 1;
    return showMember(member, 'all', call.viewer);
  }),
  get('/members/:member/actions', ['read:member'], (call) => feed(call, call.memberAt().id)),
  get('/members/:member/boards', ['read:board'], (call) =>
    boardsOf(call, call.memberAt(), call.input.text('filter') ?? 'all').map((board) =>
      boardAnswer(call, board, undefined),
    ),
  ),
  get('/members/:member/cards', ['read:board'], (call) => {
    const member = call.memberAt();
    const filter = call.input.text('filter') ?? 'visible';
    const lists = boardsOf(call, member, 'all').flatMap(({ id }) => call.world.listsIn(id));
    return cardList(call, lists, filter, ({ idMembers }) => idMembers.includes(member.id));
  }),
  get('/members/:member/notifications', ['read:member'], (call) => notificationList(call, call.self())),
  get('/members/:member/organizations', ['read:organization'], (call) =>
    organizationsOf(call, call.memberAt()).map((one) => show(organizationShape, one, call.fields('all'), call.viewer)),
  ),
  get('/members/:member/tokens', ['read:member', 'write:member'], (call) => {
    const member = call.self();
    const webhooks = call.input.flag('webhooks') ?? false;
    return [...call.world.tokens.values()]
      .filter(({ idMember, kind }) => idMember === member.id && kind === 'key')
      .map((token) => showToken(call.world, token, { webhooks }));
  }),
  get('/members/:member/:field', ['read:member'], (call) => {
    const { field = '' } = call.params;
    if (!Object.hasOwn(memberShape, field)) throw plain(404, `Cannot GET /1/members/${call.params['member']}/${field}`);
    return { _value: showMember(call.memberAt(), [field], call.viewer)[field] };
  }),
];
