import { z } from 'zod';
import { placeAt, placeOf } from './place.ts';

const longest = 400;
const mostKeys = 10;

const told = (issue: z.core.$ZodIssue): string => {
  const { message } = issue;
  const place = placeOf(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const keys = issue.keys.slice(0, mostKeys).map((key) => placeAt(place, key));
    return `${keys.join(', ')}: ${message}`;
  }
  return place === '' ? message : `${place}: ${message}`;
};

/** Whatever is asked for or came, in the words of the API's reference. */
const kinds: Record<string, string> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
};

const came = (input: unknown): string => {
  if (input === null) return 'null';
  if (typeof input === 'boolean') return String(input);
  return kinds[Array.isArray(input) ? 'array' : typeof input] ?? typeof input;
};

const isWord = (value: unknown): value is string | number => typeof value === 'string' || typeof value === 'number';

const oneOf = (values: readonly unknown[], input: unknown): string => {
  const wanted =
    values.length === 1 ? `must be ${String(values[0])}` : `must be one of ${values.map(String).join(', ')}`;
  // Of the right number as text the list alone would say that it is right.
  const same = isWord(input) ? values.find((value) => isWord(value) && String(value) === String(input)) : undefined;
  return same === undefined ? wanted : `${wanted}, as ${came(same)}, not ${came(input)}`;
};

const anyOf = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** That a value is of another type than one of those asked for. */
export const mistyped = (expected: readonly string[], input: unknown): string => {
  const wanted = `must be ${anyOf.format(new Set(expected.map((each) => kinds[each] ?? each)))}`;
  // A number that is no whole one, or none at all.
  const isNumber = typeof input === 'number' && (expected.includes('int') || Number.isNaN(input));
  return isNumber ? wanted : `${wanted}, not ${came(input)}`;
};

/** Of which type a value must be, where that is what is wrong with it. */
const typeMissed = (issues: readonly z.core.$ZodIssue[]): string | undefined =>
  issues.flatMap((issue) => (issue.code === 'invalid_type' && issue.path.length === 0 ? [issue.expected] : []))[0];

/** Whether a text is a number in all but its type. */
const spells = (input: unknown, expected: string): boolean =>
  expected === 'number' && typeof input === 'string' && input.trim() !== '' && !Number.isNaN(Number(input));

/** Of several ways to give a value: what is wrong with those that were meant, not with those of quite another type. */
const misfits = (ways: readonly (readonly z.core.$ZodIssue[])[], input: unknown): string => {
  // Zod tells the values of an enumeration together, but not those of several literals.
  const values = ways.flat().flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : [undefined]));
  if (values.every((value) => value !== undefined)) return oneOf(values, input);
  const isMeant = (expected: string | undefined) => expected === undefined || spells(input, expected);
  const meant = ways.filter((issues) => isMeant(typeMissed(issues)));
  if (meant.length === 0)
    return mistyped(
      ways.flatMap((issues) => typeMissed(issues) ?? []),
      input,
    );
  const each = meant.map((issues) => issues.map(told));
  const always = each.length === 1 ? [] : (each[0] ?? []).filter((text) => each.every((way) => way.includes(text)));
  const wrong = each.map((way) => way.filter((text) => !always.includes(text)).join(', '));
  // A word out of a list may well be meant for what is no word at all, such as a place given as a number.
  const listed = meant.flat().every(({ code, path }) => code === 'invalid_value' && path.length === 0);
  const types = ways.flatMap((issues) => typeMissed(issues) ?? []);
  if (listed && types.length > 0) wrong.push(anyOf.format(new Set(types.map((type) => kinds[type] ?? type))));
  const choice = [...new Set(wrong)].filter((text) => text !== '').join('; or ');
  return [...always, choice]
    .filter((text) => text !== '')
    .join('; ')
    .slice(0, longest);
};

const formats: Record<string, string> = {
  datetime: 'must be a date and time with its offset, such as 2026-11-02T09:00:00Z',
  date: 'must be a date, such as 2026-11-02',
  email: 'must be a mail address, such as ben@example.com',
  url: 'must be a whole web address, such as https://example.com/path',
};

const units: Record<string, readonly [one: string, many: string]> = {
  string: ['character', 'characters'],
  array: ['item', 'items'],
};

type Size = { origin: string; bound: number | bigint; inclusive?: boolean | undefined; exact?: boolean | undefined };

const missized = (side: 'least' | 'most', { origin, bound, inclusive = true, exact = false }: Size): string => {
  const unit = units[origin];
  if (unit === undefined) {
    if (inclusive) return `must be at ${side} ${bound}`;
    return `must be ${side === 'least' ? 'more' : 'less'} than ${bound}`;
  }
  if (side === 'least' && Number(bound) === 1) return 'must not be empty';
  return `must have ${exact ? 'exactly' : `at ${side}`} ${bound} ${unit[Number(bound) === 1 ? 0 : 1]}`;
};

const missing = (values: readonly unknown[]): string =>
  `must be given: ${oneOf(values, undefined).slice('must be '.length)}`;

const isWithout = (input: unknown, field: unknown): boolean =>
  typeof field === 'string' && !Object.hasOwn(Object(input), field);

/** Of objects that one field tells apart: which field that is, and what it can be. */
const objectsOf = (schema: unknown): string => {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return '';
  const asked = schema.safeParse({}).error?.issues[0]?.message ?? '';
  return `: an object whose ${schema.def.discriminator} is ${asked.slice('must be given: '.length)}`;
};

/** By what a schema tells of fields that there are not: those that there are. */
const there = new WeakMap<readonly string[], readonly string[]>();
export const fieldsThere = (unknown: readonly string[] = []): readonly string[] => there.get(unknown) ?? [];

const messageOf: z.core.$ZodErrorMap = (issue) => {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_format':
      return formats[issue.format] ?? 'is not of the form that is asked for here';
    case 'invalid_type':
      return input === undefined ? `must be given${objectsOf(issue.inst)}` : mistyped([issue.expected], input);
    case 'invalid_value':
      return input === undefined ? missing(issue.values) : oneOf(issue.values, input);
    case 'too_small':
      return missized('least', { ...issue, bound: issue.minimum });
    case 'too_big':
      return missized('most', { ...issue, bound: issue.maximum });
    case 'unrecognized_keys':
      if (issue.inst instanceof z.ZodObject) there.set(issue.keys, Object.keys(issue.inst.shape));
      return 'is not a field here';
    case 'invalid_union':
      if (input === undefined) return 'must be given';
      // Told apart by one field, which has none of the values that there are.
      if (issue.errors.length === 0 && Array.isArray(issue['options'])) {
        return isWithout(input, issue['discriminator'])
          ? missing(issue['options'])
          : oneOf(issue['options'], undefined);
      }
      return misfits(issue.errors, input) || undefined;
    default:
      return undefined;
  }
};

/** What a schema refuses is told in our words, wherever that is: what must be given, and what came instead. */
export const tellMisfits = (): void => void z.config({ customError: messageOf });
