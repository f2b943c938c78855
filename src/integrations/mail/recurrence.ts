import { z } from 'zod';
import { Fault } from '#kit';
import { addDays, type Begin, beginAt } from './times.ts';

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const;
const indexes = ['first', 'second', 'third', 'fourth', 'last'] as const;
const capital = <Name extends string>(name: Name) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
// The service reads any letter case, and its own examples of weekdays begin with a capital.
const Weekday = z
  .enum([...days, ...days.map(capital)])
  .transform((day) => days.find((each) => each === day.toLowerCase()) ?? 'monday');

const Pattern = z.strictObject({
  type: z.enum(['daily', 'weekly', 'absoluteMonthly', 'relativeMonthly', 'absoluteYearly', 'relativeYearly']),
  interval: z.int().min(1).max(99).default(1),
  daysOfWeek: z.array(Weekday).optional(),
  firstDayOfWeek: Weekday.optional(),
  dayOfMonth: z.int().min(1).max(31).optional(),
  month: z.int().min(1).max(12).optional(),
  index: z.enum(indexes).optional(),
});
type Pattern = z.output<typeof Pattern>;

const Range = z.strictObject({
  type: z.enum(['endDate', 'noEnd', 'numbered']),
  startDate: z.iso.date().optional(),
  endDate: z.iso.date().optional(),
  numberOfOccurrences: z.int().min(1).max(999).optional(),
  recurrenceTimeZone: z.string().optional(),
});
type Range = z.output<typeof Range>;

/** How an event repeats: the service's pattern and range, or an iCalendar rule. */
export const RecurrenceInput = z.union([
  z.strictObject({ pattern: Pattern, range: Range }),
  z.string().min(5).max(500),
]);
export type RecurrenceInput = z.output<typeof RecurrenceInput>;

const Stored = z.object({ pattern: z.record(z.string(), z.unknown()), range: z.record(z.string(), z.unknown()) });

// What the service writes where a part of it says nothing.
const unsaid = new Set<unknown>([0, null, '', '0001-01-01']);

const said = (part: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(part).filter(([, value]) => !unsaid.has(value)));

/** How an event repeats, without what the service fills in: in the form in which it can be given back. */
export const showRecurrence = (stored: unknown): unknown => {
  const { data } = Stored.safeParse(stored);
  return data === undefined ? (stored ?? undefined) : { pattern: said(data.pattern), range: said(data.range) };
};

export type Recurrence = { pattern: Pattern; range: Range };

const refuse = (why: string): never => {
  throw new Fault('invalid_input', `recurrence: ${why}`, {
    details: { fields: [{ field: 'recurrence', message: why }] },
  });
};

const codes = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];
const workdays = 'MO,TU,WE,TH,FR';

const dayOf = (code: string): (typeof days)[number] =>
  days[codes.indexOf(code)] ?? refuse(`"${code}" is no day of the week; write MO, TU, WE, TH, FR, SA or SU.`);

const whole = (parts: Map<string, string>, name: string, least: number, most: number): number | undefined => {
  const text = parts.get(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value < least || value > most) refuse(`${name} must be from ${least} to ${most}.`);
  return value;
};

const indexOf = (place: number): (typeof indexes)[number] =>
  (place === -1 ? 'last' : place >= 1 && place <= 4 ? indexes[place - 1] : undefined) ??
  refuse('only the first to fourth and the last (-1) weekday of a month can be repeated.');

type Placed = { daysOfWeek: (typeof days)[number][]; place: number | undefined };

/** `MO,WE`, `2TU`, `-1FR`, or `MO,TU` with BYSETPOS. */
const weekdaysOf = (parts: Map<string, string>): Placed | undefined => {
  const given = parts.get('BYDAY');
  if (given === undefined) return undefined;
  const read = given.split(',').map((text) => {
    const [, place, code] =
      /^([+-]?\d+)?([A-Z]{2})$/.exec(text) ??
      refuse(`BYDAY "${given}" cannot be read; write days as ${codes.join(', ')}, such as MO,WE or -1FR.`);
    return { place: place === undefined ? undefined : Number(place), day: dayOf(code ?? '') };
  });
  const places = new Set(read.map(({ place }) => place));
  if (places.size > 1) refuse('weekdays at different places of a month need an event each.');
  const [place] = places;
  if (place !== undefined && read.length > 1) refuse('weekdays with a number need an event each.');
  const position = whole(parts, 'BYSETPOS', -1, 4);
  // Of a weekday with a number each month has one, which is its first and its last.
  if (place !== undefined && position !== undefined && Math.abs(position) !== 1)
    refuse('BYSETPOS needs weekdays without a number.');
  return { daysOfWeek: read.map(({ day }) => day), place: place ?? position };
};

