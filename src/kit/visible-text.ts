import { withoutLooseJoiners } from './joiners.ts';

// Formats and controls, fillers that draw nothing, variation selectors: all that a reader would not see. Joiners and the
// selectors of emoji are looked at apart.
const invisible =
  /(?!\u200c|\u200d|\ufe0e|\ufe0f)(?:\p{Cf}|\p{Cc}|\p{Variation_Selector}|[\u2028\u2029]|\u034f|\u115f|\u1160|\u17b4|\u17b5|\u3164|\uffa0)/gu;
const plain = new Set(['\n', '\r', '\t']);

/** Text as a person would see it, and how much of it nobody would have seen. */
export const visibleText = (text: string): { text: string; removed: number } => {
  let removed = 0;
  const shown = text.toWellFormed().replace(invisible, (letter) => {
    if (plain.has(letter)) return letter;
    removed += 1;
    return '';
  });
  const seen = withoutLooseJoiners(shown);
  return { text: seen, removed: removed + shown.length - seen.length };
};

/** The same for every text inside a value, names included. */
export const visibleValue = (value: unknown): { value: unknown; removed: number } => {
  let removed = 0;
  const clean = (text: string): string => {
    const seen = visibleText(text);
    removed += seen.removed;
    return seen.text;
  };
  const walk = (each: unknown): unknown => {
    if (typeof each === 'string') return clean(each);
    if (Array.isArray(each)) return each.map(walk);
    if (typeof each !== 'object' || each === null) return each;
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [clean(name), walk(inner)]));
  };
  return { value: walk(value), removed };
};
