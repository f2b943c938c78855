import type { SwitchboardError } from '../../../client/src/index.ts';

/** What the server refused, by field, for the form that sent it. */
export const fieldErrors = (error: SwitchboardError | null): Record<string, string> => {
  const fields = error?.details?.['fields'];
  if (!Array.isArray(fields)) return {};
  return Object.fromEntries(
    (fields as { field?: unknown; message?: unknown }[]).map(({ field, message }) => [String(field), String(message)]),
  );
};

/** The refusal as a whole, where no field of the form shows it. */
export const otherError = (error: SwitchboardError | null, shown: readonly string[]): string | undefined => {
  if (error === null) return undefined;
  const named = Object.keys(fieldErrors(error));
  return named.length > 0 && named.every((field) => shown.includes(field)) ? undefined : error.message;
};
