import type { World } from '../world.ts';

export type Viewer = { world: World; idMember: string | null; email?: boolean };
export type Shape<T> = Record<string, (thing: T, viewer: Viewer) => unknown>;

export type Fields = readonly string[] | 'all';

/** `all`, a comma list, or nothing said. Unknown names are passed over, as the service does. */
export const parseFields = (text: unknown, otherwise: Fields): Fields => {
  if (typeof text !== 'string') return otherwise;
  if (text === 'all') return 'all';
  return text === '' ? [] : text.split(',').map((name) => name.trim());
};

/** Shows the same fields of every thing. */
type Show<T> = (thing: T, viewer: Viewer) => Record<string, unknown>;

/**
 * Prepares for showing these fields again and again. A copy of an object that has all its names is filled in, which V8
 * keeps in a form that is several times faster to make and to write as JSON than one that grows name by name.
 */
export const shower = <T>(shape: Shape<T>, fields: readonly string[] = Object.keys(shape)): Show<T> => {
  const names = ['id', ...fields.filter((name) => name !== 'id')];
  const makers = names.map((name) => shape[name] ?? (() => undefined));
  const blank = JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null])))) as object;
  return (thing, viewer) => {
    const shown: Record<string, unknown> = { ...blank };
    for (let at = 0; at < names.length; at++) shown[names[at] as string] = makers[at]?.(thing, viewer);
    return shown;
  };
};

const showers = new WeakMap<object, Show<never>>();

const showerOf = <T>(shape: Shape<T>): Show<T> => {
  const known = showers.get(shape) as Show<T> | undefined;
  if (known !== undefined) return known;
  const made = shower(shape);
  showers.set(shape, made);
  return made;
};

/** The asked fields of a thing; its id is always among them. */
export const show = <T>(shape: Shape<T>, thing: T, fields: Fields, viewer: Viewer): Record<string, unknown> => {
  if (fields === 'all') return showerOf(shape)(thing, viewer);
  const shown: Record<string, unknown> = { id: shape['id']?.(thing, viewer) };
  for (const name of fields) {
    const make = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (make) shown[name] = make(thing, viewer);
  }
  return shown;
};
