import { z } from 'zod';
import { placeOf } from './place.ts';

const longest = 400;

const told = ({ path, message }: z.core.$ZodIssue): string =>
  path.length === 0 ? message : `${placeOf(path)}: ${message}`;

const oneOf = (values: readonly unknown[]): string => `must be one of ${values.map(String).join(', ')}`;

/** Of several ways to give a value: what is wrong with those that were meant, not with those of quite another type. */
const misfits = (ways: readonly (readonly z.core.$ZodIssue[])[]): string => {
  // Zod tells the values of an enumeration together, but not those of several literals.
  const values = ways.flat().flatMap((issue) => (issue.code === 'invalid_value' ? issue.values : [undefined]));
  if (values.every((value) => value !== undefined)) return oneOf(values);
  const meant = ways.filter((issues) => !issues.some(({ code, path }) => code === 'invalid_type' && path.length === 0));
  const wrong = (meant.length > 0 ? meant : ways).map((issues) => issues.map(told).join(', '));
  return [...new Set(wrong)].join('; or ').slice(0, longest);
};

const formats: Record<string, string> = {
  datetime: 'must be a date and time with its offset, such as 2026-11-02T09:00:00Z',
  date: 'must be a date, such as 2026-11-02',
};

const messageOf: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_format') return formats[issue.format];
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'must be given';
  if (issue.code === 'invalid_type' && Number.isNaN(issue.input)) return 'must be a number';
  if (issue.code !== 'invalid_union') return undefined;
  if (issue.input === undefined) return 'must be given';
  // Told apart by one field, which has none of the values that there are.
  if (issue.errors.length === 0 && Array.isArray(issue['options'])) return oneOf(issue['options']);
  return misfits(issue.errors) || undefined;
};

/** Of a value that can be given in several ways zod says "Invalid input" and nothing else; from here on, what is wrong. */
export const tellMisfits = (): void => void z.config({ customError: messageOf });
