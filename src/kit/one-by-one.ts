import { setImmediate as nextTurn } from 'node:timers/promises';

const turnMs = 50;

/** For work that may take long in one go: what is returned is called between its parts, and tells when to wait for others. */
export const breath = () => {
  let turn = performance.now();
  const othersFirst = async (): Promise<void> => {
    await nextTurn();
    turn = performance.now();
  };
  return (): Promise<void> | undefined => (performance.now() - turn < turnMs ? undefined : othersFirst());
};

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
  const pause = breath();
  for (const item of items) {
    made.push(make(item));
    if (performance.now() - begun >= longestMs) break;
    const turn = pause();
    if (turn !== undefined) await turn;
  }
  return made;
};
