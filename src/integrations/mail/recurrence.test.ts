import { describe, expect, test } from 'vitest';
import { RecurrenceInput, toRecurrence } from './recurrence.ts';
import { zoneNamed } from './zones.ts';

// A Tuesday, the second of its month.
const start = '2027-03-09';
const read = (rule: unknown, time = '09:00:00', zone = 'Europe/Berlin') =>
  toRecurrence(RecurrenceInput.parse(rule), { date: start, time, zone: zoneNamed(zone) });

describe('an iCalendar rule becomes the pattern and range of the service', () => {
  test.each([
    ['FREQ=DAILY', { type: 'daily', interval: 1 }],
    ['FREQ=DAILY;INTERVAL=3', { type: 'daily', interval: 3 }],
    ['FREQ=WEEKLY', { type: 'weekly', interval: 1, daysOfWeek: ['tuesday'], firstDayOfWeek: 'monday' }],
    [
      'RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;WKST=SU',
      { type: 'weekly', interval: 2, daysOfWeek: ['monday', 'friday'], firstDayOfWeek: 'sunday' },
    ],
    [
      'freq=daily;byday=mo,tu,we,th,fr',
      {
        type: 'weekly',
        interval: 1,
        daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
        firstDayOfWeek: 'monday',
      },
    ],
    ['FREQ=MONTHLY', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 9 }],
    ['FREQ=MONTHLY;BYMONTHDAY=31', { type: 'absoluteMonthly', interval: 1, dayOfMonth: 31 }],
    ['FREQ=MONTHLY;BYDAY=2TU', { type: 'relativeMonthly', interval: 1, daysOfWeek: ['tuesday'], index: 'second' }],
    ['FREQ=MONTHLY;BYDAY=-1FR', { type: 'relativeMonthly', interval: 1, daysOfWeek: ['friday'], index: 'last' }],
    [
      'FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1',
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday', 'tuesday'], index: 'first' },
    ],
    [
      'FREQ=MONTHLY;BYDAY=2MO;BYSETPOS=-1',
      { type: 'relativeMonthly', interval: 1, daysOfWeek: ['monday'], index: 'second' },
    ],
    ['FREQ=YEARLY', { type: 'absoluteYearly', interval: 1, dayOfMonth: 9, month: 3 }],
    [
      'FREQ=YEARLY;BYMONTH=11;BYDAY=4TH',
      { type: 'relativeYearly', interval: 1, month: 11, daysOfWeek: ['thursday'], index: 'fourth' },
    ],
  ])('%s', (rule, pattern) => {
    expect(read(rule)).toEqual({ pattern, range: { type: 'noEnd', startDate: start } });
  });

  test('weekdays may begin with a capital, as in the examples of the service', () => {
    const pattern = { type: 'weekly', daysOfWeek: ['Monday', 'friday'], firstDayOfWeek: 'Sunday' };
    const weekly = { ...pattern, interval: 1, daysOfWeek: ['monday', 'friday'], firstDayOfWeek: 'sunday' };
    expect(read({ pattern, range: { type: 'noEnd' } }).pattern).toEqual(weekly);
  });

  test('ends after a count, on a date, or never', () => {
    expect(read('FREQ=DAILY;COUNT=5').range).toEqual({ type: 'numbered', startDate: start, numberOfOccurrences: 5 });
    const until = { type: 'endDate', startDate: start, endDate: '2027-04-01' };
    expect(read('FREQ=DAILY;UNTIL=20270401T210000Z').range).toEqual(until);
    expect(read('FREQ=DAILY;UNTIL=2027-04-01').range).toEqual(until);
  });

  test.each([
    ['the end of a day there', '20270402T035959Z', '09:00:00', 'America/New_York', '2027-04-01'],
    ['its own last beginning', '20270331T230000Z', '08:00:00', 'Asia/Tokyo', '2027-04-01'],
    ['an hour before it would begin once more', '20270401T060000Z', '09:00:00', 'Europe/Berlin', '2027-03-31'],
    ['a time without a zone', '20270401T090000', '09:00:00', 'Europe/Berlin', '2027-04-01'],
    ['a midnight', '20270401T000000Z', '10:00:00', 'UTC', '2027-03-31'],
    ['whole days', '20270401T000000Z', '00:00:00', 'UTC', '2027-04-01'],
  ])('a time that is %s ends it on the right day', (_, until, time, zone, endDate) => {
    expect(read(`FREQ=DAILY;UNTIL=${until}`, time, zone).range.endDate).toBe(endDate);
  });
});

