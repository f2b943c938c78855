import { z } from 'zod';
import { Fault, windowsZones, wrong, zoneCandidates } from '#kit';

const error = 'must be a local time, such as 2026-11-02T09:00:00, together with timeZone';

/** A date, a time with its offset, or a local time together with the step's timeZone; seconds may be left out. */
export const Moment = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ local: true, error }),
  z.iso.datetime({ offset: true, precision: -1, error }),
]);

export const TimeZone = z
  .string()
  .max(100)
  .optional()
  .describe(
    'Time zone, by IANA or Windows name, of dates given without an offset and of the times told; UTC for these if left out.',
  );

/** A time as every output tells it: the instant, and what a clock in the zone shows. */
export const Time = z.object({
  utc: z.string().describe('The instant, in UTC.'),
  local: z.string().describe('What a clock in the zone shows.'),
  timeZone: z.string(),
});

// Before, all clocks went by the sun, and years of one or two digits would be taken for those of another century.
const earliest = Date.UTC(1000, 0);

const offsetAt = (given: number, format: Intl.DateTimeFormat): number => {
  const time = Math.max(given, earliest);
  const parts = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1000) * 1000;
};

// Making one costs more than the rest of a step.
const formats = new Map<string, Intl.DateTimeFormat>();
const mostFormats = 1_000;

/** The IANA name of a zone that is given by it or by its Windows name; nothing for what is no zone. */
const ianaOf = (name: string): string => {
  const given = name.trim();
  const low = given.toLowerCase();
  if (['utc', 'gmt', 'z'].includes(low)) return 'UTC';
  // Abbreviations and fixed offsets are no zones: nobody knows what they mean next summer.
  const iana = given.includes('/') ? given : '';
  return windowsZones.find(({ windows }) => windows.toLowerCase() === low)?.iana ?? iana;
};

const formatFor = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: ianaOf(timeZone),
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    if (formats.size >= mostFormats) formats.clear();
    formats.set(timeZone, format);
    return format;
  } catch {
    const names = 'an IANA name such as Europe/Berlin or a Windows name such as W. Europe Standard Time';
    const candidates = zoneCandidates(timeZone);
    const hint = candidates.length > 0 ? ` Did you mean ${candidates.join(', ')}?` : '';
    throw wrong('timeZone', `"${timeZone.slice(0, 60)}" is not a time zone. Use ${names}.${hint}`, { candidates });
  }
};

const dayMs = 86_400_000;
const hasOffset = /(Z|[+-]\d{2}:?\d{2})$/i;

/** A time that says by its offset where it is meant, and by the zone that it is meant elsewhere, is one or the other. */
const refuseConflict = (moment: string, timeZone: string): void => {
  const instant = Date.parse(moment);
  const offset = offsetAt(instant, formatFor(timeZone));
  if (/Z$/i.test(moment) || instant + offset === Date.parse(moment.replace(hasOffset, 'Z'))) return;
  const there = new Date(instant + offset).toISOString().slice(0, 19);
  throw wrong(
    'timeZone',
    `"${moment}" and the time zone ${timeZone} contradict each other: at that instant it is ${there} there. Send the local time without an offset, or leave the zone out.`,
  );
};

/**
 * A moment as the service takes it, in UTC. A date alone stays one, or is the beginning of that day in the zone. A local time that the clocks skip is refused; of one
 * that they show twice, the first is meant.
 */
export const toUtc = (moment: string, timeZone: string | undefined): string => {
  const isDate = !moment.includes('T');
  if (hasOffset.test(moment) && !isDate) {
    if (timeZone !== undefined) refuseConflict(moment, timeZone);
    // The service is known to take times with their seconds.
    return /T\d\d:\d\d:/.test(moment) ? moment : new Date(moment).toISOString();
  }
  if (timeZone === undefined) {
    if (isDate) return moment;
    throw wrong('timeZone', `"${moment}" has no offset; add one (such as Z) or give timeZone.`);
  }
  const format = formatFor(timeZone);
  const local = Date.parse(isDate ? `${moment}T00:00Z` : `${moment}Z`);
  const [first] = [local - dayMs, local + dayMs]
    .map((near) => offsetAt(near, format))
    .filter((offset) => offsetAt(local - offset, format) === offset)
    .map((offset) => local - offset)
    .sort((a, b) => a - b);
  // Where the day begins an hour late, its first instant is meant.
  if (first === undefined && isDate) return new Date(local - offsetAt(local - dayMs, format)).toISOString();
  if (first === undefined) {
    const [before, after] = [offsetAt(local - dayMs, format), offsetAt(local + dayMs, format)];
    const later = new Date(local + after - before).toISOString().slice(0, -'.000Z'.length);
    throw wrong('timeZone', `The clocks of ${timeZone} skip ${moment}; choose another time, such as ${later}.`);
  }
  return new Date(first).toISOString();
};

const showTime = (moment: string, timeZone: string): z.output<typeof Time> => {
  const instant = Date.parse(moment);
  if (Number.isNaN(instant)) throw new Fault('upstream_unavailable', 'The board service told a time that is none.');
  // Most ask for no zone, and reading a clock there costs more than the rest of a step.
  const offset = timeZone === 'UTC' ? 0 : offsetAt(instant, formatFor(timeZone));
  const local = new Date(instant + offset).toISOString().slice(0, -'.000Z'.length);
  return { utc: new Date(instant).toISOString(), local, timeZone };
};

/** A time within a text: on the clock of the zone that was asked for, or as the service tells it. */
export const timeInText = (moment: string, timeZone: string | undefined): string =>
  timeZone === undefined ? moment : `${showTime(moment, timeZone).local} (${timeZone})`;

// Under these names, and no others, the shapes of this folder keep a time.
const timed = new Set(['due', 'start', 'date', 'dateLastActivity', 'lastActivity', 'createdAt', 'editedAt']);

/** The same answer with its times told in both forms. What people wrote themselves (custom fields, changes) stays. */
export const tellTimes = (value: unknown, timeZone = 'UTC'): unknown => {
  if (Array.isArray(value)) return value.map((each) => tellTimes(each, timeZone));
  if (typeof value !== 'object' || value === null) return value;
  const told = Object.entries(value).map(([name, each]) => {
    if (name === 'customFields' || name === 'changes') return [name, each];
    return [name, typeof each === 'string' && timed.has(name) ? showTime(each, timeZone) : tellTimes(each, timeZone)];
  });
  return Object.fromEntries(told);
};

/** For fields that may be absent (leave as it is) or null (clear). */
export const toUtcIfGiven = <T extends string | null | undefined>(moment: T, timeZone: string | undefined) =>
  typeof moment === 'string' ? toUtc(moment, timeZone) : moment;
