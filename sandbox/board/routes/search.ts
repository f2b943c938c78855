import type { Call } from '../call.ts';
import { isId } from '../ids.ts';
import type { Board, Card } from '../model.ts';
import { invalidObjectId, invalidValue } from '../refusal.ts';
import { type Endpoint, get } from '../router.ts';
import { boardShape, memberBasics, organizationShape, showMember } from '../views/boards.ts';
import { bulkCardShape, listShape } from '../views/cards.ts';
import { parseFields, show } from '../views/fields.ts';
import { nestedInCard } from './nested-card.ts';

type Test = (card: Card) => boolean;

const has = (text: string, word: string, partial: boolean): boolean => {
  const low = text.toLowerCase();
  if (partial) return low.split(/\W+/).some((part) => part.startsWith(word)) || low.includes(word);
  return low.split(/[^\p{L}\p{N}]+/u).includes(word) || (word.includes(' ') && low.includes(word));
};

const dayMs = 86_400_000;
const spans: Record<string, number> = { day: 1, week: 7, month: 28 };

/** `due:overdue`, `due:complete`, `due:incomplete`, and `due:day`, `week`, `month` or a number of days from now. */
const isDue = ({ due, dueComplete }: Card, value: string, now: number): boolean => {
  if (due === null) return false;
  if (value === 'complete' || value === 'incomplete') return dueComplete === (value === 'complete');
  const from = Date.parse(due) - now;
  return value === 'overdue' ? from < 0 && !dueComplete : from >= 0 && from <= (spans[value] ?? Number(value)) * dayMs;
};

/** The operators people use most: `label:`, `list:`, `board:`, `is:`, `@member` or `member:`, `due:`; the rest are words. */
const testFor = (call: Call, term: string, partial: boolean): Test => {
  const { world } = call;
  const negative = term.startsWith('-') && term.length > 1;
  const bare = (negative ? term.slice(1) : term).toLowerCase();
  const [operator = '', ...rest] = bare.split(':');
  const value = rest.join(':').replace(/^"|"$/g, '');
  const holds = (name: string): Test => {
    const person = world.byUsername.get(name === 'me' ? (call.caller.member?.username ?? '') : name);
    return ({ idMembers }) => person !== undefined && idMembers.includes(person.id);
  };
  const tests: Record<string, Test> = {
    member: holds(value.replace(/^@/, '')),
    label: ({ idLabels }) =>
      idLabels.some((id) => {
        const label = world.labels.get(id);
        return label?.name.toLowerCase() === value || label?.color === value;
      }),
    list: ({ idList }) => world.lists.get(idList)?.name.toLowerCase().includes(value) ?? false,
    board: ({ idBoard }) => world.boards.get(idBoard)?.name.toLowerCase().includes(value) ?? false,
    is: (card) => (value === 'archived' ? card.closed : value === 'open' ? !card.closed : value !== 'starred'),
    due: (card) => isDue(card, value, world.now()),
    has: (card) =>
      (value === 'attachments' && card.attachments.length > 0) ||
      (value === 'description' && card.desc !== '') ||
      (value === 'members' && card.idMembers.length > 0),
    name: ({ name }) => name.toLowerCase().includes(value),
    description: ({ desc }) => desc.toLowerCase().includes(value),
  };
  const named = rest.length > 0 && Object.hasOwn(tests, operator) ? tests[operator] : undefined;
  const word = bare.replace(/^"|"$/g, '');
  const test: Test =
    named ??
    (bare.startsWith('@')
      ? holds(bare.slice(1))
      : ({ name, desc }) => has(name, word, partial) || has(desc, word, partial));
  return negative ? (card) => !test(card) : test;
};

const number = (call: Call, name: string, otherwise: number, most: number): number => {
  const value = call.input.number(name) ?? otherwise;
  if (!Number.isInteger(value) || value < 0 || value > most) throw invalidValue(name);
  return value;
};

const chosenBoards = (call: Call): Board[] => {
  const { world, actor } = call;
  const asked = call.input.text('idBoards') ?? 'mine';
  const ids = asked === 'mine' || asked === '' ? actor.member.idBoards : asked.split(',');
  if (!ids.every(isId)) throw invalidObjectId();
  const organizations = call.input.ids('idOrganizations');
  return ids
    .map((id) => world.boards.get(id))
    .filter((board) => board !== undefined)
    .filter((board) => call.may(board, 'read'))
    .filter(
      ({ idOrganization }) => !organizations || (idOrganization !== null && organizations.includes(idOrganization)),
    );
};

