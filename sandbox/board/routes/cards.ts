import type { Call } from '../call.ts';
import { Input } from '../input.ts';
import type { Board, Card } from '../model.ts';
import { createLabel } from '../operations/boards.ts';
import {
  addAttachment,
  addLabelToCard,
  addMemberToCard,
  removeLabelFromCard,
  removeMemberFromCard,
} from '../operations/card-parts.ts';
import { createCard, deleteCard, updateCard } from '../operations/cards.ts';
import { invalidObjectId, invalidValue, plain } from '../refusal.ts';
import { del, type Endpoint, get, post, put } from '../router.ts';
import { boardShape, memberBasics, shortMember, showMember } from '../views/boards.ts';
import {
  labelShape,
  listShape,
  showFreshCard,
  showSingleCard,
  singleCardFields,
  singleCardShape,
} from '../views/cards.ts';
import { show } from '../views/fields.ts';
import { boardMember, cardChangesFrom, newCardFrom } from './card-input.ts';
import { colorFrom } from './labels.ts';
import { nestedInCard } from './nested-card.ts';

const read = ['read:board'] as const;
const write = ['write:board'] as const;

const whole = (call: Call, card: Card) => showSingleCard(card, call.viewer);

const attachSources = (call: Call, card: Card): void => {
  const { input, world, actor } = call;
  const url = input.text('urlSource');
  const file = input.files.get('fileSource');
  if (url) addAttachment(world, actor, card, { name: url, mimeType: input.text('mimeType') ?? '', url });
  if (file) addAttachment(world, actor, card, { name: file.name, mimeType: file.type, file });
};

const listFor = (call: Call) => {
  const idList = call.input.id('idList', () => invalidValue('idList'));
  if (idList === undefined) throw invalidValue('idList');
  const list = call.world.lists.get(idList);
  if (!list) throw plain(404, 'could not find the board that the card belongs to');
  return call.list('write', list.id);
};

const boardOf = (call: Call, card: Card): Board => call.board('read', card.idBoard);

const members = (call: Call, card: Card) =>
  card.idMembers.map((id) => call.world.members.get(id)).filter((member) => member !== undefined);

export const cardRoutes: readonly Endpoint[] = [
  post('/cards', write, (call) => {
    const { actor } = call;
    const list = listFor(call);
    const card = createCard(call.world, actor, list, newCardFrom(call, call.board('write', list.idBoard)));
    attachSources(call, card);
    return showFreshCard(card, call.viewer);
  }),
  get('/cards/:card', read, (call) => {
    const card = call.card();
    return { ...show(singleCardShape, card, call.fields(singleCardFields), call.viewer), ...nestedInCard(call, card) };
  }),
  put('/cards/:card', [...read, ...write], (call) => {
    const card = call.card('write');
    return whole(call, updateCard(call.world, call.actor, card, cardChangesFrom(call, card)));
  }),
  del('/cards/:card', write, (call) => {
    deleteCard(call.world, call.actor, call.card('write'));
    return { limits: {} };
  }),
  get('/cards/:card/board', read, (call) =>
    show(boardShape, boardOf(call, call.card()), call.fields('all'), call.viewer),
  ),
  get('/cards/:card/list', read, (call) =>
    show(listShape, call.list('read', call.card().idList), call.fields('all'), call.viewer),
  ),
  get('/cards/:card/members', read, (call) =>
    members(call, call.card()).map((member) => showMember(member, call.fields(memberBasics), call.viewer)),
  ),
  get(
    '/cards/:card/checkItemStates',
    read,
    (call) => show(singleCardShape, call.card(), ['checkItemStates'], call.viewer)['checkItemStates'],
  ),
  get('/cards/:card/stickers', read, (call) => {
    call.card();
    return [];
  }),
  get('/cards/:card/pluginData', read, (call) => {
    call.card();
    return [];
  }),
  post('/cards/:card/idLabels', write, (call) => {
    const card = call.card('write');
    const id = call.input.id('value');
    const label = call.world.labels.get(id ?? '');
    if (id === undefined) throw invalidValue('value');
    if (label?.idBoard !== card.idBoard) throw invalidObjectId();
    addLabelToCard(call.world, call.actor, card, label);
    return card.idLabels;
  }),
  del('/cards/:card/idLabels/:idLabel', write, (call) => {
    removeLabelFromCard(call.world, call.actor, call.card('write'), (call.params['idLabel'] ?? '').toLowerCase());
    return { _value: null };
  }),
  post('/cards/:card/labels', write, (call) => {
    const card = call.card('write');
    const label = createLabel(
      call.world,
      call.actor,
      boardOf(call, card),
      call.input.text('name') ?? '',
      colorFrom(call) ?? null,
    );
    addLabelToCard(call.world, call.actor, card, label);
    return show(labelShape, label, 'all', call.viewer);
  }),
  post('/cards/:card/idMembers', write, (call) => {
    const card = call.card('write');
    const id = call.input.id('value', () => invalidValue('value'));
    if (id === undefined) throw invalidValue('value');
    addMemberToCard(call.world, call.actor, card, boardMember(call, boardOf(call, card), id));
    return members(call, card).map((member) => shortMember(member, call.viewer));
  }),
  del('/cards/:card/idMembers/:idMember', write, (call) => {
    const card = call.card('write');
    removeMemberFromCard(call.world, call.actor, card, (call.params['idMember'] ?? '').toLowerCase());
    return members(call, card).map((member) => shortMember(member, call.viewer));
  }),
  get('/cards/:card/:field', read, (call) => {
    const { field = '' } = call.params;
    if (!Object.hasOwn(singleCardShape, field)) throw plain(404, `Cannot GET /1/cards/${call.params['card']}/${field}`);
    return { _value: singleCardShape[field]?.(call.card(), call.viewer) };
  }),
  // Recorded in 2020 and no longer documented: one field at a time, the whole card comes back.
  put('/cards/:card/:field', [...read, ...write], (call) => {
    const { field = '' } = call.params;
    const settable = [
      'name',
      'desc',
      'closed',
      'idList',
      'idBoard',
      'pos',
      'due',
      'start',
      'dueComplete',
      'idMembers',
      'idLabels',
      'subscribed',
      'idAttachmentCover',
    ];
    if (!settable.includes(field)) throw plain(404, `Cannot PUT /1/cards/${call.params['card']}/${field}`);
    const card = call.card('write');
    if (!call.input.has('value')) throw invalidValue('value');
    const input = new Input(new Map([[field, call.input.raw('value')]]));
    const one = call.with(input);
    return whole(call, updateCard(call.world, call.actor, card, cardChangesFrom(one, card)));
  }),
];
