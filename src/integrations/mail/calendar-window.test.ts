import { expect, test } from 'vitest';
import type { StepContext } from '#kit';
import { takesPlaceIn, windowFor } from './calendar-window.ts';
import { WireEvent } from './event-shapes.ts';
import { listEvents } from './steps/list-events.ts';
import { zoneNamed } from './zones.ts';

const between = (start: string, end: string) => ({ start: Date.parse(start), end: Date.parse(end) });
const at = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
const event = (start: string, end: string, isAllDay: boolean) =>
  WireEvent.parse({ id: '1', start: at(start), end: at(end), isAllDay });

test.each([
  [
    'Pacific/Apia',
    '2027-08-04T19:00:00Z',
    '2027-08-04T23:00:00Z',
    '2027-08-04T19:00:00.000Z',
    '2027-08-06T00:00:00.000Z',
  ],
  [
    'America/New_York',
    '2027-08-06T00:00:00Z',
    '2027-08-06T02:00:00Z',
    '2027-08-05T00:00:00.000Z',
    '2027-08-06T02:00:00.000Z',
  ],
  ['UTC', '2027-08-05T00:00:00Z', '2027-08-06T00:00:00Z', '2027-08-05T00:00:00.000Z', '2027-08-06T00:00:00.000Z'],
])('whole days of a range are asked for where the service counts them: %s', (zone, start, end, from, to) => {
  expect(windowFor(between(start, end), zoneNamed(zone))).toEqual({ startDateTime: from, endDateTime: to });
});

test('a range as long as the service takes gets no longer', () => {
  const longest = between('2027-01-01T05:00:00Z', '2031-12-31T05:00:00Z');
  expect(windowFor(longest, zoneNamed('America/New_York')).startDateTime).toBe('2027-01-01T05:00:00.000Z');
});

test('whole days are those of whoever asks, also when clocks change; other events are where they are', () => {
  const zone = zoneNamed('Europe/Berlin');
  const day = event('2027-10-31T00:00:00', '2027-11-01T00:00:00', true);
  expect(takesPlaceIn(day, between('2027-10-31T22:30:00Z', '2027-10-31T23:00:00Z'), zone)).toBe(true);
  expect(takesPlaceIn(day, between('2027-10-31T23:00:00Z', '2027-11-01T23:00:00Z'), zone)).toBe(false);
  expect(takesPlaceIn(day, between('2027-10-30T21:00:00Z', '2027-10-30T22:00:00Z'), zone)).toBe(false);
  const [range, moment] = [between('2027-10-31T09:00:00Z', '2027-10-31T10:00:00Z'), '2027-10-31T09:00:00'];
  expect(takesPlaceIn(event(moment, moment, false), range, zone)).toBe(true);
  expect(takesPlaceIn(event('2027-10-31T08:00:00', moment, false), range, zone)).toBe(false);
});

test('the next event of an evening is found behind all those of the day', async () => {
  const minutes = Array.from({ length: 60 }, (_, minute) => String(minute).padStart(2, '0'));
  const day = minutes.map((minute) => ({ start: at(`2027-08-05T14:${minute}:00`), end: at(`2027-08-05T15:00:00`) }));
  const evening = { start: at('2027-08-06T00:30:00'), end: at('2027-08-06T01:00:00') };
  const all = [...day, evening].map((times, id) => ({ ...times, id: `${id}` }));
  const get = async (_: string, { query }: { query: Record<string, unknown> }) => {
    const [size, from] = [Number(query['$top']), Number(query['$skip'] ?? 0)];
    const next = { '@odata.nextLink': `https://mail.example/?$skip=${from + size}&$top=${size}` };
    return { value: all.slice(from, from + size), ...(from + size < all.length ? next : {}) };
  };
  const context = { upstream: { get }, account: { scopes: [] } } as unknown as StepContext;
  const asked = { start: '2027-08-05T20:00', end: '2027-08-06T20:00', timeZone: 'America/New_York', limit: 1 };

  const answer = await listEvents.run(listEvents.input.parse(asked), context);

  expect(answer).toMatchObject({ items: [{ id: '60' }], truncated: false });
});
