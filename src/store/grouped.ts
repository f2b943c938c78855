import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';
import { isAway } from './storage-fault.ts';

const slowMs = 3;
const mostFlights = 4;

/**
 * Collects what arrives while the last query is under way and sends it as one: callers share round trips and commits.
 * A query that takes long (a slow disk, a lock) does not hold up those who come after it: then a few are under way at once.
 * `work` answers for each item in order. When a group fails, each of its items is tried alone, so that one bad item
 * does not fail its neighbours; unless the database is away, which trying again only makes longer. With `apartMs` queries begin no closer together than that: who comes alone does not wait,
 * and where many come, each query serves more of them.
 */
export const grouped = <Item, Result = void>(
  work: (items: Item[]) => Promise<Result[]>,
  { most = 500, apartMs = 0 }: { most?: number; apartMs?: number } = {},
) => {
  type Waiting = { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void };
  let waiting: Waiting[] = [];
  let flights = 0;
  let lastBegun = Number.NEGATIVE_INFINITY;

  const settle = async (group: Waiting[]): Promise<void> => {
    try {
      const results = await work(group.map(({ item }) => item));
      for (const [at, { resolve }] of group.entries()) resolve(results[at] as Result);
    } catch (error) {
      if (group.length === 1 || isAway(error)) return group.forEach(({ reject }) => reject(error));
      for (const each of group) await settle([each]);
    }
  };

  const drain = async (): Promise<void> => {
    flights += 1;
    while (waiting.length > 0) {
      const early = apartMs - (performance.now() - lastBegun);
      lastBegun = performance.now() + Math.max(0, early);
      // Whatever arrives in the same turn of the event loop goes along.
      await (early > 0 ? pause(early) : nextTurn());
      const now = waiting.slice(0, most);
      waiting = waiting.slice(most);
      if (now.length > 0) await settle(now);
    }
    flights -= 1;
  };

  return (item: Item): Promise<Result> =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      const heldUp = flights < mostFlights && performance.now() - lastBegun > slowMs + 2 * apartMs;
      if (flights === 0 || heldUp) void drain();
    });
};
