import type { Call } from '../call.ts';
import { Input } from '../input.ts';
import type { Board, Card, List } from '../model.ts';
import { createList, type ListChanges, updateList } from '../operations/boards.ts';
import { updateCard } from '../operations/cards.ts';
import { coded, invalidObjectId, invalidValue, notFound, plain } from '../refusal.ts';
import { type Endpoint, get, post, put } from '../router.ts';
import { boardShape } from '../views/boards.ts';
import { listBasics, listShape } from '../views/cards.ts';
import { show } from '../views/fields.ts';
import { given } from './card-input.ts';
import { cardList } from './card-list.ts';
import { feed } from './feed.ts';

const read = ['read:board'] as const;
const write = ['write:board'] as const;

const badName = () => coded(400, 'invalid value for name', 'BAD_REQUEST_ERROR');

export const newListIn = (call: Call, board: Board): Record<string, unknown> => {
  const { input, world } = call;
  const name = input.text('name', badName);
  if (name === undefined || name === '' || name.length > 16384) throw badName();
  const idSource = input.id('idListSource');
  const source = idSource === undefined ? undefined : world.lists.get(idSource);
  if (idSource !== undefined && !source) throw invalidObjectId();
  const list = createList(world, call.actor, board, { name, pos: input.pos() ?? 'top', source });
  return { ...whole(call, list), limits: {} };
};

const whole = (call: Call, list: List) => show(listShape, list, 'all', call.viewer);

const changesFrom = (call: Call): ListChanges => {
  const { input, world } = call;
  if (input.raw('name') === '') throw badName();
  const idBoard = input.id('idBoard', () => invalidValue('idBoard'));
  if (idBoard !== undefined && !world.boards.has(idBoard)) throw coded(404, 'Board not found.', 'BOARD_NOT_FOUND');
  return given({
    name: input.limited('name'),
    closed: input.flag('closed'),
    pos: input.pos(),
    subscribed: input.flag('subscribed'),
    board: idBoard === undefined ? undefined : call.board('write', idBoard),
  });
};

const setField = (call: Call, field: string) => {
  const list = call.list('write');
  if (!call.input.has('value')) throw invalidValue('value');
  const one = call.with(new Input(new Map([[field, call.input.raw('value')]])));
  return whole(call, updateList(call.world, call.actor, list, changesFrom(one)));
};

export const listRoutes: readonly Endpoint[] = [
  post('/lists', write, (call) => {
    const { actor, input } = call;
    const idBoard = input.id('idBoard', () => invalidValue('idBoard'));
    if (idBoard === undefined) throw invalidValue('idBoard');
    return actor && newListIn(call, call.board('write', idBoard));
  }),
  get('/lists/:idList', read, (call) => show(listShape, call.list(), call.fields(listBasics), call.viewer)),
  put('/lists/:idList', write, (call) => {
    const list = call.list('write');
    return whole(call, updateList(call.world, call.actor, list, changesFrom(call)));
  }),
  get('/lists/:idList/actions', read, (call) => feed(call, call.list().id)),
  get('/lists/:idList/board', read, (call) =>
    show(boardShape, call.board('read', call.list().idBoard), call.fields('all'), call.viewer),
  ),
  get('/lists/:idList/cards', read, (call) => cardList(call, [call.list()], call.input.text('filter') ?? 'visible')),
  post('/lists/:idList/archiveAllCards', write, (call) => {
    const list = call.list('write');
    for (const card of call.world.cardsIn(list.id)) updateCard(call.world, call.actor, card, { closed: true });
    return {};
  }),
  post('/lists/:idList/moveAllCards', write, (call) => {
    const { input, world, actor } = call;
    const list = call.list('write');
    const idBoard = input.id('idBoard', () => invalidValue('idBoard'));
    const idList = input.id('idList', () => invalidValue('idList'));
    if (idBoard === undefined) throw invalidValue('idBoard');
    if (idList === undefined) throw invalidValue('idList');
    const target = world.lists.get(idList);
    if (!target) throw notFound();
    if (target.idBoard !== idBoard) throw invalidValue('idList');
    call.list('write', target.id);
    const cards: Card[] = world.cardsIn(list.id).filter(({ closed }) => !closed);
    for (const card of cards) updateCard(world, actor, card, { list: target, pos: 'bottom' });
    return cards.map(({ id, idBoard: board, idList: home, pos }) => ({ id, idBoard: board, idList: home, pos }));
  }),
  put('/lists/:idList/:field', write, (call) => {
    const { field = '' } = call.params;
    if (['name', 'closed', 'idBoard', 'pos', 'subscribed'].includes(field)) return setField(call, field);
    // The board's own list colours and soft limits are paid features; the field is known and refused.
    if (field === 'softLimit') throw plain(403, 'soft limits are not enabled on this board');
    throw plain(404, `Cannot PUT /1/lists/${call.params['idList']}/${field}`);
  }),
];
