import type { Clause, Condition, Filter, Range } from './tree.ts';

const plainValue = /^[^\s()*]+$/;
const plainWord = /^[^\s()*:=<>+-][^\s()*:=<>]*$/;
const reserved = new Set(['AND', 'OR', 'NOT', 'NEAR', 'ONEAR']);

const value = (text: string): string => (plainValue.test(text) ? text : `"${text}"`);
const word = ({ text, quoted }: Extract<Condition, { kind: 'word' }>): string => {
  if (quoted || !plainWord.test(text)) return `"${text}"`;
  // Written without a star it would join conditions.
  return reserved.has(text) ? `${text}*` : text;
};
const begun = (text: string): string => (plainValue.test(text) ? `${text}*` : `"${text}*"`);
const ended = (text: string): string => (plainValue.test(text) ? `*${text}` : `"*${text}"`);

const kilobyte = 2 ** 10;
const size = (bytes: number): string => {
  if (bytes === 0 || bytes % kilobyte !== 0) return String(bytes);
  return bytes % kilobyte ** 2 === 0 ? `${bytes / kilobyte ** 2}MB` : `${bytes / kilobyte}KB`;
};

const ranged = <T>(property: string, range: Range<T>, show: (value: T) => string): string =>
  range.operator === '..'
    ? `${property}:${value(`${show(range.from)}..${show(range.to)}`)}`
    : `${property}${range.operator}${value(show(range.value))}`;

const textual = ({ field, match, text }: Extract<Condition, { kind: 'text' }>): string => {
  switch (match) {
    case 'contains':
      return `${field}:${value(text)}`;
    case 'ends':
      return `${field}:${ended(text)}`;
    case 'equals':
      return `${field}=${value(text)}`;
    case 'starts':
      return `${field}=${begun(text)}`;
  }
};

const condition = (asked: Condition): string => {
  switch (asked.kind) {
    case 'word':
      return word(asked);
    case 'text':
      return textual(asked);
    case 'person':
      return `${asked.role}:${asked.by === 'domain' ? `*${asked.text}` : value(asked.text)}`;
    case 'category':
      return `category:${asked.match === 'starts' ? begun(asked.text) : value(asked.text)}`;
    case 'flag':
      return `${asked.flag}:${asked.value}`;
    case 'importance':
      return `importance:${asked.level}`;
    case 'size':
      return ranged('size', asked.range, size);
    case 'date':
      return ranged(asked.field, asked.range, (day) => day);
  }
};

const grouped = (clause: Clause): string =>
  clause.kind === 'and' || clause.kind === 'or' ? `(${printClause(clause)})` : printClause(clause);

export const printClause = (clause: Clause): string => {
  if (clause.kind === 'not') return `NOT ${grouped(clause.part)}`;
  if (clause.kind !== 'and' && clause.kind !== 'or') return condition(clause);
  return clause.parts.map(grouped).join(clause.kind === 'and' ? ' AND ' : ' OR ');
};

/** A filter as it was understood, with every AND and every parenthesis in place; read again, it is the same filter. */
export const printFilter = ({ clause }: Filter): string => printClause(clause);
