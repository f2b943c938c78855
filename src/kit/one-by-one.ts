import { setImmediate as nextTurn } from 'node:timers/promises';

const turnMs = 50;

/**
 * Makes something of each item, where that may take long in one go: others go on in between. After `longestMs` it is left at
 * what was made by then, which is of the first item at least.
 */
export const oneByOne = async <Item, Made>(
  items: readonly Item[],
  make: (item: Item) => Made,
  longestMs = Number.POSITIVE_INFINITY,
): Promise<Made[]> => {
  const made: Made[] = [];
  const begun = performance.now();
  let turn = begun;
  for (const item of items) {
    made.push(make(item));
    const now = performance.now();
    if (now - begun >= longestMs) break;
    if (now - turn < turnMs) continue;
    await nextTurn();
    turn = performance.now();
  }
  return made;
};
