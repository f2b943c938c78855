import { withoutLooseJoiners } from '#kit';

// Marks of direction, joiners, fillers, tags and selectors: a reader does not see them, a model does.
const ranges = [
  ['\0', '\b'],
  ['\v', '\u001f'],
  ['\u007f', '\u0084'],
  ['\u0086', '\u009f'],
  ['\u00ad', '\u00ad'],
  ['\u034f', '\u034f'],
  ['\u061c', '\u061c'],
  ['\u115f', '\u1160'],
  ['\u17b4', '\u17b5'],
  ['\u180b', '\u180f'],
  ['\u200b', '\u200b'],
  ['\u200e', '\u200f'],
  ['\u202a', '\u202e'],
  ['\u2060', '\u206f'],
  ['\u3164', '\u3164'],
  ['\ufe00', '\ufe0d'],
  ['\ufeff', '\ufeff'],
  ['\uffa0', '\uffa0'],
  ['\ufff0', '\ufffb'],
  ['\u{1bca0}', '\u{1bca3}'],
  ['\u{1d173}', '\u{1d17a}'],
  ['\u{e0000}', '\u{e0fff}'],
] as const;
const escape = (char: string): string => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
const invisible = new RegExp(`[${ranges.map(([from, to]) => `${escape(from)}-${escape(to)}`).join('')}]`, 'gu');

const plain = /^[\t\n\u0020-\u007e]*$/;

/** Text without characters that nobody sees. */
export const withoutInvisible = (text: string): string => (plain.test(text) ? text : clean(text));

const clean = (text: string): string =>
  withoutLooseJoiners(
    text
      .toWellFormed()
      .replace(/\r\n?|[\u2028\u2029\u0085]/g, '\n')
      .replace(invisible, ''),
  ).replace(/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]/g, ' ');
