import { expect, test } from 'vitest';
import { idOf, inOrder, moment, office, valueOf } from './test-office.ts';

const plain = (subject: string, from = '2026-03-03T09:00:00', to = '2026-03-03T10:00:00', zone = 'UTC') => ({
  subject,
  start: moment(from, zone),
  end: moment(to, zone),
});
const view = (from: string, to: string) => `/me/calendarView?startDateTime=${from}&endDateTime=${to}&$top=1000`;

test('a created event comes back whole, in UTC, with seven fractional digits and the documented defaults', async () => {
  const { ask } = office();
  const { status, body } = await ask('POST', '/me/events', {
    body: plain('Lunch', '2026-07-03T12:00:00', '2026-07-03T13:00:00', 'Pacific Standard Time'),
  });
  expect(status).toBe(201);
  expect(body).toMatchObject({
    subject: 'Lunch',
    start: { dateTime: '2026-07-03T19:00:00.0000000', timeZone: 'UTC' },
    end: { dateTime: '2026-07-03T20:00:00.0000000', timeZone: 'UTC' },
    originalStartTimeZone: 'Pacific Standard Time',
    allowNewTimeProposals: true,
    responseRequested: true,
    isOrganizer: true,
    type: 'singleInstance',
    organizer: { emailAddress: { address: 'ada@sandbox.test' } },
    responseStatus: { response: 'organizer' },
  });
  expect(body['@odata.etag']).toBe(`W/"${String(body['changeKey'])}"`);
  expect((await ask('GET', `/me/calendar/events/${idOf(body)}`)).body['subject']).toBe('Lunch');
});

test('Prefer outlook.timezone decides the zone of start and end, Windows or IANA', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', {
    body: plain('Lunch', '2026-07-03T12:00:00', '2026-07-03T13:00:00'),
  });
  for (const [zone, shown] of [
    ['Pacific Standard Time', '05'],
    ['Europe/Berlin', '14'],
  ]) {
    const reply = await ask('GET', `/me/events/${idOf(body)}`, { headers: { prefer: `outlook.timezone="${zone}"` } });
    expect(reply.body['start']).toEqual({ dateTime: `2026-07-03T${shown}:00:00.0000000`, timeZone: zone });
  }
});

test('an unknown time zone is TimeZoneNotSupportedException, in the body and in Prefer', async () => {
  const { ask } = office();
  const refusal = {
    code: 'TimeZoneNotSupportedException',
    message:
      "A valid TimeZone value must be specified. The following TimeZone value is not supported: 'Greenwich Mean Time'.",
  };
  const posted = await ask('POST', '/me/events', {
    body: plain('x', '2026-07-03T12:00', '2026-07-03T13:00', 'Greenwich Mean Time'),
  });
  expect(posted).toMatchObject({ status: 400, body: refusal });
  await ask('POST', '/me/events', { body: plain('y') });
  const listed = await ask('GET', '/me/events', { headers: { prefer: 'outlook.timezone="Greenwich Mean Time"' } });
  expect(listed).toMatchObject({ status: 400, body: refusal });
});

test('Africa/Casablanca is published but refused by the mailbox server', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', {
    body: plain('x', '2026-07-03T12:00', '2026-07-03T13:00', 'Africa/Casablanca'),
  });
  expect(body['code']).toBe('ErrorPropertyValidationFailure');
});

test('calendarView needs its window', async () => {
  const { ask } = office();
  for (const url of [
    '/me/calendarView',
    '/me/calendarView?startDateTime=2026-01-01',
    '/me/calendar/calendarView?endDateTime=2026-01-01',
  ]) {
    expect(await ask('GET', url)).toMatchObject({
      status: 400,
      body: {
        code: 'ErrorInvalidParameter',
        message:
          'This request requires a time window specified by the query string parameters StartDateTime and EndDateTime.',
      },
    });
  }
  expect((await ask('GET', '/me/calendarView?startdatetime=2026-01-01&ENDDATETIME=2026-01-02')).status).toBe(200);
  expect((await ask('GET', view('2026-01-01T00:00:00+01:00', '2026-01-02'))).status).toBe(400);
});

test("the window's own offset decides, no offset is UTC, and Prefer has no effect on it", async () => {
  const { ask } = office();
  await ask('POST', '/me/events', { body: plain('Noon', '2026-03-03T12:00:00', '2026-03-03T12:30:00') });
  const found = async (from: string, to: string) =>
    valueOf(
      await ask('GET', view(encodeURIComponent(from), encodeURIComponent(to)), {
        headers: { prefer: 'outlook.timezone="Tokyo Standard Time"' },
      }),
    ).length;
  expect(await found('2026-03-03T12:00:00', '2026-03-03T13:00:00')).toBe(1);
  expect(await found('2026-03-03T12:00:00-08:00', '2026-03-03T13:00:00-08:00')).toBe(0);
  expect(await found('2026-03-03T04:00:00-08:00', '2026-03-03T05:00:00-08:00')).toBe(1);
});

