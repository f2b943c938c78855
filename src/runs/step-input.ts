import { isDeepStrictEqual } from 'node:util';
import { type CatalogueStep, Fault, inOneLine, otherNames, wrongFields } from '#kit';

// Of a request to run a step; whoever knows the steps from MCP looks for them among the arguments.
const beside = 'stands beside input, not in it';
const elsewhere = new Map([
  ['input.accountId', beside],
  ['input.secretId', beside],
  ['input.endUserId', beside],
  ['input.account', 'is named beside input, as accountId'],
]);

/** How a call is made is not what it sends: whoever edits that would wait in vain for it to count. */
const ofTheCall = ['dryRun', 'idempotencyKey'];

const shapeAt = (place: string, { input: { shape } }: CatalogueStep): Readonly<Record<string, unknown>> =>
  place === 'changes' ? Object.fromEntries(Object.entries(shape).filter(([name]) => !ofTheCall.includes(name))) : shape;

export const parseInput = (step: CatalogueStep, given: unknown, place = 'input'): Record<string, unknown> => {
  const parsed = step.input.safeParse(given);
  if (parsed.success) return parsed.data;
  const fields = wrongFields(parsed.error.issues, place).map(({ field, message }) => ({
    field,
    message: elsewhere.get(field) ?? message,
  }));
  const known = otherNames(parsed.error.issues, shapeAt(place, step));
  throw new Fault('invalid_input', `The input does not fit ${step.id}. ${inOneLine(fields)}${known}`, {
    details: { fields },
  });
};

/** What a person would rather have sent than what waits. */
export const parseChanges = (
  step: CatalogueStep,
  waiting: Record<string, unknown>,
  changes: Record<string, unknown>,
): Record<string, unknown> => {
  const named = ofTheCall.filter((name) => Object.hasOwn(changes, name)).map((name) => `changes.${name}`);
  if (named.length === 0) return parseInput(step, { ...waiting, ...changes }, 'changes');
  const message = 'is of the call, not of what would be sent; leave it out, or reject what waits';
  const fields = named.map((field) => ({ field, message }));
  throw new Fault('invalid_input', `${named.join(', ')}: ${message}.`, { details: { fields } });
};

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

type Values = Readonly<Record<string, unknown>>;

/** What a person made different of what was asked for. */
export const changedIn = (given: Values, now: Values): string[] =>
  [...new Set([...Object.keys(given), ...Object.keys(now)])].filter(
    (name) => !isDeepStrictEqual(asJson(given[name] ?? null), asJson(now[name] ?? null)),
  );
