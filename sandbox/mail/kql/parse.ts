import { badRequest } from '../graph-error.ts';
import { type KqlToken, type Operator, tokenize } from './tokens.ts';

export type KqlNode =
  | { kind: 'and' | 'or'; parts: KqlNode[] }
  | { kind: 'not'; part: KqlNode }
  | { kind: 'near'; ordered: boolean; distance: number; terms: [string, string] }
  | { kind: 'text'; value: string }
  | { kind: 'restriction'; property: string; operator: Operator; value: string };

const deepest = 50;

/** NOT binds closest, then AND (written or not), then OR. */
export const parseKql = (text: string): KqlNode => {
  const tokens = tokenize(text);
  let at = 0;
  const wrong = () => badRequest(`Syntax error: the search query '${text.slice(0, 200)}' is not valid.`);
  const peek = (): KqlToken | undefined => tokens[at];

  const alternatives = (depth: number): KqlNode => {
    const parts = [conjunction(depth)];
    while (peek()?.kind === 'or') {
      at++;
      parts.push(conjunction(depth));
    }
    return parts.length === 1 ? (parts[0] as KqlNode) : { kind: 'or', parts };
  };
  const conjunction = (depth: number): KqlNode => {
    // `+x` at the start of a query is an AND without a left side.
    if (peek()?.kind === 'and') at++;
    const parts = [negation(depth)];
    for (let next = peek(); next !== undefined && next.kind !== 'or' && next.kind !== 'close'; next = peek()) {
      if (next.kind === 'and') at++;
      parts.push(negation(depth));
    }
    return parts.length === 1 ? (parts[0] as KqlNode) : { kind: 'and', parts };
  };
  const negation = (depth: number): KqlNode => {
    if (depth > deepest) throw wrong();
    if (peek()?.kind !== 'not') return term(depth);
    at++;
    return { kind: 'not', part: negation(depth + 1) };
  };
  const term = (depth: number): KqlNode => {
    const token = tokens[at++];
    if (token?.kind === 'open') {
      const inner = alternatives(depth + 1);
      if (tokens[at++]?.kind !== 'close') throw wrong();
      return inner;
    }
    if (token?.kind === 'restriction') return token;
    if (token?.kind !== 'text') throw wrong();
    const near = peek();
    if (near?.kind !== 'near') return { kind: 'text', value: token.value };
    at++;
    const right = tokens[at++];
    if (right?.kind !== 'text') throw wrong();
    return { kind: 'near', ordered: near.ordered, distance: near.distance, terms: [token.value, right.value] };
  };

  if (tokens.length === 0) throw wrong();
  const root = alternatives(0);
  if (at < tokens.length) throw wrong();
  return root;
};
