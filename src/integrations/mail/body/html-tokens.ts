import { decodeEntities } from './entities.ts';

export type Token =
  | { kind: 'text'; text: string }
  | { kind: 'open'; name: string; attributes: ReadonlyMap<string, string> }
  | { kind: 'close'; name: string }
  /** What stands inside <style>. */
  | { kind: 'style'; text: string };

/** Elements whose content is no text for readers; they end at their own end tag and nowhere else. */
const raw = new Map(
  [
    'script',
    'style',
    'title',
    'textarea',
    'noscript',
    'template',
    'iframe',
    'xmp',
    'noembed',
    'noframes',
    'svg',
    'math',
  ].map((name) => [name, new RegExp(`</${name}(?=[\\s/>]|$)`, 'gi')]),
);

const tagName = /[A-Za-z][^\s/>]*/y;
// One attribute, or anything else up to the next blank. Each alternative starts with another character, so it is linear.
const attribute = /[\s/]*(?:([^\s/>=][^\s/>=]*)\s*(?:=\s*(?:"([^"]*)"?|'([^']*)'?|([^\s>"'][^\s>]*)?))?|(=))/y;
const mostAttributes = 64;

const none: ReadonlyMap<string, string> = new Map();

const readAttributes = (html: string, from: number): { attributes: ReadonlyMap<string, string>; end: number } => {
  if (html.charCodeAt(from) === 62) return { attributes: none, end: from + 1 };
  const attributes = new Map<string, string>();
  let at = from;
  for (;;) {
    attribute.lastIndex = at;
    const found = attribute.exec(html);
    if (found === null) break;
    at = attribute.lastIndex;
    const [, name, double, single, bare] = found;
    if (name === undefined || attributes.size >= mostAttributes) continue;
    const key = name.toLowerCase();
    // As browsers do, the first of two attributes of a name counts.
    if (!attributes.has(key)) attributes.set(key, decodeEntities(double ?? single ?? bare ?? ''));
  }
  const close = html.indexOf('>', at);
  return { attributes, end: close < 0 ? html.length : close + 1 };
};

/** The end of a comment, or of anything else that starts with `<!` or `<?`. */
const skipDeclaration = (html: string, at: number): number => {
  const comment = html.startsWith('<!--', at);
  const close = comment ? html.indexOf('-->', at + 2) : html.indexOf('>', at);
  return close < 0 ? html.length : close + (comment ? 3 : 1);
};

/** Reads HTML as far as text needs it, each character once. Broken mark-up is read as browsers read it, roughly. */
export function* tokensOf(html: string): Generator<Token> {
  let at = 0;
  let textFrom = 0;
  while (at < html.length) {
    const start = html.indexOf('<', at);
    if (start < 0) break;
    const next = html.charCodeAt(start + 1);
    const closing = next === 47;
    tagName.lastIndex = start + (closing ? 2 : 1);
    const name = tagName.exec(html)?.[0].toLowerCase();
    if (name === undefined && next !== 33 && next !== 63) {
      // A lone "<" is text.
      at = start + 1;
      continue;
    }
    if (start > textFrom) yield { kind: 'text', text: decodeEntities(html.slice(textFrom, start)) };
    if (name === undefined) at = skipDeclaration(html, start);
    else {
      const { attributes, end } = readAttributes(html, tagName.lastIndex);
      at = end;
      if (closing) yield { kind: 'close', name };
      else {
        const ends = raw.get(name);
        if (ends === undefined) yield { kind: 'open', name, attributes };
        else {
          ends.lastIndex = at;
          const found = ends.exec(html);
          if (name === 'style') yield { kind: 'style', text: html.slice(at, found?.index) };
          const close = found === null ? -1 : html.indexOf('>', found.index);
          at = close < 0 ? html.length : close + 1;
        }
      }
    }
    textFrom = at;
  }
  if (textFrom < html.length) yield { kind: 'text', text: decodeEntities(html.slice(textFrom)) };
}
