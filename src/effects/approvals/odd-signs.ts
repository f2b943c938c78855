import { type SendView, visibleText } from '#kit';

const reorders = /[\u202a-\u202e\u2066-\u2069]/;
const address = /^[^\s@]+@[^\s@]+$/;
// Letters, joined in one text, may need some that are not seen.
const mostUnseen = 8;

const textsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

const isPlain = (text: string): boolean => /^[\t\n\r\x20-\x7e]*$/.test(text);

/** Signs by which whoever decides could be misled, in all that has no place of its own in a view. */
export const oddSignsIn = (fields: SendView['fields']): string[] => {
  const odd = textsIn(fields).filter((text) => !isPlain(text));
  const foreign = odd
    .filter((text) => address.test(text))
    .map(
      (text) =>
        `${text} is ${text.replace(/[^\x20-\x7e]/gu, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`)}`,
    );
  const hides =
    odd.some((text) => reorders.test(text)) ||
    odd.reduce((sum, text) => sum + visibleText(text).removed, 0) > mostUnseen;
  return [
    ...[...new Set(foreign)].map((each) => `An address has signs that can be taken for others: ${each}.`),
    ...(hides ? ['The text has characters that are not seen.'] : []),
  ];
};
