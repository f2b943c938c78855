import { Fault, placeAt } from '#kit';
import { follow, parsePath, showPath, type ValuePath } from './path.ts';

/** A value with placeholders, read once. Constant parts stay as they are. */
export type Template =
  | { kind: 'constant'; value: unknown }
  /** The whole text is one placeholder: the value keeps its type. */
  | { kind: 'value'; path: ValuePath }
  | { kind: 'text'; parts: readonly (string | ValuePath)[] }
  | { kind: 'list'; items: readonly Template[] }
  | { kind: 'fields'; fields: readonly (readonly [string, Template])[] };

/** A mistake and where it is, as the form and the API name the place. */
export type Problem = { field: string; message: string };

export type Placeholder = { field: string; path: ValuePath };

export type Compiled = { template: Template; placeholders: Placeholder[]; problems: Problem[] };

const mostPlaceholders = 500;
const mostCharacters = 5_000_000;

// Backslashes are read from the first of them alone: from each, a long row of them would take hours.
const opening = /(?<!\\)(\\*)\{\{/g;

type Part = string | ValuePath | { problem: string };

/**
 * Splits text at its placeholders. A backslash makes `{{` literal; backslashes before it stand for themselves when
 * doubled. Backslashes elsewhere are ordinary characters.
 */
const split = (text: string): Part[] => {
  const parts: Part[] = [];
  let literal = '';
  let at = 0;
  for (const found of text.matchAll(opening)) {
    if (found.index < at) continue;
    const slashes = found[1]?.length ?? 0;
    literal += text.slice(at, found.index) + '\\'.repeat(Math.floor(slashes / 2));
    at = found.index + found[0].length;
    if (slashes % 2 === 1) {
      literal += '{{';
      continue;
    }
    const end = text.indexOf('}}', at);
    if (end === -1) return [...parts, { problem: '"{{" is not closed by "}}"; a literal one is written as "\\{{"' }];
    const path = parsePath(text.slice(at, end).trim());
    if (literal !== '') parts.push(literal);
    literal = '';
    parts.push(typeof path === 'string' ? { problem: path } : path);
    at = end + 2;
  }
  literal += text.slice(at);
  return literal === '' && parts.length > 0 ? parts : [...parts, literal];
};

/** Text that stands for exactly itself in a template. */
export const escapeText = (text: string): string =>
  text.replace(opening, (_, slashes: string) => `${slashes}${slashes}\\{{`);

/** Reads a value with placeholders; mistakes are named by their place. */
export const compile = (given: unknown, place: string): Compiled => {
  const placeholders: Placeholder[] = [];
  const problems: Problem[] = [];

  const compileText = (text: string, field: string): Template => {
    const parts = split(text);
    const sound = parts.filter((part): part is string | ValuePath => typeof part === 'string' || Array.isArray(part));
    for (const part of parts)
      if (typeof part === 'object' && 'problem' in part) problems.push({ field, message: part.problem });
    for (const part of sound) if (typeof part !== 'string') placeholders.push({ field, path: part });
    const [only] = sound;
    if (sound.length === 1 && only !== undefined) {
      return typeof only === 'string' ? { kind: 'constant', value: only } : { kind: 'value', path: only };
    }
    return { kind: 'text', parts: sound };
  };

  const compileValue = (value: unknown, field: string): Template => {
    if (typeof value === 'string') return compileText(value, field);
    if (Array.isArray(value)) {
      const items = value.map((each, at) => compileValue(each, placeAt(field, at)));
      return items.every(({ kind }) => kind === 'constant')
        ? { kind: 'constant', value: items.map((item) => (item as { value: unknown }).value) }
        : { kind: 'list', items };
    }
    if (typeof value !== 'object' || value === null) return { kind: 'constant', value };
    const fields = Object.entries(value).map(([key, each]) => [key, compileValue(each, placeAt(field, key))] as const);
    return fields.every(([, { kind }]) => kind === 'constant')
      ? {
          kind: 'constant',
          value: Object.fromEntries(fields.map(([key, each]) => [key, (each as { value: unknown }).value])),
        }
      : { kind: 'fields', fields };
  };

  const template = compileValue(given, place);
  if (placeholders.length > mostPlaceholders) {
    problems.push({ field: place, message: `has more than ${mostPlaceholders} placeholders` });
  }
  return { template, placeholders, problems };
};

const asText = (value: unknown): string => {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
};

/** About how many characters a value has as JSON; stops counting when there are more than `most`. */
const sizeOf = (value: unknown, most: number): number => {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 5;
  let size = 2;
  for (const key in value) {
    if (size > most) break;
    size += key.length + 4 + sizeOf((value as Record<string, unknown>)[key], most - size);
  }
  return size;
};

/**
 * Fills the placeholders in, in one pass: what is filled in is never read as a template. A path that leads nowhere is
 * refused by its place, or left out where `onMissing` is told of it; a field whose value is undefined is left out.
 */
export const fill = (
  template: Template,
  scope: Readonly<Record<string, unknown>>,
  place: string,
  onMissing?: (message: string) => void,
): unknown => {
  let left = mostCharacters;
  const spend = (size: number): void => {
    left -= size;
    if (left < 0) throw new Fault('too_large', `${place} becomes larger than ${mostCharacters} characters.`);
  };

  const at = (path: ValuePath, field: string): unknown => {
    const found = follow(path, scope);
    if ('value' in found) return found.value;
    const message = `{{${showPath(path)}}} leads nowhere: there is no ${found.missing}`;
    if (onMissing !== undefined) {
      onMissing(`${field}: ${message}; it was left out.`);
      return undefined;
    }
    throw new Fault('invalid_input', `${field}: ${message}.`, { details: { fields: [{ field, message }] } });
  };

  const filled = (node: Template, field: string): unknown => {
    switch (node.kind) {
      case 'constant':
        return node.value;
      case 'value': {
        const value = at(node.path, field);
        spend(sizeOf(value, left));
        return value;
      }
      case 'text': {
        const texts = node.parts.map((part) => {
          const text = typeof part === 'string' ? part : asText(at(part, field));
          spend(text.length);
          return text;
        });
        return texts.join('');
      }
      case 'list':
        return node.items.map((item, n) => filled(item, placeAt(field, n))).filter((each) => each !== undefined);
      case 'fields':
        return Object.fromEntries(
          node.fields
            .map(([key, each]) => [key, filled(each, placeAt(field, key))] as const)
            .filter(([, value]) => value !== undefined),
        );
    }
  };
  return filled(template, place);
};
