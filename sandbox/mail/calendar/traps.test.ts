import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Bench, idOf, listener, listOf, mailBench, until } from '../test-mail.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await mailBench();
});
beforeEach(() => bench.order('/reset', {}));
afterAll(() => bench.close());

const at = (dateTime: string, timeZone = 'UTC') => ({ dateTime, timeZone });
const event = (date: string, zone = 'UTC', more = {}) => ({
  subject: 'Trap',
  start: at(`${date}T09:00:00`, zone),
  end: at(`${date}T09:30:00`, zone),
  ...more,
});
const daily = (startDate: string) => ({
  recurrence: {
    pattern: { type: 'daily', interval: 1 },
    range: { type: 'numbered', startDate, numberOfOccurrences: 3 },
  },
});
const view = async (from: string, to: string, headers = {}) => {
  const { json } = await bench.ask('GET', `/me/calendarView?startDateTime=${from}&endDateTime=${to}&$top=100`, {
    headers,
  });
  return (json['value'] as Record<string, unknown>[]).filter(({ subject }) => subject !== 'Team stand-up');
};

test('trap 8: /events hides occurrences, calendarView hides masters; patching a master is not patching an occurrence', async () => {
  const { json: master } = await bench.ask('POST', '/me/events', {
    body: event('2031-01-04', 'UTC', daily('2031-01-04')),
  });
  const listed = await bench.all("/me/events?$filter=subject eq 'Trap'");
  expect(listed.map(({ type }) => type)).toEqual(['seriesMaster']);
  const shown = await view('2031-01-04', '2031-01-06');
  expect(shown.map(({ type }) => type)).toEqual(['occurrence', 'occurrence']);
  await bench.ask('PATCH', `/me/events/${idOf(shown[0])}`, { body: { subject: 'One' } });
  expect((await bench.ask('GET', `/me/events/${idOf(master)}`)).json['subject']).toBe('Trap');
  await bench.ask('PATCH', `/me/events/${idOf(master)}`, { body: { subject: 'All' } });
  expect((await view('2031-01-04', '2031-01-06')).map(({ subject }) => subject)).toEqual(['One', 'All']);
});

test('trap 9: output is UTC unless asked, input takes Windows names or the IANA subset, series keep the wall clock across summer time', async () => {
  const made = await bench.ask('POST', '/me/events', {
    body: event('2030-03-09', 'Pacific Standard Time', daily('2030-03-09')),
  });
  expect(made.json['start']).toEqual(at('2030-03-09T17:00:00.0000000'));
  const starts = async (headers = {}) =>
    (await view('2030-03-09', '2030-03-12', headers))
      .filter(({ subject }) => subject === 'Trap')
      .map(({ start }) => start);
  expect(await starts()).toEqual(
    ['2030-03-09T17', '2030-03-10T16', '2030-03-11T16'].map((hour) => at(`${hour}:00:00.0000000`)),
  );
  const zone = 'America/Los_Angeles';
  expect(await starts({ Prefer: `outlook.timezone="${zone}"` })).toEqual(
    ['09', '10', '11'].map((day) => at(`2030-03-${day}T09:00:00.0000000`, zone)),
  );
  const [windows, iana] = ['Lord Howe Standard Time', 'Australia/Lord_Howe'];
  expect((await starts({ Prefer: `outlook.timezone="${windows}"` }))[0]).toEqual(
    at('2030-03-10T04:00:00.0000000', windows),
  );
  for (const [name, code] of [
    [iana, 'TimeZoneNotSupportedException'],
    ['Greenwich Mean Time', 'TimeZoneNotSupportedException'],
    ['Mars/Olympus', 'TimeZoneNotSupportedException'],
    ['Africa/Casablanca', 'ErrorPropertyValidationFailure'],
  ] as const) {
    expect((await bench.ask('POST', '/me/events', { body: event('2030-03-09', name) })).code).toBe(code);
    expect((await bench.ask('GET', '/me/events', { headers: { Prefer: `outlook.timezone="${name}"` } })).code).toBe(
      code,
    );
  }
});

test('trap 9: originalStartTimeZone may be tzone://Microsoft/Custom, which cannot be sent back', async () => {
  const [imported] = listOf(
    await bench.ask('GET', "/me/events?$filter=subject eq 'Book club'", { as: 'cy@sandbox.test' }),
  );
  expect(imported).toMatchObject({ originalStartTimeZone: 'tzone://Microsoft/Custom', start: { timeZone: 'UTC' } });
  const { code } = await bench.ask('POST', '/me/events', { body: event('2030-03-09', 'tzone://Microsoft/Custom') });
  expect(code).toBe('TimeZoneNotSupportedException');
});

