import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '../../common/cases.ts';
import { idOf, moment, office, valueOf } from './test-office.ts';

const names =
  'subject body start end location locations attendees isAllDay recurrence showAs categories transactionId reminderMinutesBeforeStart isOnlineMeeting givenName emailAddresses homeAddress birthday businessPhones schedules startTime endTime availabilityViewInterval meetingDuration timeConstraint comment sendResponse proposedNewTime toRecipients name color displayName contentBytes @odata.type pattern range type interval dateTime timeZone daysOfWeek startDate numberOfOccurrences emailAddress address singleValueExtendedProperties attachments'.split(
    ' ',
  );
const wrongWords = [
  '',
  'x',
  '2026-03-03T09:00:00',
  '9999-99-99',
  '0000-00-00T00:00:00Z',
  'UTC',
  'daily',
  'a@b.test',
  "'",
];
const scalar = fc.oneof(fc.constantFrom<unknown>(null, true, -1, 0, 1e21, [], {}), fc.constantFrom(...wrongWords));
/** Something right in which one part may be wrong. */
const spoiled = (right: object) =>
  fc
    .tuple(fc.constantFrom(...Object.keys(right)), scalar, fc.boolean())
    .map(([key, value, spoil]) => ({ ...right, ...(spoil && { [key]: value }) }));
const nearMoment = spoiled({ dateTime: '2026-03-03T09:00:00', timeZone: 'UTC' });
const nearRecurrence = fc.record({
  pattern: spoiled({ type: 'weekly', interval: 1, daysOfWeek: ['monday'], index: 'last', dayOfMonth: 31, month: 2 }),
  range: spoiled({ type: 'numbered', startDate: '2026-03-03', numberOfOccurrences: 3, endDate: '2026-04-01' }),
});
const nearPeople = fc.array(fc.record({ emailAddress: spoiled({ name: 'A', address: 'a@b.test' }), type: scalar }), {
  maxLength: 2,
});
const nearly = fc.oneof(
  nearMoment,
  nearRecurrence,
  nearPeople,
  spoiled({ contentType: 'html', content: 'x' }),
  spoiled({ displayName: 'Room' }),
);
const values = fc.oneof(scalar, nearly);
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small' },
    values,
    fc.dictionary(fc.constantFrom(...names), tie('json'), { maxKeys: 5 }),
    fc.array(tie('json'), { maxLength: 3 }),
  ),
}));
const start = moment('2026-03-03T09:00:00');
const end = moment('2026-03-03T10:00:00');
const body = fc.oneof(
  fc.string(),
  json,
  fc.dictionary(fc.constantFrom(...names), json, { maxKeys: 6 }),
  fc.dictionary(fc.constantFrom(...names), json, { maxKeys: 4 }).map((more) => ({ start, end, subject: 'x', ...more })),
);

test('no body, id or query makes the calendar or the contacts fail', async () => {
  const { ask } = office();
  const recurrence = { pattern: { type: 'daily', interval: 1 }, range: { type: 'noEnd', startDate: '2026-03-03' } };
  const attendees = [{ emailAddress: { address: 'ben@sandbox.test' } }];
  const { body: series } = await ask('POST', '/me/events', { body: { start, end, recurrence, attendees } });
  const [occurrence] = valueOf(await ask('GET', '/me/calendarView?startDateTime=2026-03-04&endDateTime=2026-03-05'));
  const contact = idOf((await ask('POST', '/me/contacts', { body: { givenName: 'A' } })).body);
  const folder = idOf((await ask('POST', '/me/contactFolders', { body: { displayName: 'F' } })).body);
  const below = ' /attachments /accept /cancel /forward /instances /decline /tentativelyAccept'.split(' ');
  const events = [idOf(series), idOf(occurrence), 'AAMkAG', "x'"].flatMap((id) =>
    below.map((more) => `events/${id}${more}`),
  );
  const plain =
    'events calendar/events calendars calendar contacts contactFolders calendarView calendarView/delta calendar/getSchedule findMeetingTimes contacts/x';
  const paths = [
    ...plain.split(' '),
    ...events,
    `contacts/${contact}`,
    `contactFolders/${folder}`,
    `contactFolders/${folder}/contacts/delta`,
  ];
  const option = fc.tuple(
    fc.constantFrom(
      '$filter',
      '$select',
      '$expand',
      '$orderby',
      '$top',
      '$skiptoken',
      '$deltatoken',
      'startDateTime',
      'endDateTime',
    ),
    fc.oneof(
      fc.string(),
      fc.constantFrom('subject', '2026-03-03', 'e30', 'attachments', "start/dateTime ge 'x'", 'eyJhdCI6LTF9'),
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'PATCH', 'GET'),
      fc.constantFrom(...paths),
      fc.array(option, { maxLength: 2 }),
      body,
      async (method, path, query, sent) => {
        const reply = await ask(method, `/me/${path}?${new URLSearchParams(query)}`, {
          body: method === 'GET' ? undefined : sent,
        });
        expect(reply.status).toBeLessThan(500);
        if (reply.status >= 400) expect(reply.body['code']).toEqual(expect.any(String));
      },
    ),
    cases(3_000),
  );
  // Whatever was accepted can be read again.
  for (const url of [
    '/me/events?$top=1000',
    '/me/calendarView?startDateTime=2026-01-01&endDateTime=2027-01-01&$top=1000',
    '/me/contacts?$top=1000',
  ]) {
    expect((await ask('GET', url)).status).toBe(200);
  }
});

