import type { Call } from '../call.ts';
import { bornAt, isId } from '../ids.ts';
import type { Action } from '../model.ts';
import { excludedFromFeeds } from '../operations/record.ts';
import { invalidValue, plain } from '../refusal.ts';
import { showAction } from '../views/actions.ts';
import { parseFields } from '../views/fields.ts';

type Filter = (action: Action) => boolean;

/** `commentCard,updateCard:idList`: types, some narrowed to one changed field. */
const parseFilter = (text: string): Filter => {
  if (text === 'all' || text === '') return () => true;
  const wanted = text.split(',').map((part) => part.trim().split(':') as [string, string | undefined]);
  return ({ type, data }) =>
    wanted.some(([name, field]) => {
      if (name !== type) return false;
      const { old } = data;
      return field === undefined || (typeof old === 'object' && old !== null && field in old);
    });
};

type Bound = { id?: string; time?: number };

/** A date or an id. */
const parseBound = (value: unknown, name: string): Bound | undefined => {
  if (value === undefined || value === '' || value === null || value === 'null') return undefined;
  if (typeof value !== 'string') throw invalidValue(name);
  if (isId(value)) return { id: value.toLowerCase() };
  if (value === 'lastView') return undefined;
  const time = Date.parse(value);
  if (!Number.isFinite(time)) throw invalidValue(name);
  return { time };
};

const whole = (value: unknown, name: string, otherwise: number, most: number, least = 0): number => {
  if (value === undefined || value === '') return otherwise;
  const number = Number(value);
  if (!Number.isInteger(number) || number < least || number > most) throw invalidValue(name);
  return number;
};

/** A page of things in order of id, newest first. `items` is oldest first. */
export const newestFirst = <T extends { id: string; date?: string }>(
  items: readonly T[],
  {
    before,
    since,
    limit,
    page,
  }: { before?: Bound | undefined; since?: Bound | undefined; limit: number; page: number },
  filter: (item: T) => boolean,
): T[] => {
  const found: T[] = [];
  let toSkip = page * limit;
  for (let at = items.length - 1; at >= 0 && found.length < limit; at--) {
    const item = items[at] as T;
    const time = Date.parse(item.date ?? '') || bornAt(item.id);
    if (before && (before.id !== undefined ? item.id >= before.id : time >= (before.time ?? 0))) continue;
    if (since && (since.id !== undefined ? item.id <= since.id : time <= (since.time ?? 0))) {
      if (since.id !== undefined) break;
      continue;
    }
    if (!filter(item)) continue;
    if (toSkip > 0) toSkip -= 1;
    else found.push(item);
  }
  return found;
};

export const pageOf = (call: Call, { prefix = '', maxPage = 1000 } = {}) => {
  const { input } = call;
  return {
    before: parseBound(input.raw(`${prefix}before`), 'before'),
    since: parseBound(input.raw(`${prefix}since`), 'since'),
    limit: whole(input.raw(`${prefix}limit`), 'limit', 50, 1000),
    page: whole(input.raw(`${prefix}page`), 'page', 0, maxPage),
  };
};

/** The actions of one model as GET …/actions tells them: newest first, without the types that only webhooks get. */
export const feed = (
  call: Call,
  idModel: string,
  { filter, prefix = '', maxPage = 1000 }: { filter?: string; prefix?: string; maxPage?: number } = {},
): unknown => {
  const { input, world, viewer } = call;
  const asked = filter ?? input.text('filter') ?? 'all';
  const types = parseFilter(asked);
  const idModels = input.text('idModels')?.split(',');
  const page = pageOf(call, { prefix, maxPage });
  if (page.page * page.limit > 20_000) throw plain(400, 'invalid value for page');
  const mayRead = new Map<string, boolean>();
  const readable = (idBoard: string | null): boolean => {
    if (idBoard === null) return true;
    const known = mayRead.get(idBoard);
    if (known !== undefined) return known;
    const board = world.boards.get(idBoard);
    const may = board !== undefined && call.may(board, 'read');
    mayRead.set(idBoard, may);
    return may;
  };
  const visible: Filter = (action) =>
    !excludedFromFeeds.has(action.type) &&
    types(action) &&
    readable(action.idBoard) &&
    (!idModels || idModels.some((id) => id === action.idCard || id === action.idBoard || action.idLists.includes(id)));
  const actions = newestFirst(world.actionsOf.get(idModel) ?? [], page, visible);
  if (input.raw('format') === 'count') return { _value: actions.length };
  const said = (name: string, otherwise: boolean): boolean => input.flag(name) ?? otherwise;
  return actions.map((action) =>
    showAction(action, viewer, {
      fields: parseFields(input.raw(prefix === '' ? 'fields' : 'action_fields'), 'all'),
      display: prefix === '' && said('display', false),
      memberCreator: prefix !== '' || said('memberCreator', true),
      member: prefix !== '' || said('member', true),
    }),
  );
};
