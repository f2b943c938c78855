import type { Comparison, FilterNode, Operand } from './filter-tree.ts';

type Scope = { name: string; value: unknown; outer: Scope | undefined };
type Test = (entity: unknown, scope: Scope | undefined) => boolean;
type Read = (entity: unknown, scope: Scope | undefined) => unknown;

/** Makes a filter into a function, once per request. */
export const compileFilter = (node: FilterNode): ((entity: unknown) => boolean) => {
  const test = compile(node);
  return (entity) => test(entity, undefined);
};

const compile = (node: FilterNode): Test => {
  switch (node.kind) {
    case 'and': {
      const parts = node.parts.map(compile);
      return (entity, scope) => parts.every((part) => part(entity, scope));
    }
    case 'or': {
      const parts = node.parts.map(compile);
      return (entity, scope) => parts.some((part) => part(entity, scope));
    }
    case 'not': {
      const part = compile(node.part);
      return (entity, scope) => !part(entity, scope);
    }
    case 'truth': {
      const read = reader(node.operand);
      return (entity, scope) => read(entity, scope) === true;
    }
    case 'in': {
      const read = reader(node.left);
      const key = comparable(node.left);
      const values = new Set(node.values.map(({ value }) => key(value)));
      return (entity, scope) => values.has(key(read(entity, scope)));
    }
    case 'call': {
      const [text, part] = [reader(node.text), reader(node.part)];
      const method = ({ startswith: 'startsWith', endswith: 'endsWith', contains: 'includes' } as const)[node.name];
      return (entity, scope) => {
        const [whole, piece] = [fold(text(entity, scope)), fold(part(entity, scope))];
        return typeof whole === 'string' && typeof piece === 'string' && whole[method](piece);
      };
    }
    case 'any':
    case 'all':
      return lambda(node);
    case 'compare':
      return comparison(node.op, node.left, node.right);
  }
};

const lambda = ({ kind, collection, variable, body }: Extract<FilterNode, { kind: 'any' | 'all' }>): Test => {
  const read = reader(collection);
  const items = (entity: unknown, scope: Scope | undefined): unknown[] => {
    const value = read(entity, scope);
    return Array.isArray(value) ? value : [];
  };
  if (body === undefined || variable === undefined) return (entity, scope) => items(entity, scope).length > 0;
  const test = compile(body);
  return (entity, scope) => {
    const holds = (value: unknown) => test(entity, { name: variable, value, outer: scope });
    return kind === 'any' ? items(entity, scope).some(holds) : items(entity, scope).every(holds);
  };
};

const comparison = (op: Comparison, left: Operand, right: Operand): Test => {
  // The property decides how both sides are compared; a literal follows it.
  const key = comparable(left.kind === 'literal' ? right : left);
  const [a, b] = [keyReader(left, key), keyReader(right, key)];
  return (entity, scope) => {
    const [x, y] = [a(entity, scope), b(entity, scope)];
    if (op === 'eq') return x === y;
    if (op === 'ne') return x !== y;
    if (x === null || y === null) return false;
    if (op === 'gt') return x > y;
    if (op === 'ge') return x >= y;
    return op === 'lt' ? x < y : x <= y;
  };
};

/** The key of a literal is made once, not for every entity. */
const keyReader = (
  operand: Operand,
  key: (value: unknown) => Key,
): ((entity: unknown, scope: Scope | undefined) => Key) => {
  if (operand.kind === 'literal') {
    const constant = key(operand.value);
    return () => constant;
  }
  const read = reader(operand);
  return (entity, scope) => key(read(entity, scope));
};

const reader = (operand: Operand): Read => {
  if (operand.kind === 'literal') return () => operand.value;
  if (operand.kind === 'case') {
    const of = reader(operand.of);
    return (entity, scope) => {
      const value = of(entity, scope);
      if (typeof value !== 'string') return null;
      return operand.to === 'lower' ? value.toLowerCase() : value.toUpperCase();
    };
  }
  const { names, variable } = operand;
  return (entity, scope) => {
    let value: unknown = entity;
    if (variable !== undefined) {
      let found = scope;
      while (found !== undefined && found.name !== variable) found = found.outer;
      value = found?.value;
    }
    return valueAt(value, names);
  };
};

/** The value at a path; anything missing on the way is null. */
export const valueAt = (from: unknown, names: readonly string[]): unknown => {
  let value = from;
  for (const name of names) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as Record<string, unknown>)[name];
  }
  return value ?? null;
};

type Key = string | number | boolean | null | object;

/** The mailbox store compares text without regard to case; ids are the exception. */
const fold = (value: unknown): Key => (typeof value === 'string' ? value.toLowerCase() : plain(value));
const plain = (value: unknown): Key =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || typeof value === 'object'
    ? value
    : null;
const time = (value: unknown): Key => {
  if (typeof value !== 'string') return plain(value);
  const parsed = Date.parse(value);
  return Number.isNaN(parsed) ? null : parsed;
};
const wallTime = (value: unknown): Key => {
  if (typeof value !== 'string') return null;
  const zoned = /Z$|[+-]\d\d:\d\d$/i.test(value) || !value.includes('T') ? value : `${value}Z`;
  // A text that is no time equals only itself.
  return time(zoned) ?? fold(value);
};

export const comparable = (operand: { kind?: string; type?: string }): ((value: unknown) => Key) => {
  if (operand.kind === 'case') return plain;
  if (operand.type === 'id' || operand.type === 'number' || operand.type === 'boolean') return plain;
  if (operand.type === 'date') return time;
  return operand.type === 'wall' ? wallTime : fold;
};
