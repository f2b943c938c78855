import { distance } from '#kit';

const most = 3;
const farthest = 2;
const longest = 64;

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '_');

/** Tools that may be meant by a name that none has: it is a part of theirs, or some letters off. */
export const nearNames = (given: string, names: readonly string[]): string[] => {
  const wanted = plain(given.slice(0, longest));
  if (wanted.length < 4) return [];
  const near = names
    .map((name) => ({ name, away: `_${name}_`.includes(`_${wanted}_`) ? 0 : distance(wanted, plain(name)) }))
    .filter(({ away }) => away <= farthest);
  const least = Math.min(...near.map(({ away }) => away));
  return near.flatMap(({ name, away }) => (away === least ? [name] : [])).slice(0, most);
};
