import { windowsZones, wrong, zoneCandidates } from '#kit';

/**
 * A time zone. `name` is what callers are shown, in the family they asked in; `iana` is what we reckon with; `windows` is
 * what the service is told, because it knows every Windows name but only some IANA names.
 */
export type Zone = { name: string; iana: string; windows: string };

export const utcZone: Zone = { name: 'UTC', iana: 'UTC', windows: 'UTC' };

const dayMs = 86_400_000;
const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (iana: string): Intl.DateTimeFormat => {
  const known = formats.get(iana);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: iana,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(iana, made);
  return made;
};

// Before, all clocks went by the sun, and years of one or two digits would be taken for those of another century.
const earliest = Date.UTC(1000, 0);

/** Milliseconds that clocks in the zone are ahead of UTC at that instant. */
export const offsetAt = (iana: string, instant: number): number => {
  if (iana === 'UTC') return 0;
  const second = Math.floor(Math.max(instant, earliest) / 1000) * 1000;
  const shown = formatOf(iana).format(second).match(/\d+/g) ?? [];
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, sec = 0] = shown.map(Number);
  const wall = Date.UTC(year, month - 1, day, hour, minute, sec);
  return wall - second;
};

const byName = new Map<string, Zone>([
  ['utc', utcZone],
  ['etc/utc', utcZone],
  ['etc/gmt', utcZone],
  ['gmt', utcZone],
  ['z', utcZone],
  ['tzone://microsoft/utc', utcZone],
]);
const remember = (zone: Zone): Zone => {
  byName.set(zone.name.toLowerCase(), zone);
  return zone;
};
for (const { windows, iana } of windowsZones) {
  if (windows === 'UTC') continue;
  remember({ name: windows, iana, windows });
  remember({ name: iana, iana, windows });
}

const start = Date.UTC(2026, 0);
const stepMs = 10 * dayMs;
const aheadMs = 6 * 366 * dayMs;
const course = new Map<string, string>();

/** When clocks of a zone change in these years, and to what; zones that share it go the same. */
const courseOf = (iana: string): string => {
  const known = course.get(iana);
  if (known !== undefined) return known;
  const changes = [String(offsetAt(iana, start))];
  for (let at = start; at < start + aheadMs; at += stepMs) {
    const next = offsetAt(iana, at + stepMs);
    let [before, after] = [at, at + stepMs];
    if (offsetAt(iana, before) === next) continue;
    while (after - before > 60_000) {
      const middle = before + Math.floor((after - before) / 120_000) * 60_000;
      if (offsetAt(iana, middle) === next) after = middle;
      else before = middle;
    }
    changes.push(`${after} ${next}`);
  }
  const made = changes.join(', ');
  course.set(iana, made);
  return made;
};

/** The Windows zone whose clocks go like those of an IANA zone outside the table; UTC where there is none. */
const windowsLike = (iana: string): string => {
  const near = [0, 90, 180, 270].map((days) => start + days * dayMs);
  const alike = windowsZones.filter((each) => near.every((at) => offsetAt(each.iana, at) === offsetAt(iana, at)));
  return alike.find((each) => courseOf(each.iana) === courseOf(iana))?.windows ?? 'UTC';
};

const ianaName = (name: string): string | undefined => {
  // Fixed offsets and abbreviations are no zones: nobody knows what they mean next summer.
  if (!/^[a-z]+\/[a-z0-9_+/-]+$/i.test(name)) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
};

/** A zone by Windows or IANA name in any letter case, if there is one. */
export const findZone = (given: string): Zone | undefined => {
  const name = given.trim();
  const known = byName.get(name.toLowerCase());
  if (known !== undefined) return known;
  const iana = ianaName(name);
  if (iana === undefined) return undefined;
  const canonical = byName.get(iana.toLowerCase());
  const windows = canonical?.windows ?? windowsLike(iana);
  const spelled = Intl.supportedValuesOf('timeZone').find((each) => each.toLowerCase() === name.toLowerCase());
  return remember({ name: spelled ?? name, iana, windows });
};

/** A zone by Windows or IANA name in any letter case; `field` is where it was written. */
export const zoneNamed = (given: string, field = 'timeZone'): Zone => {
  const zone = findZone(given);
  if (zone !== undefined) return zone;
  const candidates = zoneCandidates(given);
  const hint = candidates.length > 0 ? ` Did you mean ${candidates.join(', ')}?` : '';
  throw wrong(
    field,
    `"${given.slice(0, 60)}" is not a time zone. Use an IANA name such as Europe/Berlin or a Windows name such as W. Europe Standard Time.${hint}`,
    { candidates },
  );
};
