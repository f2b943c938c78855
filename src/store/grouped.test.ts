import { expect, test } from 'vitest';
import { grouped } from './grouped.ts';

test('what arrives while a query is under way goes out together, and each caller gets its own answer', async () => {
  const groups: number[][] = [];
  const double = grouped(async (items: number[]) => {
    groups.push(items);
    await new Promise((resolve) => setTimeout(resolve, 5));
    return items.map((item) => item * 2);
  });
  const first = double(1);
  await new Promise((resolve) => setTimeout(resolve, 1));
  const rest = [2, 3, 4].map(double);
  expect(await Promise.all([first, ...rest])).toEqual([2, 4, 6, 8]);
  expect(groups).toEqual([[1], [2, 3, 4]]);
});

test('a query that hangs does not hold up those who come later', async () => {
  const hanging = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const ask = grouped(async (items: string[]) => {
    if (!items.includes('slow')) return items;
    begun.resolve();
    await hanging.promise;
    return items;
  });
  const slow = ask('slow');
  await begun.promise;
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await ask('quick')).toBe('quick');
  hanging.resolve();
  expect(await slow).toBe('slow');
});

test('one bad item fails alone', async () => {
  const check = grouped(async (items: number[]) => {
    if (items.includes(3)) throw new Error('three');
    return items;
  });
  const outcomes = await Promise.allSettled([1, 2, 3, 4].map(check));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
});

test('without the database all of a group fail at once instead of one after the other', async () => {
  let tries = 0;
  const ask = grouped(async () => {
    tries += 1;
    throw new Error('Connection terminated unexpectedly');
  });
  const outcomes = await Promise.allSettled([1, 2, 3].map(ask));
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(tries).toBe(1);
});
