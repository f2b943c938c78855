import { inForm } from './normal-form.ts';

/**
 * A name as it is compared: letter case, in any script, and the signs by which an accented letter is written make no
 * difference. In Turkish the capitals of two letters are those of each other elsewhere, so all of them count as one.
 */
export const caseless = (name: string): string =>
  inForm(name, 'NFC').toUpperCase().toLowerCase().replaceAll('i\u0307', 'i');

export const sameName = (one: string, other: string): boolean => caseless(one) === caseless(other);
