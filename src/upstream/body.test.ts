import { expect, test } from 'vitest';
import { decodeBody } from './body.ts';

test('JSON that nests deeper than anybody would want to walk through comes as its text', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const decoded = (levels: number) => decodeBody(Buffer.from(nested(levels)), 'application/json');
  expect(Array.isArray(decoded(128))).toBe(true);
  expect(decoded(129)).toBe(nested(129));
  expect(decoded(100_000)).toBe(nested(100_000));
});
