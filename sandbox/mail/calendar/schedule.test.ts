import { expect, test } from 'vitest';
import type { Json } from '../mailbox.ts';
import { moment, office, valueOf } from './test-office.ts';
import { onlineMeetingId } from './transcripts.ts';

const event = (from: string, to: string, more: Json = {}) => ({
  subject: 'Secret',
  start: moment(`2026-03-03T${from}`),
  end: moment(`2026-03-03T${to}`),
  ...more,
});
const question = (schedules: string[], more: Json = {}) => ({
  schedules,
  startTime: moment('2026-03-03T09:00:00'),
  endTime: moment('2026-03-03T12:00:00'),
  availabilityViewInterval: 30,
  ...more,
});
const schedule = '/me/calendar/getSchedule';

test('availabilityView has one character per slot, and the busier event wins', async () => {
  const { ask } = office();
  await ask('POST', '/me/events', { body: event('09:30', '10:30', { showAs: 'tentative' }) });
  await ask('POST', '/me/events', { body: event('10:00', '10:30') });
  await ask('POST', '/me/events', { body: event('11:00', '11:30', { showAs: 'oof' }) });
  await ask('POST', '/me/events', { body: event('11:30', '12:00', { showAs: 'workingElsewhere' }) });
  const [own] = valueOf(await ask('POST', schedule, { body: question(['ada@sandbox.test']) }));
  expect(own).toMatchObject({ scheduleId: 'ada@sandbox.test', availabilityView: '012030' });
  expect(own?.['workingHours']).toMatchObject({ daysOfWeek: expect.arrayContaining(['monday']) });
  const [hours] = valueOf(
    await ask('POST', schedule, {
      body: {
        Schedules: ['ada@sandbox.test'],
        StartTime: moment('2026-03-03T09:00'),
        EndTime: moment('2026-03-03T12:00'),
        AvailabilityViewInterval: '60',
      },
    }),
  );
  expect(hours?.['availabilityView']).toBe('123');
});

test('getSchedule answers 200 with per-mailbox errors inside', async () => {
  const { ask } = office();
  const reply = await ask('POST', schedule, {
    body: question(['ben@sandbox.test', 'nobody@sandbox.test', 'cy@sandbox.test']),
  });
  expect(reply.status).toBe(200);
  expect(valueOf(reply).map(({ error }) => (error as Json | undefined)?.['responseCode'])).toEqual([
    undefined,
    '5009',
    '5009',
  ]);
});

test('subject and location are only shown to those with whom the calendar is shared', async () => {
  const { ask } = office();
  await ask('POST', '/me/events', { as: 'ben', body: event('09:30', '10:30', { location: { displayName: 'Room' } }) });
  const [seen] = valueOf(await ask('POST', schedule, { body: question(['ben@sandbox.test']) }));
  expect(seen?.['scheduleItems']).toEqual([
    { status: 'busy', start: moment('2026-03-03T09:30:00.0000000'), end: moment('2026-03-03T10:30:00.0000000') },
  ]);
  const [own] = valueOf(
    await ask('POST', schedule, {
      as: 'ben',
      body: question(['ben@sandbox.test']),
      headers: { prefer: 'outlook.timezone="Tokyo Standard Time"' },
    }),
  );
  expect(own?.['scheduleItems']).toMatchObject([
    {
      subject: 'Secret',
      location: 'Room',
      start: { dateTime: '2026-03-03T18:30:00.0000000', timeZone: 'Tokyo Standard Time' },
    },
  ]);
});

test('getSchedule and findMeetingTimes do not exist for personal accounts', async () => {
  const { ask } = office();
  expect((await ask('POST', schedule, { as: 'cy', body: question(['cy@sandbox.test']) })).status).toBe(403);
  expect((await ask('POST', '/me/findMeetingTimes', { as: 'cy', body: {} })).status).toBe(403);
});

