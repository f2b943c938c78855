import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault, windowsZones } from '#kit';
import { dateOf, fromService, readTime, showTime, type TimeInput, toService } from './times.ts';
import { findZone, offsetAt, utcZone, zoneNamed } from './zones.ts';

const read = (given: TimeInput, zone?: string) =>
  readTime('start', given, { asked: zone === undefined ? undefined : zoneNamed(zone), home: utcZone });
const utcOf = (given: TimeInput, zone?: string) => showTime(read(given, zone).instant, utcZone).utc;
const messageOf = (attempt: () => unknown): string => {
  try {
    attempt();
  } catch (error) {
    if (error instanceof Fault) return error.message;
  }
  return 'nothing was refused';
};

const zones = fc.oneof(
  fc.constantFrom(...windowsZones.map(({ windows }) => windows)),
  fc.constantFrom(...windowsZones.map(({ iana }) => iana)),
  fc.constantFrom(...Intl.supportedValuesOf('timeZone').filter((name) => name.includes('/'))),
);
const instants = fc
  .integer({ min: Date.UTC(1995, 0), max: Date.UTC(2035, 0) })
  .map((ms) => Math.floor(ms / 1000) * 1000);

describe('reading times', () => {
  test('a local time is read in its zone, by either family of names and in any letter case', () => {
    const expected = '2026-07-01T07:00:00Z';
    expect(utcOf('2026-07-01T09:00', 'Europe/Berlin')).toBe(expected);
    expect(utcOf('2026-07-01 09:00:00', 'w. europe standard time')).toBe(expected);
    expect(utcOf({ dateTime: '2026-07-01T09:00:00.0000000', timeZone: 'EUROPE/BERLIN' })).toBe(expected);
    expect(utcOf('2026-07-01T00:00:00', 'Pacific Standard Time')).toBe(expected);
  });

  test('an offset alone is enough, and agrees with a zone in which it is right', () => {
    expect(utcOf('2026-07-01T09:00:00+02:00')).toBe('2026-07-01T07:00:00Z');
    expect(utcOf('2026-07-01T09:00:00+0200', 'Europe/Berlin')).toBe('2026-07-01T07:00:00Z');
    expect(utcOf('2026-01-01T09:00:00Z', 'Europe/London')).toBe('2026-01-01T09:00:00Z');
  });

  test('an offset that contradicts the zone is refused, and the message tells what time it is there', () => {
    expect(messageOf(() => read('2026-07-01T09:00:00Z', 'America/New_York'))).toContain('2026-07-01T05:00:00');
    expect(messageOf(() => read({ dateTime: '2026-07-01T09:00:00+01:00', timeZone: 'Europe/Berlin' }))).toContain(
      'contradict',
    );
  });

  test('a time that clocks skip is refused with the two nearest times', () => {
    const message = messageOf(() => read('2026-03-29T02:30:00', 'Europe/Berlin'));
    expect(message).toContain('Use 2026-03-29T01:59:00 or 2026-03-29T03:00:00.');
    expect(messageOf(() => read('2026-10-04T02:10:00', 'Lord Howe Standard Time'))).toContain(
      'Use 2026-10-04T01:59:00 or 2026-10-04T02:30:00.',
    );
  });

  test('a time that comes twice means the first, unless an offset names the second', () => {
    expect(utcOf('2026-10-25T02:30:00', 'Europe/Berlin')).toBe('2026-10-25T00:30:00Z');
    expect(utcOf('2026-10-25T02:30:00+01:00', 'Europe/Berlin')).toBe('2026-10-25T01:30:00Z');
  });

  test('the second of two equal clock times goes out in UTC, so that it arrives as meant', () => {
    expect(toService(read('2026-10-25T02:30:00', 'Europe/Berlin'))).toEqual({
      dateTime: '2026-10-25T02:30:00',
      timeZone: 'W. Europe Standard Time',
    });
    expect(toService(read('2026-10-25T02:30:00+01:00', 'Europe/Berlin'))).toEqual({
      dateTime: '2026-10-25T01:30:00',
      timeZone: 'UTC',
    });
  });

  test('a day begins when its first hour does, even where midnight is skipped', () => {
    const begin = read('2026-09-06', 'America/Santiago');
    expect(showTime(begin.instant, begin.zone).local).toBe('2026-09-06T01:00:00');
    expect([begin.dateOnly, dateOf(begin)]).toEqual([true, '2026-09-06']);
  });

  test.each([
    '2026-02-30T09:00',
    '2026-13-01',
    '2026-01-01T24:00',
    '2026-01-01T09:60',
    '2026-01-01T09:00+25:00',
    '2026-01-01T09:00+01:60',
    'tomorrow',
    '2026-01-01Z',
    '1000-01-01',
  ])('%s is not a time', (text) => {
    expect(messageOf(() => read(text, 'UTC'))).toContain('is not a date and time');
  });

  test('what is shown in a zone is read back as the same instant', () => {
    fc.assert(
      fc.property(zones, instants, (name, instant) => {
        const { local, utc } = showTime(instant, zoneNamed(name));
        expect(Date.parse(utc)).toBe(instant);
        const offset = Math.round(offsetAt(zoneNamed(name).iana, instant) / 60_000);
        const sign = offset < 0 ? '-' : '+';
        const two = (value: number) => String(value).padStart(2, '0');
        const suffix = `${sign}${two(Math.floor(Math.abs(offset) / 60))}:${two(Math.abs(offset) % 60)}`;
        expect(read(`${local}${suffix}`, name).instant).toBe(instant);
        const again = read(local, name).instant;
        // Only the second of two equal clock times comes back as the first.
        expect(instant - again).toBeGreaterThanOrEqual(0);
        expect(showTime(again, zoneNamed(name)).local).toBe(local);
      }),
      { numRuns: 400 },
    );
  });

  test('years of few digits are what they are', () => {
    expect(showTime(Date.parse('0001-06-01T00:00:00Z'), zoneNamed('Asia/Kolkata')).local).toBe('0001-06-01T05:53:28');
  });

  test('what the service is told is the same instant', () => {
    const soon = fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2029, 0) });
    fc.assert(
      fc.property(zones, soon, (name, ms) => {
        const instant = Math.floor(ms / 60_000) * 60_000;
        expect(fromService(toService({ instant, zone: zoneNamed(name) }))).toBe(instant);
      }),
      { numRuns: 200 },
    );
  });
});