const search = (call: Call): Record<string, unknown> => {
  const { input, world, viewer, actor } = call;
  const query = input.text('query') ?? '';
  if (query === '' || query.length > 16384) throw invalidValue('query');
  const partial = input.flag('partial') ?? false;
  const asked = (input.text('modelTypes') ?? 'all').split(',');
  const types = asked.includes('all') ? ['actions', 'boards', 'cards', 'members', 'organizations'] : asked;
  const terms = query.match(/-?\w+:"[^"]*"|"[^"]*"|\S+/g) ?? [];
  const boards = chosenBoards(call);
  const found: Record<string, unknown> = {
    options: {
      terms: terms.map((text) => ({ text })),
      modifiers: [],
      modelTypes: types,
      partial,
    },
  };
  const plainWord = query.toLowerCase();
  if (types.includes('boards')) {
    found['boards'] = boards
      .filter(({ name, desc }) => has(name, plainWord, true) || has(desc, plainWord, partial))
      .slice(0, number(call, 'boards_limit', 10, 1000))
      .map((board) =>
        show(boardShape, board, parseFields(input.raw('board_fields'), ['name', 'idOrganization']), viewer),
      );
  }
  if (types.includes('cards')) found['cards'] = cardsFound(call, boards, terms, partial);
  if (types.includes('organizations')) {
    found['organizations'] = actor.member.idOrganizations
      .map((id) => world.organizations.get(id))
      .filter((one) => one !== undefined)
      .filter(({ name, displayName }) => has(name, plainWord, true) || has(displayName, plainWord, true))
      .slice(0, number(call, 'organizations_limit', 10, 1000))
      .map((one) =>
        show(organizationShape, one, parseFields(input.raw('organization_fields'), ['name', 'displayName']), viewer),
      );
  }
  if (types.includes('members'))
    found['members'] = membersFound(call, plainWord, number(call, 'members_limit', 10, 1000));
  if (types.includes('actions')) found['actions'] = [];
  return found;
};

const cardsFound = (call: Call, boards: Board[], terms: string[], partial: boolean): unknown[] => {
  const { input, world, viewer } = call;
  const tests = terms.map((term) => testFor(call, term, partial));
  const only = input.ids('idCards');
  const limit = number(call, 'cards_limit', 10, 1000);
  const skip = number(call, 'cards_page', 0, 100) * limit;
  const cards = boards
    .flatMap(({ id }) => world.listsIn(id))
    .flatMap(({ id }) => world.cardsIn(id))
    .filter((card) => (!only || only.includes(card.id)) && tests.every((test) => test(card)))
    .slice(skip, skip + limit);
  const nested = input.only({
    members: input.raw('card_members'),
    attachments: input.raw('card_attachments'),
    board: input.raw('card_board'),
  });
  return cards.map((card) => {
    const list = input.raw('card_list') === 'true' ? world.lists.get(card.idList) : undefined;
    return {
      ...show(bulkCardShape, card, parseFields(input.raw('card_fields'), 'all'), viewer),
      ...nestedInCard(call.with(nested), card),
      ...(list ? { list: show(listShape, list, 'all', viewer) } : {}),
    };
  });
};

/** People the caller shares a board or workspace with. */
const membersFound = (call: Call, word: string, limit: number): unknown[] => {
  const { member } = call.actor;
  const near = [...call.world.members.values()].filter(
    (other) =>
      other.idBoards.some((id) => member.idBoards.includes(id)) ||
      other.idOrganizations.some((id) => member.idOrganizations.includes(id)),
  );
  return near
    .filter(({ username, fullName, email }) => has(username, word, true) || has(fullName, word, true) || email === word)
    .slice(0, limit)
    .map((other) => showMember(other, parseFields(call.input.raw('member_fields'), memberBasics), call.viewer));
};

export const searchRoutes: readonly Endpoint[] = [
  get('/search', [], (call) => search(call)),
  get('/search/members', [], (call) => {
    const query = (call.input.text('query') ?? '').toLowerCase();
    if (call.actor && query === '') throw invalidValue('query');
    const limit = number(call, 'limit', 8, 20);
    const idBoard = call.input.id('idBoard');
    const here =
      idBoard === undefined ? undefined : call.board('read', idBoard).memberships.map(({ idMember }) => idMember);
    const found = membersFound(call, query, 1000) as { id: string }[];
    return found.filter(({ id }) => !here || here.includes(id)).slice(0, limit);
  }),
];
