const apart = '\x1f';
const nothing = '\x1e';
const within = '\x1d';

// oxlint-disable-next-line no-control-regex -- these are what takes columns apart, and what no text can hold
const control = /[\0-\x1f]/;

/** Whether texts can be told as parts of a column. JSON always can: it writes such characters down as escapes. */
export const areTellable = (texts: readonly (string | null)[]): boolean =>
  texts.every((text) => text === null || !control.test(text));

/**
 * The values of several rows as one text, which string_to_array(…, e'\x1f', e'\x1e') takes apart: both sides read it in far
 * less time than an array or JSON. One row alone is no column: its empty text would be none.
 */
export const column = (values: readonly (string | null)[]): string =>
  values.map((value) => value ?? nothing).join(apart);

/** Several texts as one value of a column. */
export const asOne = (texts: readonly string[]): string => texts.join(within);
