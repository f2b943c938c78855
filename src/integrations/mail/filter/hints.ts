import { type Clause, conditionsOf } from './tree.ts';

const meant = new Map([
  ['and', 'AND'],
  ['&', 'AND'],
  ['&&', 'AND'],
  ['or', 'OR'],
  ['|', 'OR'],
  ['||', 'OR'],
  ['not', 'NOT'],
  ['!', 'NOT'],
]);

/** Words that are looked for although they were perhaps meant to join conditions. */
export const hintsFor = (clause: Clause): string[] => {
  const words = conditionsOf(clause).flatMap((each) => (each.kind === 'word' ? [each.text] : []));
  return [...new Set(words)].flatMap((word) => {
    const operator = meant.get(word.toLowerCase());
    return operator === undefined ? [] : [`"${word}" is looked for as a word. To join conditions write ${operator}.`];
  });
};
