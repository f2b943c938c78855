import { expect, test } from 'vitest';
import type { FindContext, Step } from '#kit';
import { updateContact } from './update-contact.ts';
import { updateEvent } from './update-event.ts';

const since = new Date('2027-01-05T10:00:00Z');
// Somebody else, or this account itself a minute before, touched it in the time that is looked at.
const touched = { lastModifiedDateTime: '2027-01-05T10:00:30Z' };

/** Whether a change is taken for made, by what there is now. */
const looks = async (step: Step, body: object, now: object) => {
  const context = { upstream: { get: async () => now }, request: { path: '/me/x/1', body }, since, mark: String };
  const verdict = await step.find?.({}, context as unknown as FindContext);
  return typeof verdict === 'object' ? verdict.made.length > 0 : verdict;
};

const utc = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
const pattern = { type: 'weekly', interval: 1, daysOfWeek: ['monday', 'friday'], firstDayOfWeek: 'monday' };
const person = (address: string, type = 'required') => ({ emailAddress: { address, name: address }, type });
const event = {
  id: 'event-1',
  subject: 'Planning',
  body: { contentType: 'html', content: '<html><body><div>Bring the\r\nnumbers</div></body></html>' },
  start: utc('2027-07-05T07:00:00.0000000'),
  end: utc('2027-07-05T08:00:00.0000000'),
  isAllDay: false,
  location: { displayName: 'Room 1' },
  attendees: [person('Ben@example.com'), person('cy@example.com', 'optional')],
  categories: ['Red', 'Blue'],
  showAs: 'busy',
  sensitivity: 'normal',
  importance: 'normal',
  isReminderOn: true,
  reminderMinutesBeforeStart: 15,
  responseRequested: true,
  allowNewTimeProposals: true,
  hideAttendees: false,
  isOnlineMeeting: false,
  recurrence: {
    pattern: { ...pattern, month: 0, dayOfMonth: 0, index: 'first' },
    range: { type: 'noEnd', startDate: '2027-07-05', endDate: '0001-01-01', numberOfOccurrences: 0 },
  },
  ...touched,
};
const weekly = { pattern, range: { type: 'noEnd', startDate: '2027-07-05' } };

test.each([
  [{ subject: 'Review' }],
  [{ body: { contentType: 'text', content: 'Bring nothing' } }],
  [{ attendees: [person('ben@example.com'), person('dee@example.com')] }],
  [{ attendees: [person('ben@example.com'), person('cy@example.com')] }],
  [{ categories: ['Red', 'Green'] }],
  [{ sensitivity: 'private' }],
  [{ importance: 'high' }],
  [{ isReminderOn: false }],
  [{ isReminderOn: true, reminderMinutesBeforeStart: 60 }],
  [{ responseRequested: false }],
  [{ allowNewTimeProposals: false }],
  [{ hideAttendees: true }],
  [{ isOnlineMeeting: true }],
  [{ recurrence: null }],
  [{ recurrence: { ...weekly, pattern: { ...pattern, interval: 2 } } }],
  [{ isAllDay: true, start: utc('2027-07-05T00:00:00'), end: utc('2027-07-06T00:00:00') }],
])('a change of an event that was touched meanwhile is not taken for made: %j', async (body) => {
  expect(await looks(updateEvent, body, event)).toBe('unclear');
});

test.each([
  [{ subject: 'Planning ', location: { displayName: 'Room 1' } }],
  [{ body: { contentType: 'text', content: 'Bring the numbers\n' } }],
  [{ body: { contentType: 'html', content: '<p>Bring the numbers</p>' } }],
  [{ attendees: [person('CY@example.com', 'optional'), person('ben@example.com')] }],
  [{ categories: ['Blue', 'Red'], isReminderOn: true, reminderMinutesBeforeStart: 15 }],
  [{ recurrence: { ...weekly, pattern: { ...pattern, daysOfWeek: ['friday', 'monday'] } } }],
  [{ start: { dateTime: '2027-07-05T09:00:00', timeZone: 'W. Europe Standard Time' } }],
])('an event that is as it was to be is taken for changed: %j', async (body) => {
  expect(await looks(updateEvent, body, event)).toBe(true);
});

test('of an event of whole days, the days count', async () => {
  const days = { isAllDay: true, start: utc('2027-07-05T00:00:00'), end: utc('2027-07-06T00:00:00') };
  const zoned = (dateTime: string) => ({ dateTime, timeZone: 'Tokyo Standard Time' });
  const wanted = { start: zoned('2027-07-05T00:00:00'), end: zoned('2027-07-06T00:00:00') };
  expect(await looks(updateEvent, wanted, { ...event, ...days })).toBe(true);
  expect(await looks(updateEvent, { ...wanted, end: zoned('2027-07-07T00:00:00') }, { ...event, ...days })).toBe(
    'unclear',
  );
});

const contact = {
  id: 'contact-1',
  displayName: 'Ben Okafor',
  givenName: 'Ben',
  jobTitle: 'Buyer',
  emailAddresses: [{ address: 'ben@example.com', name: 'Ben' }],
  businessPhones: ['+49 30 1'],
  homeAddress: { street: 'Ringstr. 1', city: 'Berlin' },
  categories: ['Red'],
  birthday: '1990-05-17T11:59:00Z',
  ...touched,
};

test.each([
  [{ emailAddresses: [{ address: 'ben@example.net', name: 'Ben' }] }],
  [{ emailAddresses: [{ address: 'ben@example.com', name: 'Benjamin' }] }],
  [{ emailAddresses: [] }],
  [{ businessPhones: ['+49 30 1', '+49 30 2'] }],
  [{ categories: [] }],
  [{ jobTitle: null }],
  [{ homeAddress: { street: 'Ringstr. 1' } }],
  [{ birthday: '1990-05-18T11:59:00Z' }],
  [{ birthday: null }],
])('a change of a contact that was touched meanwhile is not taken for made: %j', async (body) => {
  const wanted = { ...body, displayName: 'Ben Okafor' };
  expect(await looks(updateContact, wanted, contact)).toBe('unclear');
});

test.each([
  [{ emailAddresses: [{ address: 'BEN@example.com', name: 'Ben' }], givenName: 'Ben ' }],
  [{ businessPhones: ['+49 30 1'], homePhones: [], nickName: null, personalNotes: '', otherAddress: {} }],
  [{ homeAddress: { city: 'Berlin', street: 'Ringstr. 1' }, birthday: '1990-05-17T11:59:00Z' }],
])('a contact that is as it was to be is taken for changed: %j', async (body) => {
  expect(await looks(updateContact, body, contact)).toBe(true);
});

test('a shown name that was cleared is one that the service makes of what else there is', async () => {
  const cleared = { displayName: null, jobTitle: 'Buyer' };
  const named = { ...contact, givenName: 'Ben', surname: 'Okafor' };
  expect(await looks(updateContact, cleared, { ...named, displayName: 'Ben Okafor' })).toBe(true);
  expect(await looks(updateContact, cleared, { ...named, displayName: 'ben@example.com' })).toBe(true);
  expect(await looks(updateContact, cleared, { ...named, displayName: 'Benny' })).toBe('unclear');
});