test('trap 10: an all-day event ends at the midnight after its last day, both ends in one zone', async () => {
  const whole = (from: string, to: string, zone = 'UTC') => ({
    subject: 'Off',
    isAllDay: true,
    start: at(from),
    end: at(to, zone),
  });
  expect(
    (await bench.ask('POST', '/me/events', { body: whole('2031-01-04T00:00:00', '2031-01-04T23:59:00') })).status,
  ).toBe(400);
  expect(
    (await bench.ask('POST', '/me/events', { body: whole('2031-01-04T00:00:00', '2031-01-05T00:00:00', 'Asia/Tokyo') }))
      .status,
  ).toBe(400);
  expect(
    (await bench.ask('POST', '/me/events', { body: whole('2031-01-04T00:00:00', '2031-01-05T00:00:00') })).status,
  ).toBe(201);
  expect(await view('2031-01-05', '2031-01-06')).toEqual([]);
  const [seen] = await view('2031-01-04', '2031-01-05', { Prefer: 'outlook.timezone="Tokyo Standard Time"' });
  expect(seen).toMatchObject({ isAllDay: true, start: at('2031-01-04T00:00:00.0000000', 'Tokyo Standard Time') });
});

test('subscriptions to events and contacts hear of them', async () => {
  await using ear = await listener();
  const expirationDateTime = new Date(Date.now() + 3_600_000).toISOString();
  for (const resource of ['me/events', 'me/contacts']) {
    const body = {
      changeType: 'created,updated,deleted',
      notificationUrl: `${ear.url}/hook`,
      resource,
      expirationDateTime,
      clientState: 's',
    };
    expect((await bench.ask('POST', '/subscriptions', { body })).status).toBe(201);
  }
  const made = await bench.ask('POST', '/me/events', { body: event('2031-01-04') });
  const card = await bench.ask('POST', '/me/contacts', { body: { givenName: 'Ear' } });
  await bench.ask('DELETE', `/me/events/${idOf(made.json)}`);
  const wanted = [`created ${idOf(made.json)}`, `deleted ${idOf(made.json)}`, `created ${idOf(card.json)}`];
  await until(() => {
    const heard = ear.heard.map((one) => `${String(one['changeType'])} ${idOf(one['resourceData'] as typeof one)}`);
    return wanted.every((line) => heard.includes(line));
  });
});

test('shared mailboxes have calendars and contacts below /users/{id}, with the Shared scopes and rights', async () => {
  const scopes = 'Calendars.ReadWrite.Shared Contacts.ReadWrite.Shared';
  const made = await bench.ask('POST', '/users/team@sandbox.test/events', { body: event('2031-01-04'), scopes });
  expect(made.json).toMatchObject({ organizer: { emailAddress: { address: 'team@sandbox.test' } } });
  expect(listOf(await bench.ask('GET', '/users/team@sandbox.test/calendar/events', { scopes }))).toHaveLength(1);
  expect(
    (await bench.ask('POST', '/users/team@sandbox.test/contacts', { body: { givenName: 'X' }, scopes })).status,
  ).toBe(201);
  expect((await bench.ask('GET', '/users/team@sandbox.test/events', { scopes: 'Calendars.ReadWrite' })).status).toBe(
    403,
  );
  expect((await bench.ask('GET', '/users/team@sandbox.test/events', { scopes, as: 'ben@sandbox.test' })).status).toBe(
    403,
  );
});

test('large attachments of events go through an upload session, but not in a shared mailbox', async () => {
  const { json } = await bench.ask('POST', '/me/events', { body: event('2031-01-04') });
  const size = 3 * 1024 * 1024;
  const body = { AttachmentItem: { attachmentType: 'file', name: 'big.bin', size } };
  const opened = await bench.ask('POST', `/me/events/${idOf(json)}/attachments/createUploadSession`, { body });
  expect(opened.status).toBe(201);
  const put = await fetch(String(opened.json['uploadUrl']), {
    method: 'PUT',
    headers: { 'Content-Range': `bytes 0-${size - 1}/${size}`, 'Content-Type': 'application/octet-stream' },
    body: new Uint8Array(size),
  });
  expect(put.status).toBe(201);
  const [listed] = listOf(await bench.ask('GET', `/me/events/${idOf(json)}/attachments?$select=name,size`));
  expect(listed).toMatchObject({ name: 'big.bin', size });
  const scopes = 'Calendars.ReadWrite.Shared';
  const shared = await bench.ask('POST', '/users/team@sandbox.test/events', { body: event('2031-01-04'), scopes });
  const refused = await bench.ask(
    'POST',
    `/users/team@sandbox.test/events/${idOf(shared.json)}/attachments/createUploadSession`,
    { body, scopes },
  );
  expect(refused.status).toBe(403);
});

test('a snapshot brings calendars and contacts back as they were', async () => {
  const kept = bench.snapshot();
  const before = (await bench.ask('GET', '/me/events?$top=100')).json['value'];
  const { json } = await bench.ask('POST', '/me/events', { body: event('2031-01-04') });
  await bench.ask('POST', '/me/contacts', { body: { givenName: 'Gone' } });
  bench.restore(kept);
  const token = bench.tokenFor('ada@sandbox.test');
  expect((await bench.ask('GET', `/me/events/${idOf(json)}`, { token })).status).toBe(404);
  expect((await bench.ask('GET', '/me/events?$top=100', { token })).json['value']).toEqual(before);
});