const known = new Set(['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'BYMONTHDAY', 'BYMONTH', 'BYSETPOS', 'WKST']);

const readRule = (text: string): Map<string, string> => {
  const parts = new Map<string, string>();
  for (const pair of text
    .trim()
    .replace(/^RRULE:/i, '')
    .split(';')
    .filter(Boolean)) {
    const [name = '', value = ''] = pair.toUpperCase().split('=');
    if (!known.has(name) || value === '' || parts.has(name)) {
      refuse(
        `"${pair}" is not understood; write a rule such as FREQ=WEEKLY;BYDAY=MO,WE;COUNT=10, or pattern and range.`,
      );
    }
    parts.set(name, value);
  }
  return parts;
};

// What each frequency is told by besides. Other parts would change what it means.
const parted: Record<string, readonly string[]> = {
  DAILY: ['BYDAY'],
  WEEKLY: ['BYDAY'],
  MONTHLY: ['BYDAY', 'BYSETPOS', 'BYMONTHDAY'],
  YEARLY: ['BYDAY', 'BYSETPOS', 'BYMONTHDAY', 'BYMONTH'],
};

const refuseOthers = (parts: Map<string, string>): void => {
  const freq = parts.get('FREQ') ?? '';
  const taken = parted[freq];
  const other = [...parts.keys()].find((name) => name.startsWith('BY') && !taken?.includes(name));
  if (taken !== undefined && other !== undefined)
    refuse(`FREQ=${freq} cannot be narrowed by ${other} in the calendar.`);
  const [day, date] = [parts.has('BYDAY'), parts.has('BYMONTHDAY')];
  if (day && date) refuse('give BYDAY or BYMONTHDAY, not both.');
  if (parts.has('BYSETPOS') && !day) refuse('BYSETPOS needs BYDAY.');
  if (freq === 'YEARLY' && (day || date) && !parts.has('BYMONTH')) refuse('a yearly rule needs BYMONTH as well.');
};

const patternOf = (parts: Map<string, string>, startDate: string): Pattern => {
  const interval = whole(parts, 'INTERVAL', 1, 99) ?? 1;
  const placed = weekdaysOf(parts);
  const start = new Date(`${startDate}T00:00:00Z`);
  const startDay = days[start.getUTCDay()] ?? 'monday';
  const dayOfMonth = whole(parts, 'BYMONTHDAY', 1, 31) ?? start.getUTCDate();
  const month = whole(parts, 'BYMONTH', 1, 12) ?? start.getUTCMonth() + 1;
  const wkst = parts.get('WKST');
  const firstDayOfWeek = dayOf(wkst ?? 'MO');
  const relative = () => ({ daysOfWeek: placed?.daysOfWeek ?? [], index: indexOf(placed?.place ?? Number.NaN) });
  const freq = parts.get('FREQ');
  if (freq === 'DAILY' && placed === undefined) return { type: 'daily', interval };
  const everyWorkday = freq === 'DAILY' && parts.get('BYDAY') === workdays && interval === 1;
  if (freq === 'WEEKLY' || everyWorkday) {
    if (placed?.place !== undefined) refuse('a weekly rule takes weekdays without a number.');
    return { type: 'weekly', interval, daysOfWeek: placed?.daysOfWeek ?? [startDay], firstDayOfWeek };
  }
  if (freq === 'MONTHLY') {
    return placed === undefined
      ? { type: 'absoluteMonthly', interval, dayOfMonth }
      : { type: 'relativeMonthly', interval, ...relative() };
  }
  if (freq === 'YEARLY') {
    return placed === undefined
      ? { type: 'absoluteYearly', interval, dayOfMonth, month }
      : { type: 'relativeYearly', interval, month, ...relative() };
  }
  return refuse('this rule has no counterpart in the calendar; use FREQ=DAILY, WEEKLY, MONTHLY or YEARLY.');
};

const written = /^(\d{4})-?(\d\d)-?(\d\d)(?:T(\d\d):?(\d\d):?(\d\d)(Z)?)?$/;

/** The last day on which the event may still begin: a time counts on the clocks of its zone, and is the last that fits. */
const lastDay = (until: string, { time, zone }: Begin): string => {
  const [, year, month, day, hour, minute, second, utc] = written.exec(until) ?? refuse(`UNTIL "${until}" is no date.`);
  const date = `${year}-${month}-${day}`;
  if (!z.iso.date().safeParse(date).success) refuse(`UNTIL "${until}" is no date.`);
  if (hour === undefined) return date;
  const clock = `${hour}:${minute}:${second}`;
  if (!z.iso.time().safeParse(clock).success) refuse(`UNTIL "${until}" is no time.`);
  const there = utc === undefined ? { date, time: clock } : beginAt({ instant: Date.parse(`${date}T${clock}Z`), zone });
  return there.time < time ? addDays(there.date, -1) : there.date;
};

const rangeOf = (parts: Map<string, string>, begin: Begin): Range => {
  const { date: startDate } = begin;
  const count = whole(parts, 'COUNT', 1, 999);
  const until = parts.get('UNTIL');
  if (count !== undefined && until !== undefined) refuse('give COUNT or UNTIL, not both.');
  if (count !== undefined) return { type: 'numbered', startDate, numberOfOccurrences: count };
  if (until === undefined) return { type: 'noEnd', startDate };
  return { type: 'endDate', startDate, endDate: lastDay(until, begin) };
};

/** What the service needs of a pattern and was not said is taken from the start, as for a rule. */
const completed = (pattern: Pattern, startDate: string): Pattern => {
  const start = new Date(`${startDate}T00:00:00Z`);
  const { type, daysOfWeek = [], dayOfMonth = start.getUTCDate(), month = start.getUTCMonth() + 1 } = pattern;
  if (type === 'weekly' && daysOfWeek.length === 0) {
    return { ...pattern, daysOfWeek: [days[start.getUTCDay()] ?? 'monday'] };
  }
  if (type.startsWith('relative') && daysOfWeek.length === 0) {
    refuse(`a pattern of the type ${type} needs daysOfWeek, and index for which of them.`);
  }
  return {
    ...pattern,
    ...(type.startsWith('absolute') ? { dayOfMonth } : {}),
    ...(type.endsWith('Yearly') ? { month } : {}),
  };
};

/** A recurrence as the service takes it; it starts on the day of the event unless it says otherwise. */
export const toRecurrence = (given: RecurrenceInput, begin: Begin): Recurrence => {
  if (typeof given !== 'string') {
    const startDate = given.range.startDate ?? begin.date;
    return { pattern: completed(given.pattern, startDate), range: { ...given.range, startDate } };
  }
  const parts = readRule(given);
  refuseOthers(parts);
  return { pattern: patternOf(parts, begin.date), range: rangeOf(parts, begin) };
};
