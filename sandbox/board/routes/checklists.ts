import type { Call } from '../call.ts';
import { Input } from '../input.ts';
import type { Card, CheckItem, Checklist } from '../model.ts';
import {
  addCheckItem,
  addChecklist,
  type CheckItemChanges,
  checklistsOf,
  copyChecklist,
  deleteCheckItem,
  deleteChecklist,
  updateCheckItem,
  updateChecklist,
} from '../operations/checklists.ts';
import { invalidObjectId, invalidValue, notFound, plain } from '../refusal.ts';
import { del, type Endpoint, get, post, put } from '../router.ts';
import { boardShape } from '../views/boards.ts';
import { bulkCardShape, checkItemShape, checklistShape } from '../views/cards.ts';
import { parseFields, show } from '../views/fields.ts';
import { boardMember, given } from './card-input.ts';

const read = ['read:board'] as const;
const write = ['write:board'] as const;

const shown = (call: Call, checklist: Checklist) => {
  const { input, viewer } = call;
  const one = show(checklistShape, checklist, call.fields('all'), viewer);
  const items = input.raw('checkItems') ?? 'all';
  if (items === 'none') delete one['checkItems'];
  else if (input.has('checkItem_fields')) {
    const fields = parseFields(input.raw('checkItem_fields'), 'all');
    one['checkItems'] = checklist.checkItems.map((item) => show(checkItemShape, item, fields, viewer));
  }
  const cards = input.raw('cards');
  const card = call.world.cards.get(checklist.idCard);
  if (typeof cards === 'string' && cards !== 'none' && card) one['cards'] = [show(bulkCardShape, card, 'all', viewer)];
  return one;
};

const itemShown = (call: Call, item: CheckItem) => show(checkItemShape, item, call.fields('all'), call.viewer);

const create = (call: Call, card: Card) => {
  const { input, world, actor } = call;
  const name = input.limited('name');
  const pos = input.pos('pos', () => invalidValue('pos'));
  const idSource = input.id('idChecklistSource');
  const wanted = given({ name: name === '' ? undefined : name, pos });
  const checklist =
    idSource === undefined
      ? addChecklist(world, actor, card, wanted)
      : copyChecklist(world, actor, card, call.checklist('read', idSource), wanted);
  return { ...show(checklistShape, checklist, 'all', call.viewer), limits: {} };
};

const itemIn = (checklists: readonly Checklist[], id: string): { checklist: Checklist; item: CheckItem } => {
  for (const checklist of checklists) {
    const item = checklist.checkItems.find((one) => one.id === id.toLowerCase());
    if (item) return { checklist, item };
  }
  throw notFound();
};

const itemOfCard = (call: Call, card: Card) => itemIn(checklistsOf(call.world, card), call.params['idCheckItem'] ?? '');

const itemOfChecklist = (call: Call, need: 'read' | 'write') =>
  itemIn([call.checklist(need)], call.params['idCheckItem'] ?? '');

const personFor = (call: Call, card: Card): string | null | undefined => {
  const id = call.input.clearable('idMember');
  if (id === undefined || id === null) return id;
  return boardMember(call, call.board('read', card.idBoard), id).id;
};

const nameFor = (call: Call): string | undefined => {
  const name = call.input.limited('name');
  if (name === '') throw invalidValue('name');
  return name;
};

const changeItem = (call: Call) => {
  const { input, world, actor } = call;
  const card = call.card('write');
  const { checklist, item } = itemOfCard(call, card);
  const state = input.raw('state');
  const complete = state === 'complete' || state === true || state === 'true';
  const incomplete = state === 'incomplete' || state === false || state === 'false';
  if (state !== undefined && !complete && !incomplete) throw invalidValue('state');
  const idHome = call.params['idChecklist'] === undefined ? input.id('idChecklist') : undefined;
  const home = checklistsOf(world, card).find(({ id }) => id === idHome);
  if (idHome !== undefined && !home) throw invalidObjectId();
  const changes: CheckItemChanges = given({
    name: nameFor(call),
    state: state === undefined ? undefined : complete ? ('complete' as const) : ('incomplete' as const),
    pos: input.pos('pos', () => invalidValue('pos')),
    due: input.date('due'),
    dueReminder: input.number('dueReminder'),
    idMember: personFor(call, card),
    checklist: home,
  });
  return show(checkItemShape, updateCheckItem(world, actor, checklist, item, changes), 'all', call.viewer);
};

