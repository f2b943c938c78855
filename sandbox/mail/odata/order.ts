import { badRequest } from '../graph-error.ts';
import { noSuchProperty } from './errors.ts';
import { comparable, valueAt } from './evaluate.ts';
import { isEnum, propertyOf } from './model.ts';

export type OrderBy = { names: string[]; type: string; descending: boolean };

const clause = /^([a-z_][\w]*(?:\/[a-z_]\w*)*)(?:\s+(asc|desc))?$/i;

export const parseOrderBy = (text: string, entity: string): OrderBy[] =>
  text.split(',').map((part) => {
    const [, path, direction] = clause.exec(part.trim()) ?? [];
    if (path === undefined) throw badRequest(`Invalid orderby clause: Syntax error at position 0 in '${text}'.`);
    const names: string[] = [];
    let type = entity;
    for (const segment of path.split('/')) {
      const property = propertyOf(type, segment);
      if (property === undefined) throw badRequest(`Invalid orderby clause: ${noSuchProperty(segment, type)}`);
      if (property.collection)
        throw badRequest(
          'Invalid orderby clause: The $orderby expression must evaluate to a single value of primitive type.',
        );
      names.push(property.name);
      type = property.type;
    }
    if (!sortable.has(type) && !isEnum(type)) {
      throw badRequest(
        'Invalid orderby clause: The $orderby expression must evaluate to a single value of primitive type.',
      );
    }
    return { names, type, descending: direction?.toLowerCase() === 'desc' };
  });

const sortable = new Set(['string', 'id', 'wall', 'boolean', 'number', 'date']);

/** Nothing sorts before something; equal items keep their order. */
export const compareBy = (orderby: readonly OrderBy[]): ((a: unknown, b: unknown) => number) => {
  const keys = orderby.map(({ names, type, descending }) => ({
    names,
    key: comparable({ type }),
    sign: descending ? -1 : 1,
  }));
  return (a, b) => {
    for (const { names, key, sign } of keys) {
      const [x, y] = [key(valueAt(a, names)), key(valueAt(b, names))];
      if (x === y) continue;
      if (x === null) return -sign;
      if (y === null) return sign;
      if (x !== y) return x < y ? -sign : sign;
    }
    return 0;
  };
};
