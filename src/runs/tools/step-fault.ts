import { Fault, placeAt, placeOf, type WrongField } from '#kit';
import type { Template } from '../templates/index.ts';
import type { CompiledTool } from '../versions.ts';

type PlannedStep = CompiledTool['plan'][number];

/** Where the tool's own inputs are handed on as they are: the place in the step, and the input. */
const handedOn = (template: Template, place: string): { place: string; path: readonly PropertyKey[] }[] => {
  switch (template.kind) {
    case 'value':
      return template.path[0] === 'inputs' ? [{ place, path: template.path.slice(1) }] : [];
    case 'list':
      return template.items.flatMap((item, at) => handedOn(item, placeAt(place, at)));
    case 'fields':
      return template.fields.flatMap(([key, each]) => handedOn(each, placeAt(place, key)));
    default:
      return [];
  }
};

const accountOf = (place: string): string => place.replace(/input$/, 'account');

const isWithin = (field: string, place: string): boolean => field === place || /^[.[]/.test(field.slice(place.length));

/** A place in what a step was given, as the caller of its tool knows it. */
const placeFor = (field: string, { place, template, account }: PlannedStep): string => {
  if (field === 'accountId') return 'input' in account ? placeAt('input', account.input) : accountOf(place);
  const inTool = field.replace(/^input(?=[.[]|$)/, place);
  const from = handedOn(template, place).find((each) => inTool.startsWith(each.place) && isWithin(inTool, each.place));
  return from === undefined ? inTool : `${placeOf(from.path, 'input')}${inTool.slice(from.place.length)}`;
};

const withFields = (fault: Fault, message: string, fields: readonly WrongField[]): Fault =>
  new Fault(fault.code, message, {
    details: { ...fault.details, fields },
    retryAfterMs: fault.retryAfterMs,
    cause: fault,
  });

/**
 * A step's refusal, as the caller of its tool can act on it: what the caller gave goes by the caller's name for it, the rest
 * by its place in the tool.
 */
export const ofStep = (error: unknown, step: PlannedStep): unknown => {
  const wrong = error instanceof Fault ? (error.details?.fields ?? []) : [];
  if (!(error instanceof Fault) || wrong.length === 0) return error;
  const fields = wrong.map(({ field, message }) => ({ field: placeFor(field, step), message }));
  const text = wrong.reduce(
    (so, { field }, at) => so.replaceAll(`${field}: `, `${fields[at]?.field}: `),
    error.message,
  );
  return withFields(error, text, fields);
};

/** A refusal of an account that was given says so by the field as well. */
export const ofAccount = (error: unknown): unknown => {
  const isTheirs = error instanceof Fault && (error.code === 'not_found' || error.code === 'invalid_input');
  if (!isTheirs) return error;
  return withFields(error, error.message, [{ field: 'accountId', message: error.message }]);
};

/** What the step that failed had done itself. */
const ownOf = ({ details }: Fault): readonly unknown[] => {
  const own = details?.['done'];
  return Array.isArray(own) ? own : [];
};

/** A failure after steps that have changed something outside: whoever runs the tool again does that again. */
export const afterDone = (error: unknown, done: readonly string[]): unknown => {
  // A run that met `unavailable` goes on by itself from where it is.
  if (!(error instanceof Fault) || done.length === 0 || error.code === 'unavailable') return error;
  const told = /[.!?]$/.test(error.message) ? error.message : `${error.message}.`;
  const message = `${told} Done before that: ${done.join(', ')}. Running the tool again does it once more.`;
  return new Fault(error.code, message, {
    details: { ...error.details, done: [...done, ...ownOf(error)] },
    retryAfterMs: error.retryAfterMs,
    cause: error,
  });
};
