import { placeAt, placeOf } from '#kit';

/** Where a placeholder points: a root such as `inputs`, then names of fields and indexes of lists. */
export type ValuePath = readonly [root: string, ...rest: (string | number)[]];

const name = /[\p{L}_$][\p{L}\p{N}_$-]*/uy;
const index = /0|[1-9]\d{0,8}/y;
const quoted = /"(?:[^"\\]|\\.)*"/y;

// Reading own properties only is the defence; these have no business in a path anyway.
const forbidden = new Set(['__proto__', 'constructor', 'prototype']);

export const isForbiddenName = (text: string): boolean => forbidden.has(text);

export const showPath = ([root, ...rest]: ValuePath): string => placeOf(rest, root);

const unquote = (text: string): string | undefined => {
  try {
    return JSON.parse(text) as string;
  } catch {
    return undefined;
  }
};

/** Reads `steps.find.output[0].id`, or says why it is not a path. Names with other characters: `["@odata.type"]`. */
export const parsePath = (text: string): ValuePath | string => {
  const path: (string | number)[] = [];
  let at = 0;
  const read = (shape: RegExp): string | undefined => {
    shape.lastIndex = at;
    const found = shape.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  while (path.length === 0 || at < text.length) {
    if (path.length > 0 && text[at] === '[') {
      at += 1;
      const within = read(quoted);
      const key = within === undefined ? read(index) : unquote(within);
      if (key === undefined || text[at] !== ']') return `"${text}" is not a path; an index is written as [0]`;
      path.push(within === undefined ? Number(key) : key);
      at += 1;
    } else {
      if (path.length > 0 && text[at++] !== '.')
        return `"${text}" is not a path; only names, dots and indexes may be used`;
      const field = read(name);
      const key = field ?? (path.length > 0 ? read(index) : undefined);
      if (key === undefined) return `"${text}" is not a path; only names, dots and indexes may be used`;
      path.push(field === undefined ? Number(key) : key);
    }
  }
  const bad = path.find((key) => typeof key === 'string' && isForbiddenName(key));
  return bad === undefined ? (path as [string]) : `"${bad}" cannot be part of a path`;
};

/** What a path leads to. `missing` names the first part that is not there. */
export type Found = { value: unknown } | { missing: string };

/**
 * Follows a path through plain data: own fields of objects and elements of lists, nothing else. What is there but
 * undefined, such as an optional input that was not given, makes everything below it undefined.
 */
export const follow = (path: ValuePath, scope: Readonly<Record<string, unknown>>): Found => {
  let value: unknown = scope;
  let walked = '';
  for (const [at, key] of path.entries()) {
    if (at > 0 && value === undefined) return { value: undefined };
    walked = at === 0 ? String(key) : placeAt(walked, key);
    if (Array.isArray(value)) {
      if (typeof key !== 'number' || key >= value.length) return { missing: walked };
      value = value[key] as unknown;
    } else if (typeof value === 'object' && value !== null && Object.hasOwn(value, key)) {
      value = (value as Record<string | number, unknown>)[key];
    } else return { missing: walked };
  }
  return { value };
};
