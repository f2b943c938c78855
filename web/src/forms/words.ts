import { type Scalar, type Schema, shapeOf } from './schema.ts';

const split = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const withoutId = (name: string): string => (/^id[A-Z]/.test(name) ? name.slice(2) : name.replace(/(?<=.)Ids?$/, ''));

const known: Record<string, string> = { desc: 'description', pos: 'position' };

/** Whether a field is another way to say what an `id…` field says, such as `list` besides `idList`. */
export const isByName = (name: string, siblings: readonly string[]): boolean =>
  siblings.some((each) => each !== name && /^id[A-Z]/.test(each) && split(withoutId(each)) === split(name));

/** `dueComplete` is shown as “Due complete”, `idList` as “List”, a `list` besides as “List by name”. */
export const labelOf = (name: string, siblings: readonly string[] = []): string => {
  const short = split(withoutId(name));
  return capital(`${known[short] ?? short}${isByName(name, siblings) ? ' by name' : ''}`);
};

/** A sentence about a form, with its fields as they are called on the screen; names of one plain word may be meant as a word. */
export const inLabels = (text: string, names: readonly string[]): string =>
  text.replaceAll(/(?<![\w.:/-])[a-z]+(?:[A-Z][a-z]*)+(?![\w:/-])/g, (name) =>
    names.includes(name) ? `“${labelOf(name, names)}”` : name,
  );

const kinds: Record<string, string> = {
  text: 'Text',
  picker: 'Chosen',
  time: 'Date',
  number: 'Number',
  switch: 'Yes or no',
  choice: 'One of a few',
  list: 'List',
  fields: 'Details',
  map: 'Fields',
  json: 'JSON',
};

/** The ways in which a field can be given, each told apart from the others. */
export const variantNames = (variants: readonly Schema[]): string[] => {
  const plain = variants.map((each) => each.title ?? kinds[shapeOf(each).kind] ?? 'Other');
  return plain.map((name, at) =>
    plain.indexOf(name) === plain.lastIndexOf(name)
      ? name
      : `${name}: ${Object.keys(variants[at]?.properties ?? {}).join(', ')}`,
  );
};

const choices: Record<string, string> = { text: 'plain text', html: 'HTML', refs: 'listed' };

/** One of a few values as people say it: `dueComplete` is “due complete”. What is a word already stays, as methods do. */
export const choiceInWords = (value: Scalar): string => {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  const text = String(value);
  if (choices[text] !== undefined) return choices[text];
  return text in known || /^[a-z]+(?:[A-Z][a-z]+)+$/.test(text) ? labelOf(text).toLowerCase() : text;
};

/** A value in few words, for “Default: …”. */
export const inWords = (value: unknown): string | undefined => {
  if (value === undefined || value === '' || value === null) return undefined;
  if (typeof value === 'boolean') return choiceInWords(value);
  if (typeof value === 'object') {
    const text = JSON.stringify(value);
    return text === '[]' || text === '{}' ? undefined : text;
  }
  return asText(value);
};

/** A plain value as it is typed. */
export const asText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