test('getSchedule takes at most 20 mailboxes, 62 days and slots of 5 to 1440 minutes', async () => {
  const { ask } = office();
  const many = Array.from({ length: 21 }, (_, at) => `p${at}@sandbox.test`);
  for (const body of [
    question(many),
    question(['ada@sandbox.test'], { endTime: moment('2026-05-04T09:00:00') }),
    question(['ada@sandbox.test'], { endTime: moment('2026-03-01T09:00:00') }),
    question(['ada@sandbox.test'], { availabilityViewInterval: 4 }),
    question(['ada@sandbox.test'], { availabilityViewInterval: 1441 }),
    { schedules: ['ada@sandbox.test'] },
  ]) {
    expect((await ask('POST', schedule, { body })).status).toBe(400);
  }
});

test('findMeetingTimes suggests hours when both are free, inside working hours, and says why when there are none', async () => {
  const { ask } = office();
  await ask('POST', '/me/events', { body: event('08:00', '10:00') });
  await ask('POST', '/me/events', { as: 'ben', body: event('10:00', '15:00') });
  const body = {
    attendees: [{ type: 'required', emailAddress: { address: 'ben@sandbox.test' } }],
    timeConstraint: {
      activityDomain: 'work',
      timeSlots: [{ start: moment('2026-03-03T00:00'), end: moment('2026-03-04T00:00') }],
    },
    meetingDuration: 'PT1H',
    minimumAttendeePercentage: 100,
  };
  const { body: found } = await ask('POST', '/me/findMeetingTimes', { body });
  const starts = (found['meetingTimeSuggestions'] as { meetingTimeSlot: { start: { dateTime: string } } }[]).map(
    ({ meetingTimeSlot }) => meetingTimeSlot.start.dateTime.slice(11, 16),
  );
  expect(starts).toEqual(['15:00', '15:30', '16:00']);
  expect(found['emptySuggestionsReason']).toBe('');
  const tight = {
    ...body,
    timeConstraint: { timeSlots: [{ start: moment('2026-03-03T10:00'), end: moment('2026-03-03T12:00') }] },
  };
  expect((await ask('POST', '/me/findMeetingTimes', { body: tight })).body).toMatchObject({
    emptySuggestionsReason: 'AttendeesUnavailable',
    meetingTimeSuggestions: [],
  });
  expect((await ask('POST', '/me/findMeetingTimes', { body, scopes: ['Calendars.ReadWrite'] })).status).toBe(403);
});

test('transcripts need their own scope and a work account', async () => {
  const { ask, world } = office();
  const { body } = await ask('POST', '/me/events', { body: event('09:00', '10:00', { isOnlineMeeting: true }) });
  const ada = world.mailboxOf('ada@sandbox.test');
  if (ada === undefined) throw new Error('no mailbox');
  const id = onlineMeetingId(ada, (body['onlineMeeting'] as { joinUrl: string }).joinUrl);
  const url = `/me/onlineMeetings/${id}/transcripts`;
  expect((await ask('GET', url, { scopes: ['OnlineMeetings.Read'] })).status).toBe(403);
  expect((await ask('GET', url, { as: 'cy' })).status).toBe(403);
  expect(valueOf(await ask('GET', url))).toEqual([]);
  world.control.clock.set(Date.parse('2026-03-03T11:00:00Z'));
  expect(valueOf(await ask('GET', url))).toMatchObject([{ meetingId: id }]);
  expect((await ask('GET', '/me/onlineMeetings/other/transcripts')).status).toBe(404);
});

test('more than 1000 entries in a slot give 5006 for that mailbox', async () => {
  const { ask } = office();
  for (let at = 0; at <= 1000; at++) await ask('POST', '/me/events', { body: event('09:30', '10:00') });
  const reply = await ask('POST', schedule, { body: question(['ada@sandbox.test', 'ben@sandbox.test']) });
  expect(valueOf(reply).map(({ error }) => (error as Json | undefined)?.['responseCode'])).toEqual(['5006', undefined]);
});