test('all-day needs both ends at midnight in one zone, and ends at the midnight after the last day', async () => {
  const { ask } = office();
  const day = (from: string, to: string, zones = ['UTC', 'UTC']) => ({
    subject: 'Off',
    isAllDay: true,
    start: moment(from, zones[0]),
    end: moment(to, zones[1]),
  });
  for (const body of [
    day('2026-03-03T09:00:00', '2026-03-04T00:00:00'),
    day('2026-03-03T00:00:00', '2026-03-03T00:00:00'),
    day('2026-03-03T00:00:00', '2026-03-04T00:00:00', ['UTC', 'Pacific Standard Time']),
  ]) {
    expect((await ask('POST', '/me/events', { body })).status).toBe(400);
  }
  const { body } = await ask('POST', '/me/events', { body: day('2026-03-03T00:00:00', '2026-03-05T00:00:00') });
  expect(body).toMatchObject({ isAllDay: true, end: { dateTime: '2026-03-05T00:00:00.0000000' } });
  expect(valueOf(await ask('GET', view('2026-03-04T10:00', '2026-03-04T11:00')))).toHaveLength(1);
  expect(valueOf(await ask('GET', view('2026-03-05', '2026-03-06')))).toHaveLength(0);
});

test('transactionId makes retries idempotent and cannot be changed later', async () => {
  const { ask, sent } = office();
  const body = {
    ...plain('Once'),
    transactionId: 'abc',
    attendees: [{ emailAddress: { address: 'ben@sandbox.test' } }],
  };
  const [first, second] = [await ask('POST', '/me/events', { body }), await ask('POST', '/me/events', { body })];
  expect(second.body['id']).toBe(first.body['id']);
  expect(valueOf(await ask('GET', '/me/events'))).toHaveLength(1);
  expect(sent).toHaveLength(1);
  expect((await ask('PATCH', `/me/events/${idOf(first.body)}`, { body: { transactionId: 'other' } })).status).toBe(400);
});

test('$select in calendarView cannot return createdDateTime and lastModifiedDateTime', async () => {
  const { ask } = office();
  await ask('POST', '/me/events', { body: plain('x') });
  const [selected] = valueOf(
    await ask('GET', `${view('2026-03-01', '2026-03-31')}&$select=subject,createdDateTime,lastModifiedDateTime`),
  );
  expect(Object.keys(selected ?? {}).toSorted(inOrder)).toEqual(['@odata.etag', 'id', 'subject']);
  const [whole] = valueOf(await ask('GET', view('2026-03-01', '2026-03-31')));
  expect(whole).toHaveProperty('createdDateTime');
});

test('start/dateTime is filtered with quoted strings and pages follow nextLink', async () => {
  const { ask } = office();
  for (let day = 1; day <= 25; day++) {
    const date = `2026-03-${String(day).padStart(2, '0')}`;
    await ask('POST', '/me/events', { body: plain(`Day ${day}`, `${date}T09:00`, `${date}T10:00`) });
  }
  const seen: unknown[] = [];
  let url: unknown =
    "/me/events?$filter=start/dateTime ge '2026-03-03T00:00:00'&$orderby=start/dateTime desc&$count=true";
  while (typeof url === 'string') {
    const reply = await ask('GET', encodeURI(url).replaceAll('%25', '%'));
    expect(reply.status).toBe(200);
    expect(reply.body['@odata.count']).toBe(23);
    seen.push(...valueOf(reply).map(({ subject }) => subject));
    url = reply.body['@odata.nextLink'];
  }
  expect(seen).toEqual(Array.from({ length: 23 }, (_, at) => `Day ${25 - at}`));
});

test('location replaces locations', async () => {
  const { ask } = office();
  const locations = [{ displayName: 'A' }, { displayName: 'B' }];
  const { body } = await ask('POST', '/me/events', { body: { ...plain('x'), locations } });
  expect(body).toMatchObject({ location: { displayName: 'A' }, locations });
  const patched = await ask('PATCH', `/me/events/${idOf(body)}`, { body: { location: { displayName: 'C' } } });
  expect(patched.body['locations']).toMatchObject([{ displayName: 'C' }]);
});

test('a body without the online-meeting blob ends the online meeting', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', {
    body: { ...plain('Call'), isOnlineMeeting: true, body: { contentType: 'HTML', content: 'Hi' } },
  });
  const { joinUrl } = body['onlineMeeting'] as { joinUrl: string };
  expect(body).toMatchObject({
    isOnlineMeeting: true,
    onlineMeetingProvider: 'teamsForBusiness',
    body: { contentType: 'html' },
  });
  const kept = await ask('PATCH', `/me/events/${idOf(body)}`, {
    body: { body: { contentType: 'html', content: `New ${(body['body'] as { content: string }).content}` } },
  });
  expect(kept.body['onlineMeeting']).toEqual({ joinUrl });
  const lost = await ask('PATCH', `/me/events/${idOf(body)}`, {
    body: { body: { contentType: 'html', content: 'New' } },
  });
  expect(lost.body).toMatchObject({ isOnlineMeeting: false, onlineMeeting: null });
  const personal = await ask('POST', '/me/events', { as: 'cy', body: { ...plain('Call'), isOnlineMeeting: true } });
  expect(personal.body['isOnlineMeeting']).toBe(false);
});

