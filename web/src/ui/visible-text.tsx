import { Fragment, memo, type ReactNode } from 'react';

// Controls, marks of direction, blanks without width, fillers and tags: what is there and not seen.
const unseen =
  '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5' +
  '\\u180b-\\u180f\\u200b\\u200c\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb' +
  '\\u{e0000}-\\u{e0fff}]';
// Within an emoji these two only choose its look.
const joiner = '(?<![\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])[\\u200d\\ufe00-\\ufe0f]';
const runs = new RegExp(`((?:${unseen}|${joiner})+)`, 'gu');
const one = new RegExp(`${unseen}|${joiner}`, 'gu');

export const hasUnseen = (text: string): boolean => text.search(one) >= 0;

const mostMarks = 400;
const chunkLength = 4_000;
// Of the page's own font, so that a million of them are drawn at once.
const stand = '·';

/** The same where only plain text can stand, as in the title of a window. */
export const withoutUnseen = (text: string): string => text.replaceAll(one, stand);

const codeOf = (text: string): string => `U+${(text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

const Mark = ({ text }: { text: string }) => {
  const count = Array.from(text).length;
  return (
    <span
      title="A character that is not seen, or that changes the order of what follows"
      className="mx-px rounded bg-warn-soft px-1 font-mono text-[0.8em] text-warn [unicode-bidi:isolate]"
    >
      {codeOf(text)}
      {count > 1 && ` … ×${count}`}
    </span>
  );
};

/** Long text in pieces that the browser lays out only when they come into view. */
const piecesOf = (text: string): string[] => {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const next = text.slice(from, from + chunkLength);
    const line = from + chunkLength < text.length ? next.lastIndexOf('\n') : -1;
    const piece = line < 0 ? next : next.slice(0, line + 1);
    pieces.push(piece);
    from += piece.length;
  }
  return pieces;
};

/** Text from outside with every character shown: those that hide or reorder others are named instead of obeyed. */
export const VisibleText = memo(({ text }: { text: string }): ReactNode => {
  let marks = 0;
  const shown = (piece: string): ReactNode => {
    if (marks >= mostMarks) return withoutUnseen(piece);
    const parts = piece.split(runs);
    if (parts.length === 1) return piece;
    marks += (parts.length - 1) / 2;
    if (parts.length > 2 * mostMarks) return withoutUnseen(piece);
    return parts.map((part, at) => <Fragment key={at}>{at % 2 === 0 ? part : <Mark text={part} />}</Fragment>);
  };
  if (text.length <= chunkLength) return <span className="untrusted">{shown(text)}</span>;
  return (
    <span className="untrusted block">
      {piecesOf(text).map((piece, at) => (
        <span key={at} className="row-lazy block">
          {shown(piece)}
        </span>
      ))}
    </span>
  );
});
