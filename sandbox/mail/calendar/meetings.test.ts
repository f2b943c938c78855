import { expect, test } from 'vitest';
import type { Mail } from '../world.ts';
import { type Ask, idOf, moment, office, valueOf } from './test-office.ts';

const ben = { emailAddress: { name: 'Ben', address: 'ben@sandbox.test' }, type: 'Required' };
const cy = { emailAddress: { name: 'Cy', address: 'cy@sandbox.test' }, type: 'optional' };
const outsider = { emailAddress: { name: 'Out', address: 'out@elsewhere.test' } };
const meeting = (...attendees: object[]) => ({
  subject: 'Plan',
  start: moment('2026-03-03T09:00:00'),
  end: moment('2026-03-03T10:00:00'),
  attendees,
});
const summary = ({ to, subject, meeting = {} }: Mail) => ({
  to: to.map(({ address }) => address.split('@')[0]),
  subject,
  type: meeting['meetingMessageType'],
  request: meeting['meetingRequestType'],
});
const events = async (ask: Ask, as: string) => valueOf(await ask('GET', '/me/events', { as }));

test('creating an event with attendees sends invitations at once, and the meeting is in their calendars', async () => {
  const { ask, sent } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting(ben, cy, outsider) });
  expect(sent.map(summary)).toEqual([
    { to: ['ben', 'cy', 'out'], subject: 'Plan', type: 'meetingRequest', request: 'newMeetingRequest' },
  ]);
  expect(sent[0]?.meeting).toMatchObject({
    '@odata.type': '#microsoft.graph.eventMessageRequest',
    startDateTime: { dateTime: '2026-03-03T09:00:00.0000000', timeZone: 'UTC' },
  });
  expect(body['attendees']).toMatchObject([
    { type: 'required', status: { response: 'none' } },
    { type: 'optional' },
    { type: 'required' },
  ]);
  const [copy] = await events(ask, 'ben');
  expect(copy).toMatchObject({
    subject: 'Plan',
    isOrganizer: false,
    showAs: 'tentative',
    iCalUId: body['iCalUId'],
    responseStatus: { response: 'notResponded' },
  });
  expect(copy?.['id']).not.toBe(body['id']);
});

test('a patch of attendees alone mails only those who changed', async () => {
  const { ask, sent } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting(ben) });
  await ask('PATCH', `/me/events/${idOf(body)}`, { body: { attendees: [ben, cy] } });
  await ask('PATCH', `/me/events/${idOf(body)}`, { body: { attendees: [cy] } });
  expect(sent.slice(1).map(summary)).toEqual([
    { to: ['cy'], subject: 'Plan', type: 'meetingRequest', request: 'newMeetingRequest' },
    { to: ['ben'], subject: 'Canceled: Plan', type: 'meetingCancelled', request: undefined },
  ]);
  expect(await events(ask, 'ben')).toMatchObject([{ isCancelled: true, subject: 'Canceled: Plan' }]);
});

test('changing the time asks everybody again', async () => {
  const { ask, sent } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting(ben) });
  const [copy] = await events(ask, 'ben');
  await ask('POST', `/me/events/${idOf(copy)}/accept`, { as: 'ben', body: { sendResponse: false } });
  await ask('PATCH', `/me/events/${idOf(body)}`, { body: { subject: 'Plan B' } });
  expect(await events(ask, 'ben')).toMatchObject([{ subject: 'Plan B', responseStatus: { response: 'accepted' } }]);
  await ask('PATCH', `/me/events/${idOf(body)}`, {
    body: { start: moment('2026-03-03T11:00'), end: moment('2026-03-03T12:00') },
  });
  expect(sent.slice(1).map(summary)).toMatchObject([{ request: 'informationalUpdate' }, { request: 'fullUpdate' }]);
  expect(await events(ask, 'ben')).toMatchObject([
    { responseStatus: { response: 'notResponded' }, start: { dateTime: '2026-03-03T11:00:00.0000000' } },
  ]);
});

test('accepting answers 202, tells the organizer, and blocks the time', async () => {
  const { ask, sent } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting(ben) });
  const [copy] = await events(ask, 'ben');
  const reply = await ask('POST', `/me/events/${idOf(copy)}/accept`, {
    as: 'ben',
    body: { Comment: 'Gladly', SendResponse: 'true' },
  });
  expect(reply.status).toBe(202);
  expect(summary(sent[1] as Mail)).toMatchObject({ to: ['ada'], subject: 'Accepted: Plan', type: 'meetingAccepted' });
  expect(sent[1]?.meeting).toMatchObject({
    '@odata.type': '#microsoft.graph.eventMessageResponse',
    responseType: 'accepted',
  });
  expect((await ask('GET', `/me/events/${idOf(body)}`)).body['attendees']).toMatchObject([
    { status: { response: 'accepted' } },
  ]);
  expect(await events(ask, 'ben')).toMatchObject([{ showAs: 'busy', responseStatus: { response: 'accepted' } }]);
});

test('sendResponse false keeps the answer to oneself', async () => {
  const { ask, sent } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting(ben) });
  const [copy] = await events(ask, 'ben');
  await ask('POST', `/me/events/${idOf(copy)}/tentativelyAccept`, { as: 'ben', body: { sendResponse: false } });
  expect(sent).toHaveLength(1);
  expect((await ask('GET', `/me/events/${idOf(body)}`)).body['attendees']).toMatchObject([
    { status: { response: 'none' } },
  ]);
});

