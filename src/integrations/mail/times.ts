import { z } from 'zod';
import { Fault } from '#kit';
import { findZone, offsetAt, utcZone, type Zone, zoneNamed } from './zones.ts';

/** A time as every output shows it: the instant, and what a clock in the zone shows. */
export const Time = z.object({
  utc: z.string().describe('The instant, in UTC.'),
  local: z.string().describe('What a clock in the zone shows.'),
  timeZone: z.string(),
});
export type Time = z.output<typeof Time>;

const rule =
  'A local time such as 2026-11-02T09:00:00 (in timeZone), or RFC 3339 with an offset. A local time that clocks skip is refused; one that comes twice means the first, unless an offset says otherwise.';

/** A time as steps take it: text, or the service's pair of local time and zone. */
export const TimeInput = z
  .union([
    z.string().min(1).max(60),
    z.strictObject({ dateTime: z.string().min(1).max(60), timeZone: z.string().min(1).max(100).optional() }),
  ])
  .describe(rule);
export type TimeInput = z.output<typeof TimeInput>;

export const ZoneInput = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe(
    'Time zone, by IANA or Windows name, of times without an offset and of the answer; the zone of the mailbox if left out.',
  );

/** An instant, on the clock of a zone. */
export type Moment = { instant: number; zone: Zone; dateOnly: boolean };

const dayMs = 86_400_000;
const written =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?\s?([Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)?$/;

const offsetOf = (text: string): number => {
  if (/^z$/i.test(text)) return 0;
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
};

type Written = { wall: number; offset: number | undefined; dateOnly: boolean };

const readText = (text: string): Written | undefined => {
  const [whole, year, month, day, hour, minute = '0', second = '0', fraction = '', offset] =
    written.exec(text.trim()) ?? [];
  if (whole === undefined || (hour === undefined && offset !== undefined)) return undefined;
  const numbers = [year, month, day, hour ?? '0', minute, second].map(Number);
  const [y = 0, mo = 1, d = 1, h = 0, mi = 0, s = 0] = numbers;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const wall = Date.UTC(y, mo - 1, d, h, mi, s, ms);
  const back = new Date(wall);
  // A day or hour that does not exist would roll over.
  const same =
    back.getUTCMonth() === mo - 1 && back.getUTCDate() === d && back.getUTCHours() === h && mi < 60 && s < 60;
  if (!same || y < 1601 || y > 4500) return undefined;
  return { wall, offset: offset === undefined ? undefined : offsetOf(offset), dateOnly: hour === undefined };
};

const plain = (wall: number): string => new Date(wall).toISOString().replace(/(\.000)?Z$/, '');

/** What a clock in the zone shows, as milliseconds of a UTC clock that shows the same. */
export const wallOf = (instant: number, zone: Zone): number => instant + offsetAt(zone.iana, instant);

const offsetsAround = (wall: number, zone: Zone): number[] => [
  ...new Set([wall - dayMs, wall, wall + dayMs].map((at) => offsetAt(zone.iana, at))),
];

/** The instants at which a clock in the zone shows this: two in autumn's extra hour, none in spring's missing one. */
const instantsOf = (wall: number, zone: Zone): number[] =>
  offsetsAround(wall, zone)
    .map((offset) => wall - offset)
    .filter((instant) => wallOf(instant, zone) === wall)
    .sort((a, b) => a - b);

/** The first instant after clocks in the zone jumped over this reading. */
const jumpNear = (wall: number, zone: Zone): number => {
  const offsets = offsetsAround(wall, zone);
  let before = wall - Math.max(...offsets);
  let after = wall - Math.min(...offsets);
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallOf(middle, zone) < wall) before = middle;
    else after = middle;
  }
  return after;
};

/** The first instant at which a clock in the zone shows this or later. */
export const instantOf = (wall: number, zone: Zone): number => instantsOf(wall, zone)[0] ?? jumpNear(wall, zone);

const refuse = (field: string, message: string): never => {
  throw new Fault('invalid_input', `${field}: ${message}`, {
    details: { fields: [{ field, message }] },
  });
};

const readLocal = (field: string, text: string, { wall, offset, dateOnly }: Written, zone: Zone): Moment => {
  const instants = instantsOf(wall, zone);
  if (offset !== undefined) {
    const instant = wall - offset;
    if (instants.includes(instant)) return { instant, zone, dateOnly };
    const there = plain(wallOf(instant, zone));
    return refuse(
      field,
      `"${text}" and the time zone ${zone.name} contradict each other: at that instant it is ${there} there. Send the local time without an offset, or leave the zone out.`,
    );
  }
  const [first] = instants;
  if (first !== undefined) return { instant: first, zone, dateOnly };
  // A day whose first hour is skipped still begins.
  if (dateOnly) return { instant: jumpNear(wall, zone), zone, dateOnly };
  const jump = jumpNear(wall, zone);
  const [earlier, later] = [plain(wallOf(jump - 60_000, zone)), plain(wallOf(jump, zone))];
  return refuse(
    field,
    `"${text}" does not exist in ${zone.name}: clocks are put forward then. Use ${earlier} or ${later}.`,
  );
};

