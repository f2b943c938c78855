import { expect, test } from 'vitest';
import { Moment, tellTimes, toUtc } from './times.ts';

test.each([
  ['a date alone stays one', '2026-11-20', undefined, '2026-11-20'],
  ['a date with a zone is the beginning of that day there', '2026-11-20', 'Europe/Berlin', '2026-11-19T23:00:00.000Z'],
  ['a day that begins at one, too', '2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z'],
  ['an instant is one in any zone', '2026-11-20T09:00:00Z', 'Europe/Berlin', '2026-11-20T09:00:00Z'],
  ['an offset that is that of the zone', '2026-11-20T09:00:00+01:00', 'Europe/Berlin', '2026-11-20T09:00:00+01:00'],
  ['a time with its offset stays as it is', '2026-11-20T09:00:00+01:00', undefined, '2026-11-20T09:00:00+01:00'],
  ['seconds may be left out', '2026-11-20T09:00+01:00', undefined, '2026-11-20T08:00:00.000Z'],
  ['a local time is read in its zone', '2026-11-20T09:00', 'Europe/Berlin', '2026-11-20T08:00:00.000Z'],
  ['summer time counts', '2026-07-20T09:00', 'America/New_York', '2026-07-20T13:00:00.000Z'],
  ['a half-hour zone counts', '2026-07-20T09:00:30', 'Asia/Kolkata', '2026-07-20T03:30:30.000Z'],
  ['a zone by its Windows name', '2026-07-20T09:00', 'w. europe standard time', '2026-07-20T07:00:00.000Z'],
  ['of a time shown twice, the first is meant', '2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
])('%s', (_, moment, zone, utc) => {
  expect(toUtc(Moment.parse(moment), zone)).toBe(utc);
});

test('a time that the clocks skip, a zone nobody knows, a time without any and one with two are refused', () => {
  expect(() => toUtc('2026-11-20T09:00:00+05:00', 'Europe/Berlin')).toThrow(/contradict.*2026-11-20T05:00:00/);
  const skipped = () => toUtc('2026-03-29T02:30', 'Europe/Berlin');
  expect(skipped).toThrow(/skip.*such as 2026-03-29T03:30:00\./);
  expect(skipped).toThrow(
    expect.objectContaining({ details: { fields: [expect.objectContaining({ field: 'timeZone' })] } }),
  );
  expect(() => toUtc('2026-10-04T02:10', 'Australia/Lord_Howe')).toThrow(/such as 2026-10-04T02:40:00\./);
  expect(() => toUtc('2026-03-29T02:30', 'Mars/Olympus')).toThrow(/Europe\/Berlin/);
  expect(() => toUtc('2026-03-29T02:30', 'Europe/Berln')).toThrow(/"Europe\/Berln".*Did you mean Europe\/Berlin\?/);
  expect(() => toUtc('2026-03-29T02:30', 'PDT')).toThrow(/Did you mean America\/Los_Angeles\?/);
  // In July clocks in New York do not go by it.
  expect(() => toUtc('2026-07-20T09:00', 'EST')).toThrow(/Did you mean America\/New_York\?/);
  for (const none of ['+02:00', 'CET', 'EST5EDT']) {
    expect(() => toUtc('2026-07-20T09:00', none)).toThrow(/is not a time zone/);
  }
  expect(toUtc('2026-07-20T09:00', 'z')).toBe('2026-07-20T09:00:00.000Z');
  expect(() => toUtc('2026-03-29T02:30', undefined)).toThrow(/timeZone/);
});

test('times are told as the instant and as a clock in the zone shows it, wherever they stand', () => {
  const card = { due: '2026-07-20T13:00:00.000Z', start: null, comments: [{ createdAt: '2026-11-20T08:00:00Z' }] };
  const changes = [{ field: 'due', from: null, to: card.due }];
  const customFields = [{ value: { date: '2026-07-20T13:00:00.000Z' } }];

  expect(tellTimes({ ...card, changes, customFields }, 'America/New_York')).toEqual({
    due: { utc: '2026-07-20T13:00:00.000Z', local: '2026-07-20T09:00:00', timeZone: 'America/New_York' },
    start: null,
    comments: [
      { createdAt: { utc: '2026-11-20T08:00:00.000Z', local: '2026-11-20T03:00:00', timeZone: 'America/New_York' } },
    ],
    changes,
    customFields,
  });
  expect(tellTimes({ due: '2026-07-20T13:00:00.000Z' })).toMatchObject({
    due: { local: '2026-07-20T13:00:00', timeZone: 'UTC' },
  });
  const local = (due: string, zone: string) => (tellTimes({ due }, zone) as { due: { local: string } }).due.local;
  expect(local('0001-01-01T00:00:00.000Z', 'Asia/Kolkata')).toBe('0001-01-01T05:53:28');
  expect(local('9999-12-31T23:59:59.000Z', 'Asia/Kolkata')).toBe('+010000-01-01T05:29:59');
  expect(() => tellTimes({ due: 'soon' })).toThrow(/none/);
});
