import { expect, test } from 'vitest';
import { waitAsked } from './wait-asked.ts';

const date = 'Sun, 15 Nov 2026 12:00:00 GMT';

test.each([
  ['17', 17_000],
  ['0.5', 500],
  ['0', 0],
  ['-3', 0],
  ['Sun, 15 Nov 2026 12:01:30 GMT', 90_000],
  ['Sun, 15 Nov 2026 11:59:00 GMT', 0],
  ['999999999', 86_400_000],
  ['soon', undefined],
  [' ', undefined],
  [undefined, undefined],
  [['1', '2'], undefined],
])('Retry-After %j asks to wait for %j ms', (retryAfter, ms) => {
  expect(waitAsked({ retryAfter, date })).toBe(ms);
});

test('a date says nothing where the answer does not say when it was given', () => {
  expect(waitAsked({ retryAfter: date, date: undefined })).toBeUndefined();
});
