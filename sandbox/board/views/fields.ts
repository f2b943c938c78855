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

/** The asked fields of a thing; its id is always among them. */
export const show = <T>(shape: Shape<T>, thing: T, fields: Fields, viewer: Viewer): Record<string, unknown> => {
  const shown: Record<string, unknown> = { id: shape['id']?.(thing, viewer) };
  if (fields === 'all') {
    for (const name in shape) shown[name] = shape[name]?.(thing, viewer);
    return shown;
  }
  for (const name of fields) {
    const make = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (make) shown[name] = make(thing, viewer);
  }
  return shown;
};
