import { labelOf } from '../../forms/words.ts';

/** How a field of a step's input is edited. */
export type Kind = 'people' | 'line' | 'text' | 'day' | 'time' | 'flag' | 'choice' | 'json';

export type EditField = {
  name: string;
  kind: Kind;
  about: string | undefined;
  value: unknown;
  isMain: boolean;
  /** What can be chosen, and what people call it. */
  choices: readonly (readonly [value: string, words: string])[];
};

type Property = { type?: unknown; description?: string; enum?: readonly unknown[]; default?: unknown };
type Schema = { properties?: Record<string, Property> };

const first = [
  'to',
  'attendees',
  'cc',
  'bcc',
  'replyTo',
  'subject',
  'start',
  'end',
  'location',
  'body',
  'comment',
  'bodyFormat',
];
const wanted = new Set(['to', 'cc', 'bcc', 'subject', 'body', 'bodyFormat']);
const main = new Set([...first, 'method', 'endpoint', 'query', 'headers']);
const longTexts = new Set(['body', 'comment', 'text', 'desc']);

const isPerson = (value: unknown): boolean =>
  typeof value === 'string' ||
  (typeof value === 'object' &&
    value !== null &&
    typeof (value as { address?: unknown }).address === 'string' &&
    Object.keys(value).every((key) => key === 'name' || key === 'address'));

const lineLength = 120;

/** Times on the clock of their own zone; what a picker would not show, an offset or seconds, is typed. */
const pickedTimes: [Kind, RegExp][] = [
  ['day', /^\d{4}-\d\d-\d\d$/],
  ['time', /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::00)?$/],
];

const pickedBy = (name: string, value: unknown): Kind | undefined =>
  name === 'start' || name === 'end' ? pickedTimes.find(([, shape]) => shape.test(String(value)))?.[0] : undefined;

const kindOf = (name: string, value: unknown, { type, enum: values }: Property): Kind => {
  if (['to', 'cc', 'bcc', 'replyTo', 'attendees'].includes(name) && Array.isArray(value ?? []))
    return ((value ?? []) as unknown[]).every(isPerson) ? 'people' : 'json';
  const picked = pickedBy(name, value);
  if (picked !== undefined) return picked;
  if (typeof value === 'boolean') return 'flag';
  if (typeof value === 'string' && values !== undefined) return 'choice';
  if (typeof value === 'string' || (value === undefined && type === 'string'))
    return longTexts.has(name) || (typeof value === 'string' && (value.includes('\n') || value.length > lineLength))
      ? 'text'
      : 'line';
  return 'json';
};

const formats: Record<string, string> = { text: 'Plain text', html: 'HTML' };

/** What the step takes; what was given stands among it in any case. */
const choicesOf = (name: string, value: unknown, { enum: values = [] }: Property): [string, string][] =>
  [...new Set([...values, value])]
    .filter((each) => typeof each === 'string')
    .map((each) => [each, (name === 'bodyFormat' ? formats[each] : undefined) ?? labelOf(each)]);

/** The fields that may be changed: those that were given, and those that people expect of a mail. */
export const fieldsOf = (input: Record<string, unknown>, schema: unknown): EditField[] => {
  const { properties = {} } = (schema ?? {}) as Schema;
  const names = [
    ...new Set([
      ...first.filter((name) => name in input || (wanted.has(name) && name in properties)),
      ...Object.keys(input),
    ]),
  ];
  return names.map((name) => {
    const property = properties[name] ?? {};
    const value = input[name] ?? (name === 'bodyFormat' ? property.default : undefined);
    const kind = kindOf(name, value, property);
    const choices = kind === 'choice' ? choicesOf(name, value, property) : [];
    return { name, kind, about: property.description, value, isMain: main.has(name), choices };
  });
};

type Person = string | { name?: string; address: string };

/** As it is typed. A name that holds what parts people, or looks like an address, stands in quotation marks. */
const personAsText = (person: Person): string => {
  if (typeof person === 'string') return person;
  const { name, address } = person;
  if (name === undefined) return address;
  return `${/[,;@]/.test(name) && !name.includes('"') ? `"${name}"` : name} <${address}>`;
};

/** At commas and semicolons, but not at those in quotation marks or in a name: `Okafor, Ben <ben@example.com>` is one person. */
const peopleIn = (line: string): string[] => {
  const people: string[] = [];
  let before = '';
  for (const [part] of line.matchAll(/(?:"[^"]*"|[^,;])+/g)) {
    const isRestOfName = before !== '' && !before.includes('@') && /[^\s<][^<]*<[^<>]*>\s*$/.test(part);
    if (isRestOfName) people.pop();
    before = (isRestOfName ? `${before}, ${part.trim()}` : part).trim();
    people.push(before);
  }
  return people.filter((each) => each !== '');
};

/** Refused here: a model would be told how to look the person up. */
const typedPerson = (text: string): string => {
  if (text.includes('@')) return text;
  throw new Error(`"${text.slice(0, 100)}" is not a complete address such as ben@example.com.`);
};

export const toDraft = ({ kind, value }: EditField): string => {
  if (kind === 'people') return ((value ?? []) as Person[]).map(personAsText).join('\n');
  if (kind === 'flag') return String(value);
  if (kind === 'json') return value === undefined ? '' : JSON.stringify(value, undefined, 2);
  return typeof value === 'string' ? value : '';
};

/** What was typed, as the step takes it. Throws a sentence where it cannot be read. */
export const fromDraft = ({ kind, value }: Pick<EditField, 'kind' | 'value'>, text: string): unknown => {
  if (kind === 'people') {
    // Who was there before stays as given.
    const known = new Map(((value ?? []) as Person[]).map((each) => [personAsText(each), each]));
    const lines = text.split('\n').map((line) => line.trim());
    return lines
      .flatMap((line) => (known.has(line) ? [line] : peopleIn(line)))
      .map((person) => known.get(person) ?? typedPerson(person));
  }
  if (kind === 'flag') return text === 'true';
  if (kind !== 'json') return text;
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('This is not JSON yet.');
  }
};

const labels: Record<string, string> = {
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  replyTo: 'Answers to',
  attendees: 'Invited',
  subject: 'Subject',
  body: 'Body',
  bodyFormat: 'Body format',
  start: 'Begins',
  end: 'Ends',
  location: 'Where',
};

export const labelOfField = (name: string): string => labels[name] ?? labelOf(name);