test('bodies that are almost right are refused or taken, never failed on', async () => {
  const optional = { requiredKeys: [] };
  const slot = fc.record({ start: nearMoment, end: nearMoment }, optional);
  // One part at a time, or the first mistake would hide the others.
  const parts: Record<string, fc.Arbitrary<unknown>> = {
    start: nearMoment,
    end: nearMoment,
    recurrence: nearRecurrence,
    attendees: nearPeople,
    isAllDay: scalar,
    reminderMinutesBeforeStart: scalar,
    locations: fc.array(scalar, { maxLength: 1 }),
    body: spoiled({ contentType: 'html', content: 'x' }),
  };
  const event = fc.oneof(
    ...Object.entries(parts).map(([name, part]) => part.map((value) => ({ start, end, [name]: value }))),
  );
  const calls: fc.Arbitrary<[string, object]> = fc.oneof(
    event.map((body): [string, object] => ['POST /me/events', body]),
    event.map((body): [string, object] => ['PATCH series', body]),
    event.map((body): [string, object] => ['PATCH occurrence', body]),
    slot.map((proposedNewTime): [string, object] => ['POST decline', { proposedNewTime }]),
    fc
      .record(
        {
          schedules: fc.array(scalar, { maxLength: 2 }),
          startTime: nearMoment,
          endTime: nearMoment,
          availabilityViewInterval: scalar,
        },
        optional,
      )
      .map((body): [string, object] => ['POST /me/calendar/getSchedule', body]),
    fc
      .record(
        {
          attendees: nearPeople,
          timeConstraint: fc.record({ timeSlots: fc.array(slot, { maxLength: 2 }), activityDomain: scalar }, optional),
          meetingDuration: scalar,
          maxCandidates: scalar,
        },
        optional,
      )
      .map((body): [string, object] => ['POST /me/findMeetingTimes', body]),
    fc
      .record(
        {
          emailAddresses: fc.array(scalar, { maxLength: 2 }),
          homeAddress: scalar,
          birthday: scalar,
          businessPhones: scalar,
          givenName: scalar,
        },
        optional,
      )
      .map((body): [string, object] => ['POST /me/contacts', body]),
  );
  const recurrence = {
    pattern: { type: 'weekly', interval: 1, daysOfWeek: ['tuesday'] },
    range: { type: 'noEnd', startDate: '2026-03-03' },
  };
  await fc.assert(
    fc.asyncProperty(calls, async ([call, sent]) => {
      const [method = '', target = ''] = call.split(' ');
      const attendees = [{ emailAddress: { address: 'ben@sandbox.test' } }];
      const { ask } = office();
      const { body: series } = await ask('POST', '/me/events', { body: { start, end, recurrence, attendees } });
      const [occurrence] = valueOf(
        await ask('GET', '/me/calendarView?startDateTime=2026-03-10&endDateTime=2026-03-11'),
      );
      const [copy] = valueOf(await ask('GET', '/me/events', { as: 'ben' }));
      const urls: Record<string, string> = {
        series: `/me/events/${idOf(series)}`,
        occurrence: `/me/events/${idOf(occurrence)}`,
        decline: `/me/events/${idOf(copy)}/decline`,
      };
      const reply = await ask(method, urls[target] ?? target, { body: sent, as: target === 'decline' ? 'ben' : 'ada' });
      expect(reply.status).toBeLessThan(500);
      for (const as of ['ada', 'ben'])
        expect(
          (await ask('GET', '/me/calendarView?startDateTime=2026-01-01&endDateTime=2027-01-01', { as })).status,
        ).toBe(200);
    }),
    cases(300),
  );
});
