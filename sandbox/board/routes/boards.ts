import type { Call } from '../call.ts';
import type { Board } from '../model.ts';
import { type BoardChanges, deleteBoard, updateBoard } from '../operations/board-life.ts';
import { createBoard } from '../operations/boards.ts';
import { checklistsOf } from '../operations/checklists.ts';
import { coded, invalidValue, plain, unauthorized } from '../refusal.ts';
import { del, type Endpoint, get, post, put } from '../router.ts';
import { boardBasics, boardShape } from '../views/boards.ts';
import { checklistShape, labelShape, listShape } from '../views/cards.ts';
import { parseFields, show } from '../views/fields.ts';
import { cardList } from './card-list.ts';
import { feed } from './feed.ts';
import { labelFrom } from './labels.ts';
import { newListIn } from './lists.ts';
import { listsOf } from './lists-of.ts';
import { nestedInBoard } from './nested-board.ts';
import { prefsFrom } from './prefs.ts';

const read = ['read:board'] as const;
const write = ['write:board'] as const;

const badName = () => coded(400, 'invalid value for name');

/** A fresh board tells its limits as well. */
const answerFields = [...boardBasics, 'limits'];

const organizationFor = (call: Call, value: string | null | undefined) => {
  if (value === null || value === undefined) return value;
  return call.organization('read', value);
};

const listsAnswer = (call: Call, board: Board, filter: string) => {
  const { input, viewer } = call;
  const cards = input.text('cards') ?? 'none';
  return listsOf(call, board, filter).map((list) => ({
    ...show(listShape, list, call.fields('all'), viewer),
    ...(cards === 'none' ? {} : { cards: cardList(call.with(cardInput(call)), [list], cards) }),
  }));
};

const cardInput = (call: Call) => call.input.only({ fields: call.input.raw('card_fields') ?? 'all' });

const limitFrom = (call: Call): number => {
  const limit = call.input.number('limit') ?? 50;
  if (!Number.isInteger(limit) || limit < 0 || limit > 1000) throw invalidValue('limit');
  return limit;
};

export const boardRoutes: readonly Endpoint[] = [
  post('/boards', write, (call) => {
    const { input, world, actor } = call;
    const name = input.text('name', badName);
    if (name === undefined || name === '' || name.length > 16384) throw badName();
    const idSource = input.id('idBoardSource');
    const source = idSource === undefined ? undefined : call.board('read', idSource);
    const organization = organizationFor(call, input.clearable('idOrganization'));
    const [only] = actor.member.idOrganizations;
    const prefs = prefsFrom(input, 'prefs_');
    const board = createBoard(world, actor, {
      name,
      desc: input.limited('desc') ?? '',
      // Without a workspace named, the board goes to the member's own.
      idOrganization: organization === undefined ? (only ?? null) : (organization?.id ?? null),
      defaultLabels: input.flag('defaultLabels') ?? true,
      defaultLists: input.flag('defaultLists') ?? true,
      prefs: prefs.values,
      ...(source ? { source, keepCards: input.raw('keepFromSource') === 'cards' } : {}),
    });
    // A known bug of the service: the board is made all the same.
    if (prefs.badBackground) throw plain(500, 'Internal Server Error');
    return show(boardShape, board, answerFields, call.viewer);
  }),
  get('/boards/:board', read, (call) => {
    const board = call.board();
    return { ...show(boardShape, board, call.fields(boardBasics), call.viewer), ...nestedInBoard(call, board) };
  }),
  put('/boards/:board', [...read, ...write], (call) => {
    const { input, world, actor } = call;
    const board = call.board('write');
    if (input.raw('name') === '') throw badName();
    const prefs = prefsFrom(input, 'prefs/');
    if (prefs.badBackground) throw invalidValue('prefs/background');
    const changes: BoardChanges = {
      name: input.text('name', badName),
      desc: input.limited('desc'),
      closed: input.flag('closed'),
      subscribed: input.flag('subscribed'),
      organization: organizationFor(call, input.clearable('idOrganization')),
      prefs: prefs.values,
    };
    if (changes.name !== undefined && changes.name.length > 16384) throw badName();
    return show(boardShape, updateBoard(world, actor, board, changes), boardBasics, call.viewer);
  }),
  del('/boards/:board', ['read:organization', ...write], (call) => {
    const board = call.board('write');
    const admin = board.memberships.find(({ idMember }) => idMember === call.actor.member.id);
    if (admin?.memberType !== 'admin') throw unauthorized();
    deleteBoard(call.world, board);
    return { _value: null };
  }),
  get('/boards/:board/actions', read, (call) => feed(call, call.board().id)),
  get('/boards/:board/cards', read, (call) => {
    const board = call.board();
    return cardList(call, call.world.listsIn(board.id), call.input.text('filter') ?? 'visible');
  }),
  get('/boards/:board/cards/:filter', read, (call) => {
    const board = call.board();
    return cardList(call, call.world.listsIn(board.id), call.params['filter'] ?? '');
  }),
  get('/boards/:board/checklists', read, (call) =>
    call.world
      .listsIn(call.board().id)
      .flatMap(({ id }) => call.world.cardsIn(id))
      .flatMap((card) => checklistsOf(call.world, card))
      .map((checklist) => show(checklistShape, checklist, call.fields('all'), call.viewer)),
  ),
  get('/boards/:board/labels', read, (call) => {
    const fields = parseFields(call.input.raw('fields'), 'all');
    const labels = call.board().idLabels.slice(0, limitFrom(call));
    return labels
      .map((id) => call.world.labels.get(id))
      .filter((label) => label !== undefined)
      .map((label) => show(labelShape, label, fields, call.viewer));
  }),
  post('/boards/:board/labels', write, (call) => call.actor && labelFrom(call, call.board('write'))),
  get('/boards/:board/lists', read, (call) => listsAnswer(call, call.board(), call.input.text('filter') ?? 'open')),
  get('/boards/:board/lists/:filter', read, (call) => listsAnswer(call, call.board(), call.params['filter'] ?? '')),
  post('/boards/:board/lists', write, (call) => call.actor && newListIn(call, call.board('write'))),
  get('/boards/:board/:field', read, (call) => {
    const { field = '' } = call.params;
    if (!Object.hasOwn(boardShape, field)) throw plain(404, `Cannot GET /1/boards/${call.params['board']}/${field}`);
    return { _value: boardShape[field]?.(call.board(), call.viewer) };
  }),
];
