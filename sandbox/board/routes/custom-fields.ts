import type { Call } from '../call.ts';
import { invalidValue, notFound } from '../refusal.ts';
import { type Endpoint, get, post, put } from '../router.ts';
import type { World } from '../world.ts';

type FieldOption = { id: string; idCustomField: string; value: { text: string }; color: 'none'; pos: number };
type Field = {
  id: string;
  idModel: string;
  modelType: 'board';
  name: string;
  type: string;
  pos: number;
  display: { cardFront: boolean };
  options?: FieldOption[];
};
type Item = {
  id: string;
  idCustomField: string;
  idModel: string;
  modelType: 'card';
  idValue: string | null;
  value: Record<string, string> | null;
};

const types = new Set(['text', 'number', 'date', 'checkbox', 'list']);
const member: Readonly<Record<string, string>> = { text: 'text', number: 'number', date: 'date', checkbox: 'checked' };

const kept = new WeakMap<World, { fields: Field[]; items: Item[] }>();
const of = (world: World) => {
  const known = kept.get(world) ?? { fields: [], items: [] };
  kept.set(world, known);
  return known;
};

export const customFieldsOf = (world: World, idBoard: string): readonly Field[] =>
  of(world).fields.filter(({ idModel }) => idModel === idBoard);
export const customFieldItemsOf = (world: World, idCard: string): readonly Item[] =>
  of(world).items.filter(({ idModel }) => idModel === idCard);

const textOf = (option: unknown): string => {
  const { value } = (typeof option === 'object' ? option : null) as { value?: { text?: unknown } };
  if (typeof value?.text !== 'string') throw invalidValue('options');
  return value.text;
};

const create = (call: Call): Field => {
  const { input, world } = call;
  const board = call.board('write', input.text('idModel') ?? '');
  const [name, type] = [input.text('name'), input.text('type')];
  if (input.text('modelType') !== 'board' || !name) throw invalidValue('name');
  if (type === undefined || !types.has(type)) throw invalidValue('type');
  const id = world.id();
  const given = input.raw('options');
  const options = (Array.isArray(given) ? given : []).map((option, at) => ({
    id: world.id(),
    idCustomField: id,
    value: { text: textOf(option) },
    color: 'none' as const,
    pos: 16_384 * (at + 1),
  }));
  const pos = 16_384 * (customFieldsOf(world, board.id).length + 1);
  const field: Field = { id, idModel: board.id, modelType: 'board', name, type, pos, display: { cardFront: true } };
  if (type === 'list') field.options = options;
  of(world).fields.push(field);
  return field;
};

/** Values are texts under a name that goes with the field's type; an option is named by its id. Empty ones clear. */
const set = (call: Call): Item => {
  const { world, input, params } = call;
  const card = call.card('write');
  const field = customFieldsOf(world, card.idBoard).find(({ id }) => id === params['idCustomField']);
  if (field === undefined) throw notFound();
  const [value, idValue] = [input.raw('value'), input.text('idValue')];
  const { items } = of(world);
  const old = items.findIndex(({ idModel, idCustomField }) => idModel === card.id && idCustomField === field.id);
  const made: Item = {
    id: items[old]?.id ?? world.id(),
    idCustomField: field.id,
    idModel: card.id,
    modelType: 'card',
    idValue: null,
    value: null,
  };
  if (old >= 0) items.splice(old, 1);
  if (idValue) {
    if (!field.options?.some(({ id }) => id === idValue)) throw invalidValue('idValue');
    items.push({ ...made, idValue });
  } else if (typeof value === 'object' && value !== null) {
    const name = member[field.type] ?? '';
    const text = (value as Record<string, unknown>)[name];
    if (typeof text !== 'string' || (field.type === 'number' && !Number.isFinite(Number(text)))) {
      throw invalidValue('value');
    }
    items.push({ ...made, value: { [name]: text } });
  } else if (value !== '') {
    throw invalidValue('value');
  }
  return items.at(-1)?.id === made.id ? (items.at(-1) ?? made) : made;
};

export const customFieldRoutes: readonly Endpoint[] = [
  post('/customFields', ['write:board'], create),
  get('/boards/:board/customFields', ['read:board'], (call) => customFieldsOf(call.world, call.board().id)),
  get('/cards/:card/customFieldItems', ['read:board'], (call) => customFieldItemsOf(call.world, call.card().id)),
  put('/cards/:card/customField/:idCustomField/item', ['write:board'], set),
];
