import { expect, test } from 'vitest';
import { spanStarts } from './span-starts.ts';

const days = (now: string, timeZone: string, count: number) =>
  spanStarts({ now: new Date(now), days: count, bucket: 'day', timeZone }).map((at) => at.toISOString());

test('days begin at midnight of the zone, whichever day it is elsewhere', () => {
  const now = '2026-11-16T03:00:00Z';
  expect(days(now, 'UTC', 2)).toEqual(['2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z']);
  expect(days(now, 'America/New_York', 2)).toEqual(['2026-11-14T05:00:00.000Z', '2026-11-15T05:00:00.000Z']);
  expect(days(now, 'Pacific/Kiritimati', 2)).toEqual(['2026-11-14T10:00:00.000Z', '2026-11-15T10:00:00.000Z']);
});

test('a day is as long as its clocks say, and begins when they do', () => {
  expect(days('2026-10-26T12:00:00Z', 'Europe/Berlin', 3)).toEqual([
    '2026-10-23T22:00:00.000Z',
    '2026-10-24T22:00:00.000Z',
    '2026-10-25T23:00:00.000Z',
  ]);
  // In Beirut the clocks go from midnight to one.
  expect(days('2025-03-30T12:00:00Z', 'Asia/Beirut', 2)).toEqual([
    '2025-03-28T22:00:00.000Z',
    '2025-03-29T22:00:00.000Z',
  ]);
});

test('hours begin when they do in the zone, and the last is the present one', () => {
  const hours = (timeZone: string) =>
    spanStarts({ now: new Date('2026-11-16T09:20:00Z'), days: 1, bucket: 'hour', timeZone });
  expect(hours('UTC').map((at) => at.toISOString())).toHaveLength(24);
  expect(hours('UTC').at(-1)?.toISOString()).toBe('2026-11-16T09:00:00.000Z');
  expect(hours('Asia/Kolkata').at(-1)?.toISOString()).toBe('2026-11-16T08:30:00.000Z');
});
