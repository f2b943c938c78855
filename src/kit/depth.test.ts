import { expect, test } from 'vitest';
import { holdsMore, isDeeper } from './depth.ts';

const nested = (levels: number): unknown => JSON.parse('[{"a":'.repeat(levels / 2) + '1' + '}]'.repeat(levels / 2));

test('a value nests as deeply as its brackets do', () => {
  expect([isDeeper(nested(64), 64), isDeeper(nested(66), 64)]).toEqual([false, true]);
  expect([isDeeper('[[[[', 1), isDeeper(null, 0), isDeeper([], 0), isDeeper({ a: [] }, 1)]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('the deepest part counts, wherever it stands, and depth without end is no trouble', () => {
  expect(isDeeper({ a: 1, b: [1, { c: [[]] }] }, 4)).toBe(true);
  expect(isDeeper({ a: 1, b: [1, { c: [[]] }] }, 5)).toBe(false);
  expect(isDeeper(nested(200_000), 64)).toBe(true);
});

test('all that a value consists of is counted, itself and what is nested; content counts as one', () => {
  const value = { a: 1, b: [1, { c: 'text' }], file: Buffer.alloc(100) };
  expect([holdsMore(value, 7), holdsMore(value, 6)]).toEqual([false, true]);
  expect([holdsMore('text', 1), holdsMore(null, 0)]).toEqual([false, true]);
});
