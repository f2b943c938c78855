import { withoutInvisible } from '../body/invisible.ts';
import { refuse, type Stretch, shown } from './filter-fault.ts';
import { type Property, properties, propertyNamed } from './properties.ts';

export type Operator = ':' | '=' | '<>' | '<' | '<=' | '>' | '>=';
/** What is looked for, as it was written, without its quotation marks. */
export type Value = Stretch & { text: string; quoted: boolean };
export type Term = Stretch & { kind: 'term'; asked?: { property: Property; operator: Operator }; value: Value };
export type Token = (Stretch & { kind: 'open' | 'close' | 'and' | 'or' | 'not' | 'plus' }) | Term;

// What is copied from elsewhere brings marks of direction and blanks without width along.
const unseen = '\\u00ad\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2069';
const blanks = new RegExp(`[\\s${unseen}]*`, 'y');
const goesOn = new RegExp(`[^\\s()${unseen}]`);
// Each reads on from where it stands and never back, so a text is read in one go.
const run = /[^\s()"“”„]+/y;
// Word processors and phones turn plain quotation marks into curved ones.
const phrase = /["“”„]([^"“”„]*)["“”„](\**)/y;
const mark = /["“”„]/;
const operator = /<>|<=|>=|[:=<>]/;

const words = new Map([
  ['AND', 'and'],
  ['OR', 'or'],
  ['NOT', 'not'],
] as const);
const signs = new Map([
  ['(', 'open'],
  [')', 'close'],
] as const);

const readAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Why a word with an operator in it is no condition. */
const objection = (word: string, name: string): string => {
  const quote = 'To look for it as text, put it in quotation marks.';
  if (name === '') return `An operator follows the name of a property directly, as in subject:invoice. ${quote}`;
  if (word.includes('://')) return `${shown(word)} looks like a web address. ${quote}`;
  if (!/^[a-z]\w*$/i.test(name)) return `${shown(word)} is no condition. ${quote}`;
  return `${shown(name)} is not a property. Known are ${properties.join(', ')}. ${quote}`;
};

const readPhrase = (text: string, at: number): Value => {
  const found = readAt(phrase, text, at);
  if (found === null) return refuse({ at, length: text.length - at }, 'This quotation mark is never closed.');
  const [whole, inner = '', star = ''] = found;
  const after = text.charAt(at + whole.length);
  if (after !== '' && goesOn.test(after)) {
    refuse({ at: at + whole.length, length: 1 }, 'Put a space after a text in quotation marks.');
  }
  return { text: withoutInvisible(inner) + star, quoted: true, at, length: whole.length };
};

const readValue = (text: string, bare: Value, property: Property): Value => {
  const end = bare.at + bare.length;
  const next = text.charAt(end);
  if (bare.length === 0 && mark.test(next)) return readPhrase(text, end);
  if (bare.length === 0 && next === '(') {
    refuse({ at: end, length: 1 }, `Name the property for each value: (${property}:one OR ${property}:two).`);
  }
  if (bare.length === 0) {
    refuse({ at: end, length: 0 }, `A value must follow directly, without a space, as in ${property}:value.`);
  }
  return bare;
};

const readTerm = (text: string, at: number, word: string): Term => {
  const found = operator.exec(word);
  const seen = withoutInvisible(word);
  if (found === null) {
    return { kind: 'term', at, length: word.length, value: { text: seen, quoted: false, at, length: word.length } };
  }
  const name = withoutInvisible(word.slice(0, found.index));
  const property = propertyNamed(name);
  if (property === undefined) return refuse({ at, length: word.length }, objection(word, name));
  const from = found.index + found[0].length;
  const bare = { text: withoutInvisible(word.slice(from)), quoted: false, at: at + from, length: word.length - from };
  const value = readValue(text, bare, property);
  const asked = { property, operator: found[0] as Operator };
  return { kind: 'term', at, length: value.at + value.length - at, asked, value };
};

const readWord = (text: string, at: number): Token => {
  const word = readAt(run, text, at)?.[0] ?? '';
  const here = { at, length: word.length };
  const seen = withoutInvisible(word);
  const kind = words.get(seen as 'AND');
  if (kind !== undefined) return { kind, ...here };
  if (seen === 'NEAR' || seen === 'ONEAR') {
    refuse(
      here,
      `${seen} is not supported. Join conditions with AND, or put text that stands together in quotation marks.`,
    );
  }
  const term = readTerm(text, at, word);
  const after = text.charAt(at + word.length);
  if (!term.value.quoted && (after === '(' || mark.test(after))) {
    refuse({ at: at + word.length, length: 1 }, `Put a space before ${after}, or the whole text in quotation marks.`);
  }
  return term;
};

const readSign = (text: string, at: number): Token => {
  const next = text.charAt(at + 1);
  if (next === '' || /[\s)]/.test(next)) {
    refuse(
      { at, length: 1 },
      `A condition must follow ${text.charAt(at)} directly. To look for the sign itself, put it in quotation marks.`,
    );
  }
  return { kind: text.charAt(at) === '-' ? 'not' : 'plus', at, length: 1 };
};

/** The words, signs and texts of a filter. AND, OR and NOT count in capitals only. */
export const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = [];
  const skip = (at: number): number => at + (readAt(blanks, text, at)?.[0].length ?? 0);
  for (let at = skip(0); at < text.length; ) {
    const first = text.charAt(at);
    const sign = signs.get(first as '(');
    let token: Token;
    if (sign !== undefined) token = { kind: sign, at, length: 1 };
    else if (first === '-' || first === '+') token = readSign(text, at);
    else if (mark.test(first)) {
      const value = readPhrase(text, at);
      token = { kind: 'term', at, length: value.length, value };
    } else token = readWord(text, at);
    tokens.push(token);
    at = skip(at + token.length);
  }
  return tokens;
};