test('declining takes the meeting out of the calendar; a proposed time keeps it', async () => {
  const { ask, sent } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting(ben, cy) });
  const [bens] = await events(ask, 'ben');
  const [cys] = await events(ask, 'cy');
  const proposedNewTime = { start: moment('2026-03-04T09:00'), end: moment('2026-03-04T10:00') };
  expect((await ask('POST', `/me/events/${idOf(bens)}/decline`, { as: 'ben', body: {} })).status).toBe(202);
  expect(await events(ask, 'ben')).toHaveLength(0);
  expect(
    (
      await ask('POST', `/me/events/${idOf(cys)}/decline`, {
        as: 'cy',
        body: { proposedNewTime, sendResponse: false },
      })
    ).status,
  ).toBe(400);
  expect((await ask('POST', `/me/events/${idOf(cys)}/decline`, { as: 'cy', body: { proposedNewTime } })).status).toBe(
    202,
  );
  expect(sent[2]?.meeting).toMatchObject({
    meetingMessageType: 'meetingDeclined',
    proposedNewTime: { start: { dateTime: '2026-03-04T09:00:00.0000000' } },
  });
  const { attendees } = (await ask('GET', `/me/events/${idOf(body)}`)).body;
  expect(attendees).toMatchObject([
    { status: { response: 'declined' } },
    { status: { response: 'declined' }, proposedNewTime: { start: { dateTime: '2026-03-04T09:00:00.0000000' } } },
  ]);
});

test('only somebody invited can answer, only the organizer can cancel', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting(ben) });
  const [copy] = await events(ask, 'ben');
  expect((await ask('POST', `/me/events/${idOf(body)}/accept`, { body: {} })).status).toBe(400);
  expect((await ask('POST', `/me/events/${idOf(copy)}/cancel`, { as: 'ben', body: {} })).status).toBe(400);
});

test("the organizer's cancel and delete send cancellations", async () => {
  const { ask, sent } = office();
  const first = await ask('POST', '/me/events', { body: meeting(ben) });
  const second = await ask('POST', '/me/events', { body: meeting(ben) });
  expect((await ask('POST', `/me/events/${idOf(first.body)}/cancel`, { body: { comment: 'Sorry' } })).status).toBe(202);
  expect((await ask('DELETE', `/me/events/${idOf(second.body)}`)).status).toBe(204);
  expect(sent.slice(2).map(summary)).toMatchObject([{ type: 'meetingCancelled' }, { type: 'meetingCancelled' }]);
  expect(sent[2]?.body.content).toContain('Sorry');
  expect(await events(ask, 'ada')).toHaveLength(0);
  expect(await events(ask, 'ben')).toMatchObject([{ isCancelled: true }, { isCancelled: true }]);
});

test('an event without attendees sends nothing', async () => {
  const { ask, sent } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting() });
  await ask('PATCH', `/me/events/${idOf(body)}`, { body: { subject: 'x' } });
  await ask('DELETE', `/me/events/${idOf(body)}`);
  expect(sent).toHaveLength(0);
});

test('an attendee without a domain is ErrorInvalidRecipients', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting({ emailAddress: { address: 'bad' } }) });
  expect(body['code']).toBe('ErrorInvalidRecipients');
});

test('one occurrence can be moved, answered and cancelled on its own, for everybody', async () => {
  const { ask, sent } = office();
  const recurrence = {
    pattern: { type: 'weekly', interval: 1, daysOfWeek: ['tuesday'] },
    range: { type: 'numbered', startDate: '2026-03-03', numberOfOccurrences: 3 },
  };
  await ask('POST', '/me/events', { body: { ...meeting(ben), recurrence } });
  const url = '/me/calendarView?startDateTime=2026-03-01&endDateTime=2026-04-01';
  const [first, second] = valueOf(await ask('GET', url));
  await ask('PATCH', `/me/events/${idOf(second)}`, {
    body: { start: moment('2026-03-11T09:00'), end: moment('2026-03-11T10:00') },
  });
  await ask('DELETE', `/me/events/${idOf(first)}`);
  const seen = valueOf(await ask('GET', url, { as: 'ben' }));
  expect(seen.map(({ start }) => (start as { dateTime: string }).dateTime.slice(0, 10))).toEqual([
    '2026-03-11',
    '2026-03-17',
  ]);
  expect(sent.slice(1).map(summary)).toMatchObject([{ request: 'fullUpdate' }, { type: 'meetingCancelled' }]);
  await ask('POST', `/me/events/${idOf(seen[1])}/accept`, { as: 'ben', body: {} });
  expect(valueOf(await ask('GET', url, { as: 'ben' })).map(({ showAs }) => showAs)).toEqual(['tentative', 'busy']);
});

test('forwarding invites others, and the organizer sees them on the list', async () => {
  const { ask, sent } = office();
  const { body } = await ask('POST', '/me/events', { body: meeting(ben) });
  const [copy] = await events(ask, 'ben');
  expect(
    (await ask('POST', `/me/events/${idOf(copy)}/forward`, { as: 'ben', body: { ToRecipients: [], Comment: '' } }))
      .body['code'],
  ).toBe('ErrorInvalidRecipients');
  const to = { ToRecipients: [{ emailAddress: { name: 'Cy', address: 'cy@sandbox.test' } }], Comment: 'Join us' };
  expect((await ask('POST', `/me/events/${idOf(copy)}/forward`, { as: 'ben', body: to })).status).toBe(202);
  expect(summary(sent[1] as Mail)).toMatchObject({ to: ['cy'], type: 'meetingRequest' });
  expect(sent[1]?.from.address).toBe('ben@sandbox.test');
  expect((await ask('GET', `/me/events/${idOf(body)}`)).body['attendees']).toHaveLength(2);
  expect(await events(ask, 'cy')).toHaveLength(1);
});
