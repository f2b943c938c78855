import { type Fields, fieldOf, now, weekdayOf } from './event-when.ts';

const units: Readonly<Record<string, string>> = {
  daily: 'day',
  weekly: 'week',
  absolutemonthly: 'month',
  relativemonthly: 'month',
  absoluteyearly: 'year',
  relativeyearly: 'year',
};
const months = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' });

const textOf = (value: unknown, name: string): string | undefined => {
  const found = fieldOf(value, name);
  return typeof found === 'string' ? found : undefined;
};

const numberOf = (value: unknown, name: string): number | undefined => {
  const found = fieldOf(value, name);
  return typeof found === 'number' ? found : undefined;
};

const monthOf = (pattern: unknown): string | undefined => {
  const month = numberOf(pattern, 'month');
  return month === undefined ? undefined : months.format(new Date(Date.UTC(2024, month - 1)));
};

const daysOf = (pattern: unknown): string => {
  const days = fieldOf(pattern, 'daysofweek');
  const names = Array.isArray(days) ? days.map(String) : [];
  return names.map((day) => `${day.charAt(0).toUpperCase()}${day.slice(1).toLowerCase()}`).join(', ');
};

/** On which of the days of its weeks, months or years; nothing where each day counts. */
const placeIn = (type: string, pattern: unknown): string => {
  const month = type.endsWith('yearly') ? monthOf(pattern) : undefined;
  if (type === 'daily') return '';
  const days = daysOf(pattern);
  if (type === 'weekly') return days === '' ? '' : ` on ${days}`;
  if (type.startsWith('relative')) {
    const which = `the ${textOf(pattern, 'index') ?? 'first'} ${days}`;
    return ` on ${which}${month === undefined ? '' : ` of ${month}`}`;
  }
  const day = numberOf(pattern, 'dayofmonth') ?? '';
  return month === undefined ? ` on day ${day}` : ` on ${month} ${day}`;
};

const endOf = (range: unknown): string => {
  const [times, until] = [numberOf(range, 'numberofoccurrences'), textOf(range, 'enddate')];
  const type = textOf(range, 'type')?.toLowerCase();
  if (type === 'numbered' && times !== undefined) return `${times} times`;
  if (type === 'enddate' && until !== undefined) return `until ${weekdayOf(until)}${until}`;
  return 'without end';
};

/** How an event recurs, as people say it; `undefined` where it does not, or in a way that has no words here. */
export const repeatsOf = (fields: Fields): string | undefined => {
  const recurrence = now(fields, 'recurrence');
  const pattern = fieldOf(recurrence, 'pattern');
  const type = textOf(pattern, 'type')?.toLowerCase() ?? '';
  const unit = units[type];
  if (unit === undefined) return undefined;
  const interval = numberOf(pattern, 'interval') ?? 1;
  const pace = interval === 1 ? `every ${unit}` : `every ${interval} ${unit}s`;
  return `${pace}${placeIn(type, pattern)}, ${endOf(fieldOf(recurrence, 'range'))}`;
};
