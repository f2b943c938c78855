import { expect, test } from 'vitest';
import { repeatsOf } from './event-repeats.ts';

const weekly = { type: 'weekly', interval: 1, daysOfWeek: ['monday', 'friday'] };
const forever = { type: 'noEnd', startDate: '2027-03-01' };

test.each([
  [{ type: 'daily', interval: 1 }, { type: 'numbered', numberOfOccurrences: 5 }, 'every day, 5 times'],
  [weekly, { type: 'endDate', endDate: '2027-06-30' }, 'every week on Monday, Friday, until Wednesday, 2027-06-30'],
  [{ ...weekly, interval: 2 }, forever, 'every 2 weeks on Monday, Friday, without end'],
  [{ type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 }, forever, 'every month on day 31, without end'],
  [
    { type: 'relativeMonthly', interval: 3, daysOfWeek: ['tuesday'], index: 'last' },
    forever,
    'every 3 months on the last Tuesday, without end',
  ],
  [
    { type: 'absoluteYearly', interval: 1, month: 12, dayOfMonth: 24 },
    forever,
    'every year on December 24, without end',
  ],
  [
    { type: 'relativeYearly', interval: 1, month: 5, daysOfWeek: ['sunday'], index: 'second' },
    forever,
    'every year on the second Sunday of May, without end',
  ],
])('an event that recurs by %j and %j does so in words', (pattern, range, words) => {
  expect(repeatsOf({ recurrence: { pattern, range } })).toBe(words);
  expect(repeatsOf({ event: { Recurrence: { Pattern: pattern, Range: range } } })).toBe(words);
});

test('an event that does not recur, or in a way of its own, says nothing in words', () => {
  expect(repeatsOf({})).toBeUndefined();
  expect(repeatsOf({ recurrence: null })).toBeUndefined();
  expect(repeatsOf({ recurrence: { pattern: { type: 'lunar' } } })).toBeUndefined();
});
