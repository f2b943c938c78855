/** Words of a text, lower case, one blank between and around them: what the index would hold. */
export const indexed = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** A `*` is understood only at the end of a word or phrase; anywhere else it has no meaning, so nothing matches. */
const misplacedStar = /\*(?!$)/;

/**
 * Finds a word or phrase in indexed text. Words match by their beginning; with `whole` (addresses and domains) the
 * last word has to end there, unless it ends in `*`.
 */
export const phraseMatcher = (value: string, whole = false): ((text: string) => boolean) => {
  const wanted = indexed(value).trimEnd();
  if (wanted === '' || misplacedStar.test(value)) return () => false;
  const needle = whole && !value.endsWith('*') ? `${wanted} ` : wanted;
  return (text) => text.includes(needle);
};

/** Two words at most `distance` words apart. */
export const nearMatcher = (
  [left, right]: [string, string],
  distance: number,
  ordered: boolean,
): ((text: string) => boolean) => {
  const [a, b] = [indexed(left).trim(), indexed(right).trim()];
  if (a === '' || b === '') return () => false;
  return (text) => {
    const words = text.trim().split(' ');
    const positions = (word: string) => words.flatMap((found, at) => (found.startsWith(word) ? [at] : []));
    const ends = positions(b);
    return positions(a).some((from) =>
      ends.some((to) => (ordered ? to > from : to !== from) && Math.abs(to - from) - 1 <= distance),
    );
  };
};
