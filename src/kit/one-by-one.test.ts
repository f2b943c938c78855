import { expect, test } from 'vitest';
import { oneByOne } from './one-by-one.ts';

const busy = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

test('while much is made one by one, others go on in between', async () => {
  let turns = 0;
  const other = setInterval(() => {
    turns += 1;
  }, 1);
  const made = await oneByOne([1, 2, 3], (item) => {
    busy(55);
    return { item, turns };
  });
  clearInterval(other);
  expect(made.map(({ item }) => item)).toEqual([1, 2, 3]);
  expect(made.at(-1)?.turns).toBeGreaterThan(0);
});

test('what takes too long is left at what was made by then, of the first at least', async () => {
  expect(await oneByOne([1, 2, 3], (item) => item, 0)).toEqual([1]);
  expect(await oneByOne([], (item) => item, 0)).toEqual([]);
});
