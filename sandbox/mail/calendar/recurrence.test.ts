import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../common/cases.ts';
import { dateOf, dayOf, occurrenceDays } from './occurrence-days.ts';
import { type Pattern, type Recurrence, weekdays, weekIndexes } from './recurrence.ts';
import { instantOf, wallOf, zoneNamed } from './zones.ts';

const dayMs = 86_400_000;

/** Asks of a single day whether the pattern has it, knowing nothing but the words of the documentation. */
const naive = (pattern: Pattern, start: Date, day: Date): boolean => {
  const { type, interval, index } = pattern;
  const between = Math.round((day.getTime() - start.getTime()) / dayMs);
  if (between < 0) return false;
  const weekday = weekdays[day.getUTCDay()] ?? 'sunday';
  const months = (day.getUTCFullYear() - start.getUTCFullYear()) * 12 + day.getUTCMonth() - start.getUTCMonth();
  const lastOfMonth = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
  const dayMatches = (): boolean => {
    if (type.startsWith('absolute')) return day.getUTCDate() === Math.min(pattern.dayOfMonth, lastOfMonth);
    const matching = Array.from({ length: lastOfMonth }, (_, at) => at + 1).filter((date) =>
      pattern.daysOfWeek.includes(
        weekdays[new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), date)).getUTCDay()] ?? 'sunday',
      ),
    );
    return day.getUTCDate() === (index === 'last' ? matching.at(-1) : matching[weekIndexes.indexOf(index)]);
  };
  if (type === 'daily') return between % interval === 0;
  if (type === 'weekly') {
    const weekOf = (date: Date): number => {
      const back = (date.getUTCDay() - weekdays.indexOf(pattern.firstDayOfWeek) + 7) % 7;
      return Math.round(date.getTime() / dayMs - back);
    };
    return pattern.daysOfWeek.includes(weekday) && ((weekOf(day) - weekOf(start)) / 7) % interval === 0;
  }
  if (type.endsWith('Monthly')) return months % interval === 0 && dayMatches();
  const years = day.getUTCFullYear() - start.getUTCFullYear();
  return day.getUTCMonth() + 1 === pattern.month && years % interval === 0 && dayMatches();
};

const date = (from: string, days: number) => fc.integer({ min: 0, max: days }).map((n) => dateOf(dayOf(from) + n));
const pattern: fc.Arbitrary<Pattern> = fc.record({
  type: fc.constantFrom('daily', 'weekly', 'absoluteMonthly', 'relativeMonthly', 'absoluteYearly', 'relativeYearly'),
  interval: fc.integer({ min: 1, max: 5 }),
  month: fc.integer({ min: 1, max: 12 }),
  dayOfMonth: fc.integer({ min: 1, max: 31 }),
  daysOfWeek: fc.uniqueArray(fc.constantFrom(...weekdays), { minLength: 1, maxLength: 4 }),
  firstDayOfWeek: fc.constantFrom(...weekdays),
  index: fc.constantFrom(...weekIndexes),
});
const recurrence: fc.Arbitrary<Recurrence> = fc
  .tuple(
    pattern,
    date('2023-11-01', 500),
    date('2025-04-01', 900),
    fc.constantFrom('endDate', 'noEnd', 'numbered'),
    fc.integer({ min: 1, max: 30 }),
  )
  .map(([pattern, startDate, endDate, type, numberOfOccurrences]) => ({
    pattern,
    range: { type, startDate, endDate, numberOfOccurrences, recurrenceTimeZone: 'UTC' },
  }));

test('expansion agrees with asking each day on its own', () => {
  fc.assert(
    fc.property(recurrence, date('2023-06-01', 1200), fc.integer({ min: 0, max: 500 }), (series, from, length) => {
      const { startDate, endDate, type, numberOfOccurrences } = series.range;
      const [first, last] = [dayOf(from), dayOf(from) + length];
      const all: number[] = [];
      for (let day = dayOf(startDate); day <= last; day++) {
        if (type === 'endDate' && day > dayOf(endDate)) break;
        if (type === 'numbered' && all.length >= numberOfOccurrences) break;
        if (naive(series.pattern, new Date(startDate), new Date(day * dayMs))) all.push(day);
      }
      expect(occurrenceDays(series, first, last).map(dateOf)).toEqual(all.filter((day) => day >= first).map(dateOf));
    }),
    cases(600),
  );
});

test('a wall clock reading becomes the instant that shows it', () => {
  const zones = [
    'Pacific Standard Time',
    'Europe/Berlin',
    'AUS Eastern Standard Time',
    'Newfoundland Standard Time',
    'Asia/Kolkata',
    'UTC',
  ];
  const quarterHours = fc
    .integer({ min: 0, max: 4 * 24 * 730 })
    .map((n) => Date.parse('2025-01-01T00:00:00Z') + n * 900_000);
  fc.assert(
    fc.property(fc.constantFrom(...zones), quarterHours, (name, instant) => {
      const zone = zoneNamed(name);
      const wall = wallOf(instant, zone);
      const back = instantOf(wall, zone);
      expect(wallOf(back, zone)).toBe(wall);
      expect(back).toBeLessThanOrEqual(instant);
    }),
    cases(500),
  );
});

test('a reading that summer time skips is taken an hour later, one that occurs twice is the first', () => {
  const berlin = zoneNamed('W. Europe Standard Time');
  const at = (wall: string) => new Date(instantOf(Date.parse(`${wall}Z`), berlin)).toISOString();
  expect(at('2026-03-29T02:30:00')).toBe('2026-03-29T01:30:00.000Z');
  expect(at('2026-10-25T02:30:00')).toBe('2026-10-25T00:30:00.000Z');
});
