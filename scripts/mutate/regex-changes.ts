/** A pattern with one piece of it changed. */
type Change = { pattern: string; what: string };

type Piece = { text: string; inClass: boolean };

/** The signs of a pattern, escapes whole, and whether each stands in a class. */
const piecesOf = (pattern: string): Piece[] => {
  const pieces: Piece[] = [];
  let inClass = false;
  for (const [text] of pattern.matchAll(
    /\\u\{[^}]*\}|\\[pP]\{[^}]*\}|\\.|\(\?(?:[:!=]|<[!=]|<\w+>)|\{\d+(?:,\d*)?\}|[^]/gu,
  )) {
    if (text === '[' && !inClass) pieces.push({ text, inClass: false });
    else pieces.push({ text, inClass: inClass && text !== ']' });
    if (text === '[') inClass = true;
    else if (text === ']') inClass = false;
  }
  return pieces;
};

const opposite: Readonly<Record<string, string>> = {
  '\\s': '\\S',
  '\\S': '\\s',
  '\\w': '\\W',
  '\\W': '\\w',
  '\\d': '\\D',
  '\\D': '\\d',
  '\\b': '\\B',
  '\\B': '\\b',
  '(?=': '(?!',
  '(?!': '(?=',
  '(?<=': '(?<!',
  '(?<!': '(?<=',
};
const removed = /^(?:[\^$*+?]|\{.*\})$/;

/** What a pattern becomes without an anchor or a repetition, with a class or a look turned around. */
export const regexChanges = (pattern: string): Change[] => {
  const pieces = piecesOf(pattern);
  const texts = pieces.map(({ text }) => text);
  return pieces.flatMap(({ text, inClass }, at) => {
    const put = (by: string, what: string): Change => ({ pattern: texts.with(at, by).join(''), what });
    const turned = opposite[text];
    if (turned !== undefined && !(inClass && turned.toLowerCase() === '\\b'))
      return [put(turned, `${text} turned around`)];
    if (inClass) return [];
    if (text === '[') {
      if (texts[at + 1] !== '^') return [put('[^', 'a class turned around')];
      return [{ pattern: texts.toSpliced(at + 1, 1).join(''), what: 'a class turned around' }];
    }
    const first = at > 0 && texts[at - 1] === '[';
    return removed.test(text) && !first ? [put('', `without ${text}`)] : [];
  });
};
