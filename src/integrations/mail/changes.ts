import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { whereDifferent } from '#kit';

export const Change = z.object({ field: z.string(), from: z.unknown(), to: z.unknown() });
export type Change = z.output<typeof Change>;

const longest = 500;
const short = (value: unknown): unknown =>
  typeof value === 'string' && value.length > longest ? `${value.slice(0, longest).toWellFormed()}…` : (value ?? null);

export const changeOf = (field: string, was: unknown, is: unknown): Change => {
  const [from, to] = whereDifferent(was, is, longest).map(short);
  return { field, from, to };
};

/** What is different now, field by field; what changes with every touch is left out. */
export const changesBetween = (
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  ignored: readonly string[],
): Change[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((field) => !ignored.includes(field) && !isDeepStrictEqual(before[field], after[field]))
    .map((field) => changeOf(field, before[field], after[field]));
