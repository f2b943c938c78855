/** What the server refuses, with the place it names. */
export type FieldProblem = { field: string; message: string };

/** The places that a refusal names in `error.details.fields`. */
export const problemsOf = (error: unknown): FieldProblem[] => {
  const details = (error as { details?: { fields?: unknown } } | null | undefined)?.details;
  return Array.isArray(details?.fields) ? (details.fields as FieldProblem[]) : [];
};

/** `steps[0].input["odd name"]` as a list of names. */
export const partsOf = (place: string): string[] =>
  [...place.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|([^.[\]]+)/g)].map(
    ([, quoted, index, name]) => quoted ?? index ?? name ?? '',
  );

const begins = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((part, at) => path[at] === part);

/** The problems at or below a place, named from there. */
export const problemsBelow = (problems: readonly FieldProblem[], place: string): FieldProblem[] => {
  const start = partsOf(place);
  return problems.flatMap(({ field, message }) => {
    const path = partsOf(field);
    return begins(path, start) ? [{ field: path.slice(start.length).join('.'), message }] : [];
  });
};

/** Of messages that are sentences only the last ends. */
const inOneLine = (problems: readonly FieldProblem[]): string =>
  problems.map(({ message }, at) => (at < problems.length - 1 ? message.replace(/\.$/, '') : message)).join('; ');

export const messageAt = (
  problems: readonly FieldProblem[],
  path: readonly string[],
  deep: boolean,
): string | undefined => {
  const found = problems.filter(({ field }) => {
    const parts = partsOf(field);
    return begins(parts, path) && (deep || parts.length === path.length);
  });
  return found.length === 0 ? undefined : inOneLine(found);
};
