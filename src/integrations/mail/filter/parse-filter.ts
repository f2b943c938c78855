import { FilterFault, placedIn, refuse, type Stretch } from './filter-fault.ts';
import { hintsFor } from './hints.ts';
import { readCondition } from './read-condition.ts';
import { type Token, tokensOf } from './tokens.ts';
import { type Clause, type Filter, joined, negated } from './tree.ts';

export const longestFilter = 16_384;
const deepest = 64;

const name = { and: 'AND', or: 'OR', not: 'NOT', plus: '+', open: '(', close: ')', term: 'this' };
const closesNothing = 'This parenthesis closes nothing.';
const missing = (before: Token, found: Token | undefined): string =>
  before.kind === 'open' && found?.kind === 'close'
    ? 'There is nothing in these parentheses.'
    : `A condition must follow ${name[before.kind]}.`;

const read = (text: string): Filter => {
  if (text.length > longestFilter) {
    refuse(
      { at: longestFilter, length: text.length - longestFilter },
      `A filter has at most ${longestFilter} characters.`,
    );
  }
  const tokens = tokensOf(text);
  const end: Stretch = { at: text.trimEnd().length, length: 0 };
  let next = 0;

  const peek = (): Token['kind'] | undefined => tokens[next]?.kind;
  const take = (kind: Token['kind']): boolean => {
    if (peek() !== kind) return false;
    next++;
    return true;
  };

  const either = (depth: number): Clause => {
    const parts = [both(depth)];
    while (take('or')) parts.push(both(depth));
    return joined('or', parts);
  };
  const both = (depth: number): Clause => {
    const parts = [one(depth)];
    while (take('and') || (peek() !== undefined && peek() !== 'or' && peek() !== 'close')) parts.push(one(depth));
    return joined('and', parts);
  };
  const one = (depth: number): Clause => {
    let denied = false;
    for (; peek() === 'not' || peek() === 'plus'; next++) if (peek() === 'not') denied = !denied;
    const clause = single(depth);
    return denied ? negated(clause) : clause;
  };
  const single = (depth: number): Clause => {
    const token = tokens[next++];
    if (token?.kind === 'term') return readCondition(token);
    if (token?.kind === 'open') return group(token, depth + 1);
    const before = tokens[next - 2];
    if (before !== undefined) return refuse(before, missing(before, token));
    if (token === undefined) return refuse(end, 'A filter needs a condition.');
    return refuse(token, token.kind === 'close' ? closesNothing : `A condition must stand before ${name[token.kind]}.`);
  };
  const group = (open: Stretch, depth: number): Clause => {
    if (depth > deepest) refuse(open, `Parentheses go at most ${deepest} deep.`);
    const clause = either(depth);
    if (!take('close')) refuse(open, 'This parenthesis is never closed.');
    return clause;
  };

  const clause = either(0);
  const rest = tokens[next];
  if (rest !== undefined) refuse(rest, closesNothing);
  return { clause, hints: hintsFor(clause) };
};

/** Reads a search filter, or says where and why it cannot. NOT binds closest, then AND (written or not), then OR. */
export const parseFilter = (text: string): Filter => {
  try {
    return read(text);
  } catch (error) {
    throw error instanceof FilterFault ? placedIn(text, error) : error;
  }
};