const change = (call: Call, input: Input) => {
  const checklist = call.checklist('write');
  const name = input.limited('name');
  if (name === '') throw invalidValue('name');
  const changes = given({ name, pos: input.pos('pos', () => invalidValue('pos')) });
  return show(checklistShape, updateChecklist(call.world, call.actor, checklist, changes), 'all', call.viewer);
};

export const checklistRoutes: readonly Endpoint[] = [
  get('/cards/:card/checklists', read, (call) =>
    checklistsOf(call.world, call.card()).map((checklist) => shown(call, checklist)),
  ),
  post('/cards/:card/checklists', write, (call) => create(call, call.card('write'))),
  del('/cards/:card/checklists/:idChecklist', write, (call) => {
    const card = call.card('write');
    const checklist = call.checklist('write');
    if (checklist.idCard !== card.id) throw notFound();
    deleteChecklist(call.world, call.actor, checklist);
    return { limits: {} };
  }),
  get('/cards/:card/checkItem/:idCheckItem', read, (call) => itemShown(call, itemOfCard(call, call.card()).item)),
  // Items are changed through the card, not the checklist.
  put('/cards/:card/checkItem/:idCheckItem', write, changeItem),
  put('/cards/:card/checklist/:idChecklist/checkItem/:idCheckItem', write, changeItem),
  del('/cards/:card/checkItem/:idCheckItem', write, (call) => {
    const { checklist, item } = itemOfCard(call, call.card('write'));
    deleteCheckItem(call.world, call.actor, checklist, item);
    return { limits: {} };
  }),
  post('/checklists', write, (call) => {
    const { input, actor } = call;
    const id = input.id('idCard', () => invalidValue('idCard'));
    if (id === undefined) throw invalidValue('idCard');
    return actor && create(call, call.card('write', id));
  }),
  get('/checklists/:idChecklist', read, (call) => shown(call, call.checklist())),
  put('/checklists/:idChecklist', write, (call) => change(call, call.input)),
  del('/checklists/:idChecklist', write, (call) => {
    deleteChecklist(call.world, call.actor, call.checklist('write'));
    return { limits: {} };
  }),
  get('/checklists/:idChecklist/board', read, (call) =>
    show(boardShape, call.board('read', call.checklist().idBoard), call.fields('all'), call.viewer),
  ),
  get('/checklists/:idChecklist/cards', read, (call) => [
    show(bulkCardShape, call.card('read', call.checklist().idCard), call.fields('all'), call.viewer),
  ]),
  get('/checklists/:idChecklist/checkItems', read, (call) =>
    call.checklist().checkItems.map((item) => itemShown(call, item)),
  ),
  post('/checklists/:idChecklist/checkItems', write, (call) => {
    const { input, world, actor } = call;
    const checklist = call.checklist('write');
    const name = nameFor(call);
    if (name === undefined) throw invalidValue('name');
    const item = addCheckItem(world, actor, checklist, {
      name,
      ...given({
        pos: input.pos('pos', () => invalidValue('pos')),
        checked: input.flag('checked'),
        due: input.date('due'),
        dueReminder: input.number('dueReminder'),
        idMember: personFor(call, call.card('read', checklist.idCard)),
      }),
    });
    return { ...show(checkItemShape, item, 'all', call.viewer), limits: {} };
  }),
  get('/checklists/:idChecklist/checkItems/:idCheckItem', read, (call) =>
    itemShown(call, itemOfChecklist(call, 'read').item),
  ),
  del('/checklists/:idChecklist/checkItems/:idCheckItem', write, (call) => {
    const { checklist, item } = itemOfChecklist(call, 'write');
    deleteCheckItem(call.world, call.actor, checklist, item);
    return { limits: {} };
  }),
  get('/checklists/:idChecklist/:field', read, (call) => {
    const { field = '' } = call.params;
    const known = Object.hasOwn(checklistShape, field);
    if (!known) throw plain(404, `Cannot GET /1/checklists/${call.params['idChecklist']}/${field}`);
    return { _value: checklistShape[field]?.(call.checklist(), call.viewer) };
  }),
  put('/checklists/:idChecklist/:field', write, (call) => {
    const { field = '' } = call.params;
    const known = field === 'name' || field === 'pos';
    if (!known) throw plain(404, `Cannot PUT /1/checklists/${call.params['idChecklist']}/${field}`);
    if (!call.input.has('value')) throw invalidValue('value');
    return change(call, new Input(new Map([[field, call.input.raw('value')]])));
  }),
];
