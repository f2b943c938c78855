import { filterSyntax } from './errors.ts';

export type Literal =
  | { kind: 'literal'; type: 'string' | 'guid' | 'enum' | 'date'; value: string }
  | { kind: 'literal'; type: 'number'; value: number }
  | { kind: 'literal'; type: 'boolean'; value: boolean }
  | { kind: 'literal'; type: 'null'; value: null };
export type Token = { at: number } & (Literal | { kind: 'name'; text: string } | { kind: 'sign'; text: string });

const guid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])/iy;
const date = /\d{4}-\d\d-\d\d(?:(T)\d\d:\d\d(?::\d\d(?:\.\d{1,12})?)?(Z|[+-]\d\d:\d\d)?)?(?![\w:.+-])/iy;
const number = /-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?[lmfd]?(?![\w.])/iy;
const name = /[a-z_#][\w.]*/iy;
const blank = /\s+/y;

const matchAt = (pattern: RegExp, text: string, at: number): RegExpExecArray | null => {
  pattern.lastIndex = at;
  return pattern.exec(text);
};

/** Cuts a filter into tokens in one pass. */
export const tokenize = (text: string): Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  const quoted = (from: number): string => {
    let value = '';
    for (let start = from + 1; ; ) {
      const end = text.indexOf("'", start);
      if (end < 0) throw filterSyntax(`There is an unterminated string literal at position ${from} in '${text}'.`);
      value += text.slice(start, end);
      if (text[end + 1] !== "'") {
        at = end + 1;
        return value;
      }
      value += "'";
      start = end + 2;
    }
  };
  const take = (token: Token, length: number): void => {
    tokens.push(token);
    at += length;
  };

  while (at < text.length) {
    const start = at;
    const space = matchAt(blank, text, at);
    if (space) {
      at += space[0].length;
      continue;
    }
    const char = text.charAt(at);
    if (char === "'") {
      tokens.push({ at: start, kind: 'literal', type: 'string', value: quoted(start) });
      continue;
    }
    if ('(),/:'.includes(char)) {
      take({ at, kind: 'sign', text: char }, 1);
      continue;
    }
    const id = matchAt(guid, text, at);
    if (id) {
      take({ at, kind: 'literal', type: 'guid', value: id[0] }, id[0].length);
      continue;
    }
    const day = matchAt(date, text, at);
    if (day) {
      take({ at, kind: 'literal', type: 'date', value: instant(day) }, day[0].length);
      continue;
    }
    const amount = matchAt(number, text, at);
    if (amount) {
      take({ at, kind: 'literal', type: 'number', value: Number.parseFloat(amount[0]) }, amount[0].length);
      continue;
    }
    const word = matchAt(name, text, at)?.[0];
    if (word === undefined)
      throw filterSyntax(`Syntax error: character '${char}' is not valid at position ${at} in '${text}'.`);
    at += word.length;
    // A type in front of a quoted value, as in microsoft.graph.importance'high'.
    if (text[at] === "'") tokens.push({ at: start, kind: 'literal', type: 'enum', value: quoted(at) });
    else tokens.push(constant(word, start) ?? { at: start, kind: 'name', text: word });
  }
  return tokens;
};

const constant = (word: string, at: number): Token | undefined => {
  if (word === 'true' || word === 'false') return { at, kind: 'literal', type: 'boolean', value: word === 'true' };
  if (word === 'null') return { at, kind: 'literal', type: 'null', value: null };
  return undefined;
};

const instant = ([text, time, zone]: RegExpExecArray): string => {
  if (time !== undefined && zone === undefined) {
    throw filterSyntax(
      `The time zone information is missing on the DateTimeOffset value '${text}'. A DateTimeOffset value must contain the time zone information.`,
    );
  }
  const value = Date.parse(text.toUpperCase());
  if (Number.isNaN(value)) throw filterSyntax(`Unrecognized 'Edm.DateTimeOffset' literal '${text}'.`);
  return new Date(value).toISOString();
};
