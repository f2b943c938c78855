import type { Interval } from '../intervals.ts';
import { addDays, dateOf, instantOf } from '../times.ts';
import type { Zone } from '../zones.ts';

/** Whole days: a date as 2026-11-02, or a name such as `this week` that means other days tomorrow. */
export type Day = string;

/** First day, and the day after the last. */
type Days = readonly [string, string];

const monthStart = (date: string, months: number): string =>
  new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1 + months)).toISOString().slice(0, 10);
const yearStart = (date: string, years: number): string => `${Number(date.slice(0, 4)) + years}-01-01`;
/** Weeks begin on Sunday, as where dates are written month first. */
const weekStart = (date: string): string => addDays(date, -new Date(date).getUTCDay());

const named = new Map<string, (today: string) => Days>([
  ['today', (today) => [today, addDays(today, 1)]],
  ['yesterday', (today) => [addDays(today, -1), today]],
  ['this week', (today) => [weekStart(today), addDays(weekStart(today), 7)]],
  ['this month', (today) => [monthStart(today, 0), monthStart(today, 1)]],
  ['last month', (today) => [monthStart(today, -1), monthStart(today, 0)]],
  ['this year', (today) => [yearStart(today, 0), yearStart(today, 1)]],
  ['last year', (today) => [yearStart(today, -1), yearStart(today, 0)]],
]);

export const dayNames = [...named.keys()];

const monthFirst = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;
const yearFirst = /^(\d{4})-(\d{2})-(\d{2})$/;
const years = { first: 1601, last: 4500 };

/** A day as people write it: 07/23/2018, 2018-07-23 or a name; nothing for a day that no calendar has. */
export const readDay = (text: string): Day | undefined => {
  const name = text.trim().replace(/\s+/g, ' ').toLowerCase();
  if (named.has(name)) return name;
  const [, month = '', day = '', year = ''] = monthFirst.exec(name) ?? [];
  const date = year === '' ? name : `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const instant = yearFirst.test(date) ? Date.parse(date) : Number.NaN;
  // 02/30 would roll over into March.
  const exists = !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(date);
  const inYear = Number(date.slice(0, 4));
  return exists && inYear >= years.first && inYear <= years.last ? date : undefined;
};

/** Whether a day means other days tomorrow. */
export const moves = (day: Day): boolean => named.has(day);

/** Whether both are dates and the second comes first. */
export const backwards = (from: Day, to: Day): boolean => !moves(from) && !moves(to) && to < from;

/** The days of a mailbox, as they begin and end on its own clock. */
export type Calendar = {
  today(): string;
  /** From when to when a day lasts, for somebody who asks today. */
  spanOf(day: Day, today: string): Interval;
};

export const calendarOf = (zone: Zone, now: () => Date): Calendar => {
  const startOf = (date: string): number => instantOf(Date.parse(date), zone);
  let known = { date: '', start: 0, end: 0 };
  return {
    today() {
      const instant = now().getTime();
      if (instant < known.start || instant >= known.end) {
        const date = dateOf({ instant, zone });
        known = { date, start: startOf(date), end: startOf(addDays(date, 1)) };
      }
      return known.date;
    },
    spanOf(day, today) {
      const [first, after] = named.get(day)?.(today) ?? [day, addDays(day, 1)];
      return { start: startOf(first), end: startOf(after) };
    },
  };
};
