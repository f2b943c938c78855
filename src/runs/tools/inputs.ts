import { Fault, inOneLine, mistyped, placeAt } from '#kit';
import type { Problem } from '../templates/index.ts';
import type { ToolInput } from './definition.ts';

/** Why a value does not fit an input's type; `undefined` when it does. */
export const misfit = ({ type }: Pick<ToolInput, 'type'>, value: unknown): string | undefined => {
  switch (type) {
    case 'account':
      return typeof value === 'string' && value !== '' ? undefined : 'must be the id of an account';
    case 'array':
      return Array.isArray(value) ? undefined : mistyped(['array'], value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? undefined
        : mistyped(['object'], value);
    default:
      return typeof value === type ? undefined : mistyped([type], value);
  }
};

/** What a tool was given, as its steps see it: defaults filled in; what is optional and absent is undefined. */
export const readInputs = (
  inputs: readonly ToolInput[],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> => {
  const problems: Problem[] = [];
  const known = new Set(inputs.map(({ name }) => name));
  for (const name of Object.keys(given)) {
    if (!known.has(name)) problems.push({ field: placeAt('input', name), message: 'is not an input of this tool' });
  }
  const values = inputs.map((input) => {
    const there = Object.hasOwn(given, input.name) && given[input.name] !== undefined;
    const value = there ? given[input.name] : input.default;
    const message = value === undefined ? (input.required ? 'must be given' : undefined) : misfit(input, value);
    if (message !== undefined) problems.push({ field: placeAt('input', input.name), message });
    return [input.name, value] as const;
  });
  if (problems.length > 0) throw refuseProblems('The input does not fit this tool.', problems);
  return Object.fromEntries(values);
};

export const refuseProblems = (what: string, fields: readonly Problem[]): Fault =>
  new Fault('invalid_input', `${what} ${inOneLine(fields)}`, {
    details: { fields },
  });
