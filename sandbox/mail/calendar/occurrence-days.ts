import { type Pattern, type Recurrence, weekdays, weekIndexes } from './recurrence.ts';

const dayMs = 86_400_000;

/** Days since 1970, by which dates are counted here. */
export const dayOf = (date: string): number => Date.parse(date) / dayMs;
export const dateOf = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10);
const weekdayOf = (day: number): number => (((day + 4) % 7) + 7) % 7;
const monthStart = (month: number): number => Date.UTC(Math.floor(month / 12), ((month % 12) + 12) % 12, 1) / dayMs;
const monthOf = (day: number): number => {
  const date = new Date(day * dayMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
};

/** The days of a series between two days, both included, in order. `from` may be before its start. */
export const occurrenceDays = ({ pattern, range }: Recurrence, from: number, to: number): number[] => {
  const start = dayOf(range.startDate);
  const last = range.type === 'endDate' ? Math.min(to, dayOf(range.endDate)) : to;
  const first = Math.max(from, start);
  const days: number[] = [];
  // A numbered series has to be counted from its start; any other can be entered in the middle.
  const periods = periodsOf(pattern, start);
  let period = range.type === 'numbered' ? 0 : periods.at(first);
  for (let count = 0; periods.begin(period) <= last; period++) {
    for (const day of periods.days(period)) {
      if (day < start || day > last) continue;
      if (range.type === 'numbered' && ++count > range.numberOfOccurrences) return days;
      if (day >= first) days.push(day);
    }
  }
  return days;
};

type Periods = {
  /** The period that day falls in, or one before. */
  at: (day: number) => number;
  begin: (period: number) => number;
  days: (period: number) => number[];
};

const periodsOf = (pattern: Pattern, start: number): Periods => {
  const { type, interval } = pattern;
  if (type === 'daily') {
    return {
      at: (day) => Math.floor((day - start) / interval),
      begin: (period) => start + period * interval,
      days: (period) => [start + period * interval],
    };
  }
  if (type === 'weekly') {
    const firstWeekday = weekdays.indexOf(pattern.firstDayOfWeek);
    const week = start - ((weekdayOf(start) - firstWeekday + 7) % 7);
    const wanted = pattern.daysOfWeek
      .map((name) => (weekdays.indexOf(name) - firstWeekday + 7) % 7)
      .toSorted((a, b) => a - b);
    return {
      at: (day) => Math.max(0, Math.floor((day - week) / (7 * interval))),
      begin: (period) => week + period * 7 * interval,
      days: (period) => wanted.map((offset) => week + period * 7 * interval + offset),
    };
  }
  const yearly = type.endsWith('Yearly');
  const months = yearly ? interval * 12 : interval;
  const base = yearly ? Math.floor(monthOf(start) / 12) * 12 + pattern.month - 1 : monthOf(start);
  return {
    at: (day) => Math.max(0, Math.floor((monthOf(day) - base) / months)),
    begin: (period) => monthStart(base + period * months),
    days: (period) => [dayInMonth(pattern, base + period * months)],
  };
};

/** A month that is too short has the occurrence on its last day. */
const dayInMonth = (pattern: Pattern, month: number): number => {
  const begin = monthStart(month);
  const end = monthStart(month + 1);
  if (pattern.type.startsWith('absolute')) return Math.min(begin + pattern.dayOfMonth, end) - 1;
  const wanted = new Set(pattern.daysOfWeek.map((name) => weekdays.indexOf(name)));
  const matching: number[] = [];
  for (let day = begin; day < end; day++) if (wanted.has(weekdayOf(day))) matching.push(day);
  const place = pattern.index === 'last' ? matching.length - 1 : weekIndexes.indexOf(pattern.index);
  return matching[place] ?? begin;
};
