import { expect, test } from 'vitest';
import { Event, selectFor, showEvent, WireEvent } from './event-shapes.ts';
import { zoneNamed } from './zones.ts';

/** An event with everything that the service tells of one. */
const told = {
  id: 'event-1',
  '@odata.etag': 'W/"1"',
  subject: 'Planning',
  bodyPreview: 'Agenda',
  body: { contentType: 'html', content: '<p>Agenda</p>' },
  start: { dateTime: '2027-07-05T07:00:00.0000000', timeZone: 'UTC' },
  end: { dateTime: '2027-07-05T08:00:00.0000000', timeZone: 'UTC' },
  originalStartTimeZone: 'W. Europe Standard Time',
  isAllDay: false,
  isCancelled: false,
  isOrganizer: true,
  type: 'occurrence',
  seriesMasterId: 'series-1',
  showAs: 'oof',
  sensitivity: 'private',
  importance: 'high',
  categories: ['Blue category'],
  isReminderOn: true,
  reminderMinutesBeforeStart: 30,
  location: { displayName: 'Cellar' },
  attendees: [
    {
      type: 'optional',
      emailAddress: { name: 'Ben Okafor', address: 'ben@sandbox.test' },
      status: { response: 'accepted', time: '2027-07-01T00:00:00Z' },
    },
  ],
  organizer: { emailAddress: { name: 'Ada Marsh', address: 'ada@sandbox.test' } },
  responseStatus: { response: 'organizer', time: '0001-01-01T00:00:00Z' },
  responseRequested: false,
  allowNewTimeProposals: false,
  hideAttendees: true,
  isOnlineMeeting: true,
  onlineMeeting: { joinUrl: 'https://meet.test/1' },
  onlineMeetingUrl: null,
  webLink: 'https://mail.test/1',
  recurrence: null,
};

const shown = {
  id: 'event-1',
  subject: 'Planning',
  start: { utc: '2027-07-05T07:00:00Z', local: '2027-07-05T09:00:00', timeZone: 'Europe/Berlin' },
  end: { utc: '2027-07-05T08:00:00Z', local: '2027-07-05T10:00:00', timeZone: 'Europe/Berlin' },
  isAllDay: false,
  location: 'Cellar',
  organizer: { name: 'Ada Marsh', address: 'ada@sandbox.test' },
  isOrganizer: true,
  attendees: [{ name: 'Ben Okafor', address: 'ben@sandbox.test', type: 'optional', response: 'accepted' }],
  responseStatus: 'organizer',
  showAs: 'oof',
  isCancelled: false,
  isRecurring: true,
  seriesId: 'series-1',
  joinUrl: 'https://meet.test/1',
  webLink: 'https://mail.test/1',
  etag: 'W/"1"',
  preview: 'Agenda',
  body: 'Agenda',
  bodyTruncated: false,
  bodyLength: 6,
  sensitivity: 'private',
  importance: 'high',
  categories: ['Blue category'],
  reminderMinutes: 30,
  responseRequested: false,
  allowNewTimeProposals: false,
  hideAttendees: true,
};

const show = (event: object) => Event.parse(showEvent(WireEvent.parse(event), zoneNamed('Europe/Berlin')));

test('an event is told with all that can be said of one', () => expect(show(told)).toEqual(shown));

test('a meeting elsewhere is joined at the address that is told of it', () => {
  const skype = { ...told, onlineMeeting: null, onlineMeetingUrl: 'https://skype.test/1' };
  expect(show(skype)).toEqual({ ...shown, joinUrl: 'https://skype.test/1' });
});

test('an event is asked for by all that is told of it', () => {
  const read = Object.keys(told).filter((name) => !/^@|^originalStartTimeZone$/.test(name));
  expect(selectFor('full', undefined).split(',').sort()).toEqual(read.sort());
});
