import { Fault } from './fault.ts';

declare const escaped: unique symbol;
/** A path in which every value fills exactly one segment. Only `path` makes one. */
export type Path = string & { readonly [escaped]: true };

// `.` and `..` survive encoding and would be resolved by a URL parser, so they can never be values.
const climbs = /^\.{1,2}$/;

const segment = (value: string | number): string => {
  const text = String(value);
  if (text === '' || climbs.test(text)) {
    throw new Fault('invalid_input', `"${text}" cannot be used as an identifier in an address.`);
  }
  if (!text.isWellFormed()) {
    throw new Fault('invalid_input', 'An identifier holds half a character (a lone surrogate); send valid text.');
  }
  return encodeURIComponent(text);
};

/** Builds an upstream path; each value is escaped, so no input can leave its segment. */
export const path = (parts: TemplateStringsArray, ...values: readonly (string | number)[]): Path =>
  parts.reduce((built, part, index) => built + segment(values[index - 1] ?? '') + part) as Path;
