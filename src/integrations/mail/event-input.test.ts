import { expect, test } from 'vitest';
import { movedSeries, movedSpan, toBody, toSpan, toWire } from './event-input.ts';
import { zoneNamed } from './zones.ts';

const berlin = zoneNamed('Europe/Berlin');
const zones = { asked: berlin, home: berlin };
const utc = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
const placed = (start: string, end: string) => ({
  ...{ start: utc(start), end: utc(end), isAllDay: false },
  originalStartTimeZone: 'W. Europe Standard Time',
});
// From ten in the evening to six in the morning, while clocks go back.
const longNight = placed('2027-10-30T20:00:00', '2027-10-31T05:00:00');

test('what is moved out of a night or into one in which clocks change ends when clocks show the same', () => {
  expect(movedSpan(longNight, { start: '2027-11-06T22:00' }, zones).end.dateTime).toBe('2027-11-07T06:00:00');
  const usual = placed('2027-03-20T21:00:00', '2027-03-21T05:00:00');
  expect(movedSpan(usual, { start: '2027-03-27T22:00' }, zones).end.dateTime).toBe('2027-03-28T06:00:00');
  const short = placed('2027-10-31T09:00:00', '2027-10-31T09:30:00');
  const second = { start: '2027-10-31T02:45+01:00' };
  expect(movedSpan(short, second, zones).end).toEqual({
    dateTime: '2027-10-31T03:15:00',
    timeZone: 'W. Europe Standard Time',
  });
  expect(movedSpan(short, { start: '2027-10-31T02:15+01:00' }, zones).end).toEqual(utc('2027-10-31T01:45:00'));
});

test('a series that is moved by such a night keeps its hours', () => {
  const series = placed('2027-07-03T20:00:00', '2027-07-04T04:00:00');
  const moved = movedSpan(longNight, { start: '2027-10-30T23:00' }, zones);

  const { start, end } = movedSeries(moved, longNight, series);

  expect([start.dateTime, end.dateTime]).toEqual(['2027-07-03T23:00:00', '2027-07-04T07:00:00']);
});

test('a day that there is not is told apart from one that is not whole', () => {
  expect(() => toSpan('2027-02-29', undefined, undefined, zones)).toThrow(/no day of the calendar/);
  expect(() => toSpan('2027-02-28T09:00', undefined, true, zones)).toThrow(/not a whole day/);
});

test.each([
  [{ content: '<b>Now</b>' }, 'html', 'html'],
  [{ content: 'Now' }, 'text', 'text'],
  [{ content: 'Now', contentType: 'text' }, 'html', 'text'],
  [{ content: '<b>Now</b>', contentType: 'HTML' }, 'text', 'html'],
  ['<b>Now</b>', 'html', 'html'],
] as const)('a body %j that is said to be %s is sent as %s', (body, format, contentType) => {
  const content = typeof body === 'string' ? body : body.content;
  expect(toBody(body, format)).toEqual({ contentType, content });
});

test('what is false, none or empty is sent as it is', () => {
  const begin = { date: '2027-07-05', time: '09:00:00', zone: berlin };
  const wish = {
    ...{ subject: '', body: '', location: '', attendees: [], categories: [], reminderMinutes: 0 },
    ...{ responseRequested: false, allowNewTimeProposals: false, hideAttendees: false, bodyFormat: 'text' as const },
  };
  expect(toWire(wish, begin)).toEqual({
    ...{ subject: '', body: { contentType: 'text', content: '' }, location: { displayName: '' }, attendees: [] },
    ...{ categories: [], isReminderOn: true, reminderMinutesBeforeStart: 0 },
    ...{ responseRequested: false, allowNewTimeProposals: false, hideAttendees: false },
  });
});
