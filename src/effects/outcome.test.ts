import { expect, test } from 'vitest';
import { happenedOf } from './outcome.ts';

test.each([
  [[202], 'yes'],
  [[400, 429], 'no'],
  [[202, 403], 'yes'],
  [[202, 504], 'perhaps'],
  [[403, 504], 'perhaps'],
] as const)('writes that are answered %j happened: %s', (statuses, outcome) => {
  expect(happenedOf(statuses.map((status) => ({ status, headers: {}, body: null })))).toBe(outcome);
});
