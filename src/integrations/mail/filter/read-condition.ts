import { isAddress, isDomain, isRegistrable } from './addresses.ts';
import { backwards, dayNames, readDay } from './days.ts';
import { refuse, shown } from './filter-fault.ts';
import { foldText } from './fold-text.ts';
import type { Property } from './properties.ts';
import type { Operator, Term, Value } from './tokens.ts';
import { type Clause, type Condition, type Level, negated, type Range, type Role } from './tree.ts';

/** Everything but `<>`, which is NOT in other words. */
type Asked = { property: Property; operator: Exclude<Operator, '<>'>; value: Value };

const alike = ({ property, operator, value }: Asked): void => {
  if (operator === ':' || operator === '=') return;
  refuse(value, `${property} has no order; it takes ${property}:value, ${property}=value or ${property}<>value.`);
};

const isStar = (sign: string | undefined): boolean => sign === '*' || sign === ' ';

/** A text without the stars around it, and on which sides they stood. */
const withoutStars = (text: string): { text: string; before: boolean; after: boolean } => {
  const tidy = text.trim().replace(/\s+/g, ' ');
  let [start, end] = [0, tidy.length];
  while (isStar(tidy[start])) start++;
  while (end > start && isStar(tidy[end - 1])) end--;
  return { text: tidy.slice(start, end), before: start > 0, after: end < tidy.length };
};

/** Something to look for; blanks and accents alone would be found everywhere. */
const readText = (value: Value): ReturnType<typeof withoutStars> => {
  const read = withoutStars(value.text);
  if (!value.quoted && read.text.includes('*')) refuse(value, 'A star stands at the end of a word only.');
  if (foldText(read.text) === '') refuse(value, 'There is nothing to look for here; write a word or a phrase.');
  return read;
};

/** A text that is found wherever it stands, so that a star in front of it has no meaning. */
const readInnerText = (value: Value): ReturnType<typeof withoutStars> => {
  const read = readText(value);
  if (read.before) refuse(value, 'Leave out the star in front; text is found anywhere without one.');
  return read;
};

const readField = (field: 'subject' | 'body', asked: Asked): Condition => {
  alike(asked);
  const { text, after } = readInnerText(asked.value);
  const match = asked.operator === ':' ? 'contains' : after ? 'starts' : 'equals';
  return { kind: 'text', field, match, text };
};

/** Of a file's name the end is often what matters: attachment:*.pdf. */
const readAttachment = (asked: Asked): Condition => {
  alike(asked);
  const { text, before, after } = readText(asked.value);
  const unstarred = after ? 'starts' : 'equals';
  const match = before && !after ? 'ends' : before || asked.operator === ':' ? 'contains' : unstarred;
  return { kind: 'text', field: 'attachment', match, text };
};

/** Ways to say that everybody of a domain is meant: *contoso.com, @contoso.com, *@contoso.com, .contoso.com. */
const anybodyAt = /^[*@.]+/;

/** An address as mail programs copy it: Ada Lovelace <ada@contoso.com>. */
const inBrackets = /^[^<>]*<([^<>\s]+)>$/;

const readPerson = (role: Role, asked: Asked): Condition => {
  alike(asked);
  const given = asked.value.text.trim();
  const domain = given.replace(anybodyAt, '');
  if (domain !== given) {
    if (!isDomain(domain)) refuse(asked.value, `A domain must follow, as in ${role}:*contoso.com.`);
    return { kind: 'person', role, by: 'domain', text: domain.toLowerCase() };
  }
  const whole = readText(asked.value).text;
  const text = inBrackets.exec(whole)?.[1] ?? whole;
  if (isRegistrable(text)) return { kind: 'person', role, by: 'domain', text: text.toLowerCase() };
  if (isAddress(text)) return { kind: 'person', role, by: 'address', text: text.toLowerCase() };
  return { kind: 'person', role, by: 'text', text };
};

const readCategory = (asked: Asked): Condition => {
  alike(asked);
  const { text, after } = readInnerText(asked.value);
  return { kind: 'category', match: after ? 'starts' : 'equals', text };
};

