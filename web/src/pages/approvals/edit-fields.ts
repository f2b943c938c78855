import { labelOf } from '../../forms/words.ts';

/** How a field of a step's input is edited. */
export type Kind = 'people' | 'line' | 'text' | 'flag' | 'json';

export type EditField = { name: string; kind: Kind; about: string | undefined; value: unknown; isMain: boolean };

type Schema = { properties?: Record<string, { type?: unknown; description?: string }> };

const first = ['to', 'attendees', 'cc', 'bcc', 'replyTo', 'subject', 'start', 'end', 'location', 'body', 'comment'];
const wanted = new Set(['to', 'cc', 'bcc', 'subject', 'body']);
const main = new Set([...first, 'method', 'endpoint', 'query', 'headers']);
const longTexts = new Set(['body', 'comment', 'text', 'desc']);

const isPerson = (value: unknown): boolean =>
  typeof value === 'string' ||
  (typeof value === 'object' &&
    value !== null &&
    typeof (value as { address?: unknown }).address === 'string' &&
    Object.keys(value).every((key) => key === 'name' || key === 'address'));

const lineLength = 120;

const kindOf = (name: string, value: unknown, type: unknown): Kind => {
  if (['to', 'cc', 'bcc', 'replyTo', 'attendees'].includes(name) && Array.isArray(value ?? []))
    return ((value ?? []) as unknown[]).every(isPerson) ? 'people' : 'json';
  if (typeof value === 'boolean') return 'flag';
  if (typeof value === 'string' || (value === undefined && type === 'string'))
    return longTexts.has(name) || (typeof value === 'string' && (value.includes('\n') || value.length > lineLength))
      ? 'text'
      : 'line';
  return 'json';
};

/** The fields that may be changed: those that were given, and those that people expect of a mail. */
export const fieldsOf = (input: Record<string, unknown>, schema: unknown): EditField[] => {
  const { properties = {} } = (schema ?? {}) as Schema;
  const names = [
    ...new Set([
      ...first.filter((name) => name in input || (wanted.has(name) && name in properties)),
      ...Object.keys(input),
    ]),
  ];
  return names.map((name) => ({
    name,
    kind: kindOf(name, input[name], properties[name]?.type),
    about: properties[name]?.description,
    value: input[name],
    isMain: main.has(name),
  }));
};

export const toDraft = ({ kind, value }: EditField): string => {
  if (kind === 'people')
    return ((value ?? []) as (string | { name?: string; address: string })[])
      .map((each) =>
        typeof each === 'string' ? each : each.name === undefined ? each.address : `${each.name} <${each.address}>`,
      )
      .join('\n');
  if (kind === 'flag') return String(value);
  if (kind === 'json') return value === undefined ? '' : JSON.stringify(value, undefined, 2);
  return typeof value === 'string' ? value : '';
};

/** What was typed, as the step takes it. Throws a sentence where it cannot be read. */
export const fromDraft = ({ kind }: Pick<EditField, 'kind'>, text: string): unknown => {
  if (kind === 'people')
    return text
      .split(/[\n;]+/)
      .map((each) => each.trim())
      .filter((each) => each !== '');
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
  start: 'Begins',
  end: 'Ends',
  location: 'Where',
};

export const labelOfField = (name: string): string => labels[name] ?? labelOf(name);
