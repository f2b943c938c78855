import { coded } from './refusal.ts';

export type Positioned = { id: string; pos: number };
export type Place = 'top' | 'bottom' | number;

const step = 16384;
/** Since late 2025 new lists sit near 2^47 and go down by one step per insertion at the top. */
const listCeiling = 140737488338944;
const smallest = 1e-3;

const comesBefore = (a: Positioned, b: Positioned): boolean => a.pos < b.pos || (a.pos === b.pos && a.id < b.id);

/** Puts `item` where its pos says, in an array kept in order of (pos, id). */
export const insertByPos = <T extends Positioned>(siblings: T[], item: T): void => {
  const last = siblings[siblings.length - 1];
  if (last === undefined || comesBefore(last, item)) return void siblings.push(item);
  let low = 0;
  let high = siblings.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (comesBefore(siblings[middle] as T, item)) low = middle + 1;
    else high = middle;
  }
  siblings.splice(low, 0, item);
};

export const takeOut = <T extends Positioned>(siblings: T[], item: T): void => {
  const at = siblings.indexOf(item);
  if (at >= 0) siblings.splice(at, 1);
};

/** The number for a place among siblings, which must not contain the item itself. */
export const posFor = (siblings: readonly Positioned[], place: Place, kind: 'card' | 'list' = 'card'): number => {
  if (typeof place === 'number') return place;
  const first = siblings[0];
  const last = siblings[siblings.length - 1];
  if (!first || !last) return kind === 'list' ? listCeiling : step;
  if (place === 'bottom') return last.pos + step;
  if (first.pos > 2 ** 46) return first.pos - step;
  if (first.pos / 2 >= smallest) return first.pos / 2;
  // Halving has used up the room: the service renumbers the siblings.
  for (const [index, sibling] of siblings.entries()) sibling.pos = step * (index + 2);
  return step;
};

/** `top`, `bottom`, a positive number, or nothing; an empty pos acts as top. */
export const parsePos = (value: unknown, refuse = () => coded(400, 'Invalid position.')): Place | undefined => {
  if (value === undefined || value === null) return undefined;
  if (value === 'top' || value === 'bottom') return value;
  if (value === '') return 'top';
  const number = typeof value === 'number' ? value : typeof value === 'string' ? Number(value) : Number.NaN;
  if (!Number.isFinite(number) || number <= 0) throw refuse();
  return number;
};
