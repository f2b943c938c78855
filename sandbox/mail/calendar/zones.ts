import { GraphError, invalidProperty } from '../graph-error.ts';
import { publishedZones, windowsZones } from './zone-table.ts';

export type Zone = { name: string; iana: string };

const utc: Zone = { name: 'UTC', iana: 'Etc/UTC' };
const zones = new Map<string, Zone>([
  ...windowsZones.map(({ windows, iana }): [string, Zone] => [windows.toLowerCase(), { name: windows, iana }]),
  ...publishedZones.map(({ iana }): [string, Zone] => [iana.toLowerCase(), { name: iana, iana }]),
  ['utc', utc],
  ['etc/utc', { name: 'Etc/UTC', iana: 'Etc/UTC' }],
  ['tzone://microsoft/utc', utc],
]);

/** What an imported event may have been made in; nobody can ask for it. */
export const customZone = 'tzone://Microsoft/Custom';

/** The zone of a stored event. */
export const zoneOf = (name: string): Zone => zones.get(name.toLowerCase()) ?? utc;

/** A Windows name or one of the IANA subset. Africa/Casablanca is in the published list, but mailbox servers refuse it. */
export const zoneNamed = (name: string): Zone => {
  if (name.toLowerCase() === 'africa/casablanca') {
    throw invalidProperty(`The time zone '${name}' is not known to the mailbox server.`);
  }
  const zone = zones.get(name.toLowerCase());
  if (zone !== undefined) return zone;
  throw new GraphError(
    400,
    'TimeZoneNotSupportedException',
    `A valid TimeZone value must be specified. The following TimeZone value is not supported: '${name}'.`,
  );
};

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();
const quarter = 15 * 60_000;

/** Milliseconds that the zone is ahead of UTC at that instant. */
const offsetAt = (iana: string, instant: number): number => {
  if (iana === 'Etc/UTC' || iana === 'Etc/GMT') return 0;
  // Zones change their offset on a quarter of an hour, so all instants of one share it.
  const bucket = Math.floor(instant / quarter) * quarter;
  const key = `${iana} ${bucket}`;
  const known = offsets.get(key);
  if (known !== undefined) return known;
  let format = formats.get(iana);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: iana,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    formats.set(iana, format);
  }
  const parts = Object.fromEntries(format.formatToParts(bucket).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  const offset = Date.UTC(year, month - 1, day, hour, minute, second) - bucket;
  if (offsets.size > 50_000) offsets.clear();
  offsets.set(key, offset);
  return offset;
};

const day = 86_400_000;

/** The instant of a wall clock reading; of two, the first; of one that is skipped, the reading an hour later. */
export const instantOf = (wall: number, zone: Zone): number => {
  const before = offsetAt(zone.iana, wall - day);
  const after = offsetAt(zone.iana, wall + day);
  if (before === after) return wall - before;
  const valid = [wall - before, wall - after].filter((instant) => instant + offsetAt(zone.iana, instant) === wall);
  return valid.length > 0 ? Math.min(...valid) : wall - before;
};

/** What a clock in the zone shows, as milliseconds of a UTC clock that shows the same. */
export const wallOf = (instant: number, zone: Zone): number => instant + offsetAt(zone.iana, instant);

/** `2026-11-02T09:00:00.0000000` */
export const wallText = (wall: number): string => `${new Date(wall).toISOString().slice(0, -1)}0000`;

export const toDateTimeTimeZone = (instant: number, zone: Zone): { dateTime: string; timeZone: string } => ({
  dateTime: wallText(wallOf(instant, zone)),
  timeZone: zone.name,
});

const written = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/i;

/** Milliseconds of a date and time as written; `offset` tells whether it had one. */
export const readDateTime = (text: string): { ms: number; offset: boolean } | undefined => {
  const [, date, time = '00:00', fraction = '', offset] = written.exec(text.trim()) ?? [];
  if (date === undefined) return undefined;
  const seconds = time.length === 5 ? `${time}:00` : time;
  const ms = Date.parse(`${date}T${seconds}${fraction.slice(0, 4)}${offset?.toUpperCase() ?? 'Z'}`);
  const year = Number(date.slice(0, 4));
  if (Number.isNaN(ms) || year < 1601 || year > 4500) return undefined;
  return { ms, offset: offset !== undefined };
};
