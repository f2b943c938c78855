import { distance } from '#kit';

const most = 3;
const farthest = 2;
const longest = 64;
// Comparing letter by letter takes its time, and others wait meanwhile.
const mostCompared = 500;

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '_');

/** Tools that may be meant by a name that none has: it is a part of theirs, or some letters off. */
export const nearNames = (given: string, names: readonly string[]): string[] => {
  const wanted = plain(given.slice(0, longest));
  if (wanted.length < 4) return [];
  const holding = names.filter((name) => `_${name}_`.includes(`_${wanted}_`));
  if (holding.length > 0) return holding.slice(0, most);
  const near = names
    .filter(({ length }) => Math.abs(length - wanted.length) <= farthest)
    .slice(0, mostCompared)
    .map((name) => ({ name, away: distance(wanted, name) }))
    .filter(({ away }) => away <= farthest);
  const least = Math.min(...near.map(({ away }) => away));
  return near.flatMap(({ name, away }) => (away === least ? [name] : [])).slice(0, most);
};
