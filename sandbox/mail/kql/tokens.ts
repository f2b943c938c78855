import { badRequest } from '../graph-error.ts';

export type Operator = ':' | '=' | '<>' | '<' | '<=' | '>' | '>=';
export type KqlToken =
  | { kind: 'open' | 'close' | 'and' | 'or' | 'not' }
  | { kind: 'near'; ordered: boolean; distance: number }
  | { kind: 'text'; value: string; quoted: boolean }
  | { kind: 'restriction'; property: string; operator: Operator; value: string; quoted: boolean };

const properties = new Set(
  `attachment attachmentnames bcc body category cc from hasattachment hasattachments importance isread kind participants
  received recipients sent size subject to`.split(/\s+/),
);
const nearDefault = 8;

const near = /^(O?NEAR)(?:\((?:n=)?(\d{1,4})\))?(?=\s|$)/;
const word = /^(AND|OR|NOT)(?=[\s()]|$)/;
// No blank may stand around the operator; with one, it is all free text.
const restriction = /^([A-Za-z]+)(:|=|<>|<=|>=|<|>)(?=[^\s)])/;
const phrase = /^"([^"]*)"(\*?)/;
const bare = /^[^\s()"]+/;

/** Operators count only in capitals; names of properties in any letter case. */
export const tokenize = (text: string): KqlToken[] => {
  const tokens: KqlToken[] = [];
  let rest = text.trimStart();
  const take = (length: number): void => {
    rest = rest.slice(length).trimStart();
  };
  const sign = { '(': 'open', ')': 'close' } as const;
  for (let first = rest[0]; first !== undefined; first = rest[0]) {
    if (first === '(' || first === ')') {
      tokens.push({ kind: sign[first] });
      take(1);
      continue;
    }
    const nearby = near.exec(rest);
    if (nearby !== null) {
      tokens.push({ kind: 'near', ordered: nearby[1] === 'ONEAR', distance: Number(nearby[2] ?? nearDefault) });
      take(nearby[0].length);
      continue;
    }
    const operator = word.exec(rest);
    if (operator !== null) {
      tokens.push({ kind: (operator[1] as string).toLowerCase() as 'and' | 'or' | 'not' });
      take(operator[0].length);
      continue;
    }
    if ((first === '-' || first === '+') && /^[-+][^\s)]/.test(rest)) {
      tokens.push({ kind: first === '-' ? 'not' : 'and' });
      take(1);
      continue;
    }
    const limited = restriction.exec(rest);
    if (limited !== null && properties.has((limited[1] as string).toLowerCase())) {
      const after = rest.slice(limited[0].length);
      const quoted = phrase.exec(after);
      const value = quoted ?? bare.exec(after);
      if (value !== null) {
        tokens.push({
          kind: 'restriction',
          property: (limited[1] as string).toLowerCase(),
          operator: limited[2] as Operator,
          value: quoted === null ? value[0] : `${quoted[1]}${quoted[2]}`,
          quoted: quoted !== null,
        });
        take(limited[0].length + value[0].length);
        continue;
      }
    }
    const quoted = phrase.exec(rest);
    const plain = quoted ?? bare.exec(rest);
    if (plain === null) throw badRequest(`Syntax error: unterminated phrase in '${text.slice(0, 200)}'.`);
    tokens.push({
      kind: 'text',
      value: quoted === null ? plain[0] : `${quoted[1]}${quoted[2]}`,
      quoted: quoted !== null,
    });
    take(plain[0].length);
  }
  return tokens;
};