test('a time that the service garbles is its fault, told as such', () => {
  const garbled = [
    { dateTime: 'soon', timeZone: 'UTC' },
    { dateTime: '2026-07-01T09:00:00.0000000', timeZone: 'tzone://Microsoft/Custom' },
  ];
  for (const time of garbled) expect(messageOf(() => fromService(time))).toContain('The service answered');
});

describe('zones', () => {
  test('every Windows zone of the table is known to this machine', () => {
    expect(windowsZones.length).toBeGreaterThan(135);
    for (const { windows, iana } of windowsZones) {
      expect(() => offsetAt(iana, 0)).not.toThrow();
      expect(findZone(windows)?.windows).toBe(windows);
    }
  });

  test('an IANA zone outside the table is told to the service as a Windows zone whose clocks go the same', () => {
    expect(zoneNamed('Europe/Vienna')).toMatchObject({ name: 'Europe/Vienna', windows: 'W. Europe Standard Time' });
    expect(zoneNamed('US/Pacific').windows).toBe('Pacific Standard Time');
    expect(zoneNamed('Asia/Calcutta').windows).toBe('India Standard Time');
    // Its clocks jump by two hours, as no Windows zone's do.
    expect(zoneNamed('Antarctica/Troll').windows).toBe('UTC');
  });

  test('a name that is no zone is refused, with names that look alike', () => {
    expect(messageOf(() => zoneNamed('Berlin'))).toContain('Did you mean Europe/Berlin?');
    expect(messageOf(() => zoneNamed('Pacific Time'))).toContain('Pacific Standard Time');
    expect(messageOf(() => zoneNamed('pst'))).toContain('Did you mean America/Los_Angeles?');
    expect(messageOf(() => zoneNamed('CET'))).toContain('Did you mean Europe/Berlin, ');
    expect(messageOf(() => zoneNamed('IST'))).toContain('Did you mean Asia/Kolkata, Europe/Dublin, Asia/Jerusalem?');
    expect(messageOf(() => zoneNamed('Europe/Berln'))).toContain('Did you mean Europe/Berlin?');
    expect(messageOf(() => zoneNamed('Americas/New York'))).toContain('Did you mean America/New_York?');
    for (const odd of ['XYZ', 'UTC+2', 'Mars/Olympus']) {
      expect(messageOf(() => zoneNamed(odd))).not.toContain('Did you mean');
    }
    expect(zoneNamed('GMT').iana).toBe('UTC');
    for (const name of ['+02:00', 'EST', 'Greenwich Mean Time', '', 'Mars/Olympus']) {
      expect(messageOf(() => zoneNamed(name))).toContain('is not a time zone');
    }
  });
});
