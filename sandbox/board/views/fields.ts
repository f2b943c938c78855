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

type Makers<T> = readonly (readonly [string, (thing: T, viewer: Viewer) => unknown])[];

// Walking a list is several times faster than walking an object, and every answer does it.
const listed = new WeakMap<object, Makers<never>>();

const makersOf = <T>(shape: Shape<T>): Makers<T> => {
  const known = listed.get(shape) as Makers<T> | undefined;
  if (known !== undefined) return known;
  const makers: Makers<T> = Object.entries(shape);
  listed.set(shape, makers);
  return makers;
};

/** The asked fields of a thing; its id is always among them. */
export const show = <T>(shape: Shape<T>, thing: T, fields: Fields, viewer: Viewer): Record<string, unknown> => {
  const shown: Record<string, unknown> = { id: shape['id']?.(thing, viewer) };
  if (fields === 'all') {
    for (const [name, make] of makersOf(shape)) shown[name] = make(thing, viewer);
    return shown;
  }
  for (const name of fields) {
    const make = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (make) shown[name] = make(thing, viewer);
  }
  return shown;
};