test('ReadBasic shows events without their bodies, and writing needs ReadWrite', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', { body: plain('x') });
  const basic = { scopes: ['Calendars.ReadBasic'] };
  const read = await ask('GET', `/me/events/${idOf(body)}`, basic);
  expect(read.body).toMatchObject({ subject: 'x' });
  expect(read.body).not.toHaveProperty('body');
  expect((await ask('POST', '/me/events', { ...basic, body: plain('y') })).body['code']).toBe('ErrorAccessDenied');
  expect((await ask('GET', '/me/events', { scopes: ['Mail.Read'] })).status).toBe(403);
});

test('events take attachments under 3 MB', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', { body: plain('x') });
  const file = {
    '@odata.type': '#microsoft.graph.fileAttachment',
    name: 'a.txt',
    contentBytes: Buffer.from('hello').toString('base64'),
  };
  const added = await ask('POST', `/me/events/${idOf(body)}/attachments`, { body: file });
  expect(added).toMatchObject({ status: 201, body: { name: 'a.txt', size: 5 } });
  const [listed] = valueOf(await ask('GET', `/me/events/${idOf(body)}/attachments?$select=id,name`));
  expect(listed).toMatchObject({ name: 'a.txt' });
  expect(listed).not.toHaveProperty('contentBytes');
  expect((await ask('GET', `/me/events/${idOf(body)}?$select=hasAttachments`)).body['hasAttachments']).toBe(true);
  expect((await ask('GET', `/me/events/${idOf(body)}/attachments/${idOf(added.body)}/$value`)).body['text']).toBe(
    'hello',
  );
  expect((await ask('DELETE', `/me/events/${idOf(body)}/attachments/${idOf(added.body)}`)).status).toBe(204);
});

test('calendars can be added, filled, renamed and removed; the default one stays', async () => {
  const { ask } = office();
  const { body: added } = await ask('POST', '/me/calendars', { body: { name: 'Side', color: 'LightBlue' } });
  expect(added).toMatchObject({ name: 'Side', color: 'lightBlue', isDefaultCalendar: false });
  await ask('POST', `/me/calendars/${idOf(added)}/events`, { body: plain('There') });
  expect(valueOf(await ask('GET', '/me/events'))).toHaveLength(0);
  expect(valueOf(await ask('GET', `/me/calendars('${idOf(added)}')/events`))).toHaveLength(1);
  expect(valueOf(await ask('GET', '/me/calendars')).map(({ name }) => name)).toEqual(['Calendar', 'Side']);
  expect((await ask('PATCH', `/me/calendars/${idOf(added)}`, { body: { name: 'Other' } })).body['name']).toBe('Other');
  expect((await ask('DELETE', `/me/calendars/${idOf(added)}`)).status).toBe(204);
  const { body: usual } = await ask('GET', '/me/calendar');
  expect((await ask('DELETE', `/me/calendars/${idOf(usual)}`)).status).toBe(400);
});

test('a stale If-Match is ErrorIrresolvableConflict', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', { body: plain('x') });
  const headers = { 'if-match': String(body['@odata.etag']) };
  expect((await ask('PATCH', `/me/events/${idOf(body)}`, { headers, body: { subject: 'y' } })).status).toBe(200);
  expect(await ask('PATCH', `/me/events/${idOf(body)}`, { headers, body: { subject: 'z' } })).toMatchObject({
    status: 412,
    body: { code: 'ErrorIrresolvableConflict' },
  });
});

test('bad ids are malformed, unknown ones not found', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', { body: plain('x') });
  expect((await ask('GET', '/me/events/nonsense')).body['code']).toBe('ErrorInvalidIdMalformed');
  await ask('DELETE', `/me/events/${idOf(body)}`);
  expect((await ask('GET', `/me/events/${idOf(body)}`)).body['code']).toBe('ErrorItemNotFound');
  expect((await ask('GET', `/me/events/${idOf(body)}`, { as: 'ben' })).body['code']).toBe('ErrorItemNotFound');
});

test('a dateTime sent with an offset of its own is that instant, whatever the zone beside it', async () => {
  const { ask } = office();
  const { body } = await ask('POST', '/me/events', {
    body: plain('Z', '2026-07-03T12:00:00Z', '2026-07-03T13:00:00Z', 'Pacific Standard Time'),
  });
  expect(body['start']).toEqual(moment('2026-07-03T12:00:00.0000000'));
});
