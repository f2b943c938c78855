const longest = 80;

/** A name as a sentence holds it: on one line, and not long. */
export const quoted = (name: string | null | undefined, otherwise = 'without a name'): string => {
  const line = (name ?? '').replace(/\s+/g, ' ').trim();
  if (line === '') return otherwise;
  return line.length > longest ? `“${line.slice(0, longest - 1).toWellFormed()}…”` : `“${line}”`;
};

/** How many of something: "no items", "1 item", "2 items". */
export const howMany = (count: number, [one, many]: readonly [one: string, many: string]): string =>
  `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`;

/** How many were found, as a sentence; `more`: others follow. */
export const counted = (count: number, names: readonly [one: string, many: string], more = false): string =>
  `Found ${howMany(count, names)}${more ? '; more follow' : ''}.`;

/** Several things in one line: the first of them, and how many more. */
export const listed = (names: readonly string[], shown = 3): string => {
  const first = names
    .slice(0, shown)
    .map((name) => quoted(name))
    .join(', ');
  return names.length > shown ? `${first} and ${names.length - shown} more` : first;
};
