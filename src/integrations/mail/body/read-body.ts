import { htmlToText } from './html-to-text.ts';
import { withoutInvisible } from './invisible.ts';
import { withoutQuoted } from './quoted.ts';

export type RawBody = { contentType?: string | null | undefined; content?: string | null | undefined };

export type ReadBody = {
  format: 'text' | 'html';
  text: string;
  /** Characters of the whole. */
  length: number;
  truncated: boolean;
  quotedRemoved: boolean;
};

export type BodyOptions = {
  format: 'text' | 'html';
  maxChars: number;
  offset?: number | undefined;
  /** Keeps the mails that this one answers or forwards. */
  keepQuoted?: boolean | undefined;
};

// Longer than any text somebody wrote; what is left out could not be answered anyway.
const longest = 1_000_000;

const tidy = (text: string): string =>
  withoutInvisible(text)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

type Text = { text: string; quotedRemoved: boolean };

// Many triggers ask for the text of one mail, and a long one takes its time to read.
const once = <Made extends object>(make: (body: RawBody) => Made) => {
  const made = new WeakMap<RawBody, Made>();
  return (body: RawBody): Made => {
    const known = made.get(body) ?? make(body);
    made.set(body, known);
    return known;
  };
};

const rawOf = ({ content }: RawBody): string => (content ?? '').slice(0, longest);
const pagesOf = once((body) => htmlToText(rawOf(body)));

const isHtml = ({ contentType }: RawBody): boolean => contentType?.toLowerCase() === 'html';

const asText = (body: RawBody, keepQuoted: boolean): Text => {
  if (!isHtml(body)) return cut(tidy(rawOf(body)), keepQuoted, false);
  const { all, own, quoted } = pagesOf(body);
  const rest = tidy(own);
  // A bare forward is all quotation, and the quotation is what matters then.
  if (keepQuoted || !quoted || rest === '') return cut(tidy(all), keepQuoted, false);
  return cut(rest, false, true);
};

const cut = (text: string, keepQuoted: boolean, removed: boolean): Text => {
  if (keepQuoted) return { text, quotedRemoved: removed };
  const rest = withoutQuoted(text);
  return { text: rest.text, quotedRemoved: removed || rest.removed };
};

const wholeText = once((body) => asText(body, true));
const ownText = once((body) => asText(body, false));

/** A part of a text that never ends or begins with half a character. */
const slice = (text: string, from: number, count: number): string => {
  const half = (at: number) => /[\udc00-\udfff]/.test(text.charAt(at)) && /[\ud800-\udbff]/.test(text.charAt(at - 1));
  const start = half(from) ? from - 1 : from;
  const end = Math.min(text.length, from + count);
  return text.slice(start, half(end) ? end - 1 : end);
};

/**
 * A mail's body as an agent reads it, a part of it at a time: text a person would see, or the HTML as it is. A mail that
 * was written as plain text has none, and is told as text.
 */
export const readBody = (
  body: RawBody,
  { format: asked, maxChars, offset = 0, keepQuoted = false }: BodyOptions,
): ReadBody => {
  const format = asked === 'html' && isHtml(body) ? 'html' : 'text';
  const read = keepQuoted ? wholeText : ownText;
  const whole = format === 'html' ? { text: body.content ?? '', quotedRemoved: false } : read(body);
  const text = slice(whole.text, offset, maxChars);
  const { length } = whole.text;
  return { format, text, length, truncated: offset + maxChars < length, quotedRemoved: whole.quotedRemoved };
};

/** The service's preview, as small as promised. */
export const readPreview = (preview: string | null | undefined): string =>
  slice(
    withoutInvisible(preview ?? '')
      .replace(/\s+/g, ' ')
      .trim(),
    0,
    255,
  );