/** When a time is, for whom it is too late to refuse it: one that the clocks skip is when they have jumped. */
export const instantWritten = (text: string, zone: Zone): number | undefined => {
  const read = readText(text);
  return read && (read.offset === undefined ? instantOf(read.wall, zone) : read.wall - read.offset);
};

/** Whether a time names no zone of its own, so that one has to be known. */
export const needsZone = (given: TimeInput): boolean =>
  typeof given === 'string'
    ? readText(given)?.offset === undefined
    : given.timeZone === undefined && readText(given.dateTime)?.offset === undefined;

/**
 * Reads a time. Its own zone counts, else the one given for the whole call, which it must not contradict; an offset alone
 * is shown on the clock of `home`.
 */
export const readTime = (
  field: string,
  given: TimeInput,
  { asked, home }: { asked: Zone | undefined; home: Zone },
): Moment => {
  const text = typeof given === 'string' ? given : given.dateTime;
  const named =
    typeof given === 'string' || given.timeZone === undefined ? asked : zoneNamed(given.timeZone, `${field}.timeZone`);
  const read =
    readText(text) ??
    refuse(field, `"${text}" is not a date and time; write 2026-11-02T09:00:00 or 2026-11-02T09:00:00+01:00.`);
  if (named === undefined && read.offset !== undefined) {
    return { instant: read.wall - read.offset, zone: home, dateOnly: false };
  }
  return readLocal(field, text, read, named ?? home);
};

export const showTime = (instant: number, zone: Zone): Time => ({
  utc: `${plain(instant)}Z`,
  local: plain(wallOf(instant, zone)),
  timeZone: zone.name,
});

/** The day a moment falls on, as 2026-11-02. */
export const dateOf = ({ instant, zone }: Pick<Moment, 'instant' | 'zone'>): string =>
  plain(wallOf(instant, zone)).slice(0, 10);

/** When something begins, as clocks in its zone show it. */
export type Begin = { date: string; time: string; zone: Zone };

export const beginAt = ({ instant, zone }: Pick<Moment, 'instant' | 'zone'>): Begin => {
  const shown = plain(wallOf(instant, zone));
  return { date: shown.slice(0, 10), time: shown.slice(11, 19), zone };
};

export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);

export type DateTimeTimeZone = { dateTime: string; timeZone: string };

/** A moment as the service takes it: bare local time and zone, in UTC where local time alone would be another instant. */
export const toService = ({ instant, zone }: Pick<Moment, 'instant' | 'zone'>): DateTimeTimeZone => {
  const wall = wallOf(instant, zone);
  const exact = zone.windows !== 'UTC' && instantsOf(wall, zone)[0] === instant;
  return exact ? { dateTime: plain(wall), timeZone: zone.windows } : { dateTime: plain(instant), timeZone: 'UTC' };
};

/** The instant of a time as the service shows it; we ask for UTC, but any zone we know is read. */
export const instantIn = ({ dateTime, timeZone }: DateTimeTimeZone): number | undefined => {
  const wall = readText(dateTime)?.wall;
  const zone = findZone(timeZone);
  return wall === undefined || zone === undefined ? undefined : instantOf(wall, zone);
};

export const fromService = (time: DateTimeTimeZone): number => {
  const instant = instantIn(time);
  if (instant !== undefined) return instant;
  throw new Fault('upstream_rejected', 'The service answered with a time that cannot be read; try again later.');
};

export { utcZone };

/** The date that a time was written with; a time of day other than midnight is refused. */
export const dayWritten = (field: string, given: TimeInput): { date: string; dateOnly: boolean } => {
  const text = typeof given === 'string' ? given : given.dateTime;
  const read = readText(text);
  if (read === undefined) {
    return refuse(field, `"${text}" is no day of the calendar; an all-day event takes dates such as 2026-11-02.`);
  }
  if (read.wall % dayMs !== 0) {
    return refuse(field, `"${text}" is not a whole day; an all-day event takes dates such as 2026-11-02.`);
  }
  return { date: plain(read.wall).slice(0, 10), dateOnly: read.dateOnly };
};