test('a pattern and range pass as they are, from the day of the event unless they say otherwise', () => {
  const pattern = { type: 'daily', interval: 2 };
  expect(read({ pattern, range: { type: 'noEnd' } })).toEqual({ pattern, range: { type: 'noEnd', startDate: start } });
  const later = { type: 'noEnd', startDate: '2027-05-01' };
  expect(read({ pattern, range: later })).toEqual({ pattern, range: later });
});

test.each([
  'FREQ=HOURLY',
  'FREQ=DAILY;BYHOUR=9',
  'FREQ=WEEKLY;BYDAY=XX',
  'FREQ=WEEKLY;BYDAY=2MO',
  'FREQ=MONTHLY;BYDAY=1MO,2TU',
  'FREQ=MONTHLY;BYDAY=1MO,1TU',
  'FREQ=MONTHLY;BYDAY=2MO;BYSETPOS=2',
  'FREQ=MONTHLY;BYDAY=MO',
  'FREQ=MONTHLY;BYMONTHDAY=-1',
  'FREQ=DAILY;COUNT=0',
  'FREQ=DAILY;COUNT=3;UNTIL=20270401',
  'FREQ=DAILY;UNTIL=20279999',
  'FREQ=DAILY;UNTIL=20270401T250000Z',
  'FREQ=DAILY;BYMONTHDAY=1',
  'FREQ=WEEKLY;BYDAY=MO;BYMONTH=6',
  'FREQ=MONTHLY;BYMONTH=6',
  'FREQ=MONTHLY;BYDAY=2TU;BYMONTHDAY=9',
  'FREQ=MONTHLY;BYSETPOS=1',
  'FREQ=YEARLY;BYDAY=4TH',
  'FREQ=YEARLY;BYMONTHDAY=5',
  'every day',
])('%s is refused rather than changed into something else', (rule) => {
  expect(() => read(rule)).toThrow(/recurrence:/);
});

test('a rule that is none is told what one looks like', () => {
  expect(() => read('every day')).toThrow(
    '"every day" is not understood; write a rule such as FREQ=WEEKLY;BYDAY=MO,WE',
  );
  expect(() => read('rrule:freq=weekly;byday=mon')).toThrow('BYDAY "MON" cannot be read; write days as SU, MO');
});

describe('a pattern that leaves out what the service needs', () => {
  const patternOf = (pattern: object) => read({ pattern, range: { type: 'noEnd' } }).pattern;

  test.each([
    [{ type: 'weekly' }, { daysOfWeek: ['tuesday'] }],
    [{ type: 'weekly', daysOfWeek: [] }, { daysOfWeek: ['tuesday'] }],
    [{ type: 'weekly', daysOfWeek: ['Friday'] }, { daysOfWeek: ['friday'] }],
    [{ type: 'absoluteMonthly' }, { dayOfMonth: 9 }],
    [{ type: 'absoluteYearly' }, { dayOfMonth: 9, month: 3 }],
    [
      { type: 'absoluteYearly', dayOfMonth: 1, month: 5 },
      { dayOfMonth: 1, month: 5 },
    ],
    [
      { type: 'relativeYearly', daysOfWeek: ['monday'] },
      { daysOfWeek: ['monday'], month: 3 },
    ],
  ])('takes it from the start: %j', (pattern, completed) => {
    expect(patternOf(pattern)).toEqual({ ...pattern, interval: 1, ...completed });
  });

  test('is refused where the start does not tell it', () => {
    expect(() => patternOf({ type: 'relativeMonthly' })).toThrow('relativeMonthly needs daysOfWeek');
  });
});
