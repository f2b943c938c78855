import { setImmediate as nextTurn } from 'node:timers/promises';

/** Collects what arrives while the last write is under way and writes it as one: callers share round trips and commits. */
export const grouped = <Item>(write: (items: Item[]) => Promise<unknown>, most = 500) => {
  type Waiting = { item: Item; resolve: () => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let writing = false;

  const drain = async (): Promise<void> => {
    writing = true;
    // Whatever arrives in the same turn of the event loop goes along.
    await nextTurn();
    while (waiting.length > 0) {
      const now = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        await write(now.map(({ item }) => item));
        for (const { resolve } of now) resolve();
      } catch (error) {
        for (const { reject } of now) reject(error);
      }
    }
    writing = false;
  };

  return (item: Item): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!writing) void drain();
    });
};
