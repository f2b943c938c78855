/** How a value is best read: in a line, as a text of its own, as facts, or one after the other. */
export type Readable =
  | { kind: 'line'; text: string }
  | { kind: 'time'; at: string }
  | { kind: 'text'; text: string }
  | { kind: 'facts'; facts: { name: string; value: Readable }[] }
  | { kind: 'list'; items: Readable[] };

type Fields = Record<string, unknown>;

const longestLine = 120;
const deepest = 4;
const mostItems = 50;
const fewFacts = 2;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What only machines read. */
const isForMachines = (name: string): boolean =>
  name === 'id' || name === 'shortLink' || /(?:Ids?|[lL]ink|[uU]rl)$/.test(name) || /^id[A-Z]/.test(name);

const line = (text: string): Readable => ({ kind: 'line', text });

const readText = (text: string): Readable => {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text))) return { kind: 'time', at: text };
  return text.length > longestLine || text.includes('\n') ? { kind: 'text', text } : line(text);
};

const textIn = (...given: unknown[]): string | undefined =>
  given.find((each): each is string => typeof each === 'string' && each !== '');

/** Times and people in one line, and a text, which says more than its length and format. */
const saidBy = ({ utc, address, name, text }: Fields): string | undefined => {
  const called = textIn(name);
  if (typeof address === 'string' && called !== undefined && called !== address) return `${called} <${address}>`;
  return textIn(utc, address, text);
};

const readFields = (fields: Fields, depth: number): Readable | undefined => {
  const said = depth === 0 ? undefined : saidBy(fields);
  if (said !== undefined) return readText(said);
  const facts = Object.entries(fields).flatMap(([name, each]) => {
    const value = isForMachines(name) ? undefined : readableOf(each, depth + 1);
    return value === undefined ? [] : [{ name, value }];
  });
  if (facts.length === 0) return undefined;
  // Of what has little to say, or stands beside the point, the name is enough.
  const named =
    depth > 1 || (depth === 1 && facts.length <= fewFacts) ? textIn(fields['name'], fields['fullName']) : undefined;
  return named === undefined ? { kind: 'facts', facts } : readText(named);
};

const readList = (items: readonly unknown[], depth: number): Readable | undefined => {
  const read = items.slice(0, mostItems).flatMap((each) => readableOf(each, depth + 1) ?? []);
  const more = items.length - mostItems;
  if (more > 0) read.push(line(`… and ${more} more`));
  if (read.length === 0) return undefined;
  const lines = read.flatMap((each) => (each.kind === 'line' ? [each.text] : []));
  const together = lines.join(', ');
  return lines.length === read.length && together.length <= longestLine
    ? line(together)
    : { kind: 'list', items: read };
};

/** What a value says to a person; `undefined` where that is nothing. */
export const readableOf = (value: unknown, depth = 0): Readable | undefined => {
  if (depth > deepest || value === null || value === undefined || value === '') return undefined;
  if (typeof value === 'boolean') return line(value ? 'yes' : 'no');
  if (typeof value === 'number') return line(String(value));
  if (typeof value === 'string') return readText(value);
  if (Array.isArray(value)) return readList(value, depth);
  return isFields(value) ? readFields(value, depth) : undefined;
};