const readChoice = <Choice>(choices: Readonly<Record<string, Choice>>, asked: Asked): Choice => {
  alike(asked);
  const { property, value } = asked;
  const name = value.text.trim().toLowerCase();
  const choice = Object.hasOwn(choices, name) ? choices[name] : undefined;
  if (choice !== undefined) return choice;
  return refuse(value, `${property} is one of ${Object.keys(choices).join(', ')}, not ${shown(value.text)}.`);
};

const truths = { true: true, false: false, yes: true, no: false };
// The search knows the middle level by another name than the message does.
const levels: Record<string, Level> = { low: 'low', normal: 'normal', medium: 'normal', high: 'high' };

const readRange = <T>(
  { operator, value }: Asked,
  read: (text: string) => T,
  isBackwards: (from: T, to: T) => boolean,
): Range<T> => {
  const [first = '', second, third] = value.text.split('..');
  if (second === undefined) return { operator: operator === '=' ? ':' : operator, value: read(first) };
  if (third !== undefined || (operator !== ':' && operator !== '=')) {
    refuse(value, 'A range has a beginning and an end, as in received:2026-01-01..2026-01-31.');
  }
  const [from, to] = [read(first), read(second)];
  if (isBackwards(from, to)) refuse(value, 'This range ends before it begins.');
  return { operator: '..', from, to };
};

const units: Record<string, number> = { '': 1, b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 };
const amount = /^(\d{1,15}(?:\.\d{1,6})?) ?([kmg]?b)?$/i;

const readSize =
  (value: Value) =>
  (text: string): number => {
    const [, digits, unit = ''] = amount.exec(text.trim()) ?? [];
    const bytes = Number(digits) * (units[unit.toLowerCase()] ?? 1);
    if (Number.isSafeInteger(Math.round(bytes))) return Math.round(bytes);
    return refuse(value, `${shown(text)} is not a size; write bytes, or 500KB or 2MB.`);
  };

const readDate =
  (value: Value) =>
  (text: string): string => {
    const day = readDay(text);
    if (day !== undefined) return day;
    const names = dayNames.map((name) => (name.includes(' ') ? `"${name}"` : name));
    return refuse(
      value,
      `${shown(text)} is not a day; write 07/23/2026 (month first), 2026-07-23, ${names.join(', ')}.`,
    );
  };

const readers: Record<Property, (asked: Asked) => Condition> = {
  subject: (asked) => readField('subject', asked),
  body: (asked) => readField('body', asked),
  attachment: readAttachment,
  from: (asked) => readPerson('from', asked),
  to: (asked) => readPerson('to', asked),
  cc: (asked) => readPerson('cc', asked),
  bcc: (asked) => readPerson('bcc', asked),
  recipients: (asked) => readPerson('recipients', asked),
  participants: (asked) => readPerson('participants', asked),
  hasAttachments: (asked) => ({ kind: 'flag', flag: 'hasAttachments', value: readChoice(truths, asked) }),
  isRead: (asked) => ({ kind: 'flag', flag: 'isRead', value: readChoice(truths, asked) }),
  importance: (asked) => ({ kind: 'importance', level: readChoice(levels, asked) }),
  category: readCategory,
  size: (asked) => ({ kind: 'size', range: readRange(asked, readSize(asked.value), (from, to) => to < from) }),
  received: (asked) => ({ kind: 'date', field: 'received', range: readRange(asked, readDate(asked.value), backwards) }),
  sent: (asked) => ({ kind: 'date', field: 'sent', range: readRange(asked, readDate(asked.value), backwards) }),
};

/** What one term of a filter asks of a mail. */
export const readCondition = ({ asked, value }: Term): Clause => {
  if (asked === undefined) return { kind: 'word', text: readInnerText(value).text, quoted: value.quoted };
  const { property, operator } = asked;
  if (operator === '<>') return negated(readers[property]({ property, operator: '=', value }));
  return readers[property]({ property, operator, value });
};
