/*
 * Pieces of mark-up that stays as it is. What somebody else wrote may begin a tag or an element on every line and end none:
 * each character is looked at once all the same, which a pattern like `<[^>]*>` does not do.
 */

type Span = { from: number; to: number };

/** What begins as `opening` says and goes on to the next `>`. */
function* spans(html: string, opening: RegExp): Generator<Span> {
  const begins = new RegExp(opening.source, 'gi');
  for (let found = begins.exec(html); found !== null; found = begins.exec(html)) {
    const close = html.indexOf('>', begins.lastIndex);
    if (close < 0) return;
    yield { from: found.index, to: close + 1 };
    begins.lastIndex = close + 1;
  }
}

/** Every tag that begins an element, as it is written, and where. */
export function* tagsIn(html: string): Generator<{ tag: string; at: number }> {
  for (const { from, to } of spans(html, /<[a-z]/)) yield { tag: html.slice(from, to), at: from };
}

/** Elements of these names with all they hold, as far as they end. */
export function* elementsIn(html: string, ...names: readonly string[]): Generator<Span> {
  const begins = new RegExp(`<(${names.join('|')})\\b`, 'gi');
  const endless = new Set<string>();
  for (let found = begins.exec(html); found !== null; found = begins.exec(html)) {
    const name = (found[1] ?? '').toLowerCase();
    if (endless.has(name)) continue;
    const end = new RegExp(`</${name}>`, 'gi');
    end.lastIndex = begins.lastIndex;
    if (end.test(html)) {
      yield { from: found.index, to: end.lastIndex };
      begins.lastIndex = end.lastIndex;
    } else endless.add(name);
  }
}

const blanked = (html: string, cut: Iterable<Span>): string => {
  const kept: string[] = [];
  let at = 0;
  for (const { from, to } of cut) {
    // Many in a row leave one blank.
    if (from > at || at === 0) kept.push(html.slice(at, from), ' ');
    at = to;
  }
  kept.push(html.slice(at));
  return kept.join('');
};

/** A blank in the place of each element of these names. */
export const withoutElements = (html: string, ...names: readonly string[]): string =>
  blanked(html, elementsIn(html, ...names));

/** A blank in the place of each tag. */
export const withoutTags = (html: string): string => blanked(html, spans(html, /</));

/** Where the content of a page's body begins and ends; `undefined` where it does not begin. */
export const bodyIn = (html: string): Span | undefined => {
  const [opening] = spans(html, /<body/);
  if (opening === undefined) return undefined;
  const closes = /<\/body>/gi;
  closes.lastIndex = opening.to;
  let to = html.length;
  for (let found = closes.exec(html); found !== null; found = closes.exec(html)) to = found.index;
  return { from: opening.to, to };
};
