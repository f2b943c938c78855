import { describe, expect, test } from 'vitest';
import { Fault } from '#kit';
import { asking, base64, draft, holding, message, nobody, person, seen, sha256, stored } from './holding.fixture.ts';
import { showing } from './showing.ts';

test('of several requests in one, those that do something are shown, each by itself', async () => {
  const requests = [
    { id: '1', method: 'GET', url: '/me/messages' },
    {
      id: '2',
      method: 'post',
      url: 'me/sendMail',
      body: { message: { ...message, bccRecipients: [person('eve@sandbox.test')] } },
    },
    { id: '3', method: 'POST', url: '/me/sendMail', body: { message: { subject: 'Two' } } },
    { id: '4', method: 5, url: '/me/sendMail' },
    { id: '5', method: 'POST' },
  ];
  const view = await seen([asking('POST', '/$BATCH/', { Requests: requests })]);
  expect(view).toMatchObject({
    kind: 'request',
    to: [{ name: 'Ben', address: 'ben@sandbox.test' }],
    cc: [{ address: 'cy@sandbox.test' }],
    bcc: [{ address: 'eve@sandbox.test' }],
    subject: 'Offer · Two',
    fields: { requests },
    warnings: ['Several requests in one: 4 of them write or send.'],
  });
  expect(view.parts?.map(({ kind, subject }) => [kind, subject])).toEqual([
    ['mail', 'Offer'],
    ['mail', 'Two'],
    ['request', undefined],
    ['request', undefined],
  ]);
  expect((await seen([asking('POST', '/$batch', {})])).subject).toBeUndefined();
});

const patched = (body: object) => ({ id: '1', method: 'PATCH', url: draft, body });
test.each([
  ['its recipients', patched({ toRecipients: [person('eve@sandbox.test')] })],
  ['its text, by another spelling', { ...patched({ Body: {} }), url: "/me/mailFolders/x/%6dessages('AA=')" }],
  ['its files', { id: '1', method: 'DELETE', url: `${draft}/attachments/F1` }],
  [
    'its recipients, as a kind of message',
    { ...patched({ toRecipients: [] }), url: `${draft}/microsoft.graph.message` },
  ],
  ['what it is made of', { id: '1', method: 'PUT', url: `${draft}/$value`, body: 'x' }],
  ['its files, by more', { id: '1', method: 'POST', url: `${draft}/attachments`, body: {} }],
])('several requests in one that change a draft in %s and send one are refused', async (_, change) => {
  const { reading } = holding({ [draft]: stored });
  const send = { id: '2', method: 'POST', url: `${draft}/send`, dependsOn: ['1'] };
  const batch = (...requests: object[]) => seen([asking('POST', '/$batch', { requests })], reading);
  await expect(batch(change, send)).rejects.toThrow('send it by itself');
  expect((await batch(patched({ isRead: true }), send)).parts).toHaveLength(2);
  const accept = { id: '1', method: 'POST', url: `${draft}/microsoft.graph.eventMessage/event/accept`, body: {} };
  expect((await batch(accept, send)).parts).toHaveLength(2);
});

describe('a change to a calendar', () => {
  const place = '/me/events/E1';
  const event = {
    subject: 'Talk',
    start: { dateTime: '2030-01-01T10:00:00', timeZone: 'W. Europe Standard Time' },
    end: { dateTime: '2030-01-01T11:00:00', timeZone: 'UTC-11' },
    isAllDay: false,
    location: { displayName: 'Room 1' },
    attendees: [person('ben@sandbox.test', 'Ben'), person('cy@sandbox.test')],
    organizer: person('boss@sandbox.test'),
    body: { contentType: 'html', content: '<p>About it</p>' },
  };
  const standing = {
    subject: 'Talk',
    // By places that people know, where there is one.
    start: { ...event.start, timeZone: 'Europe/Berlin' },
    end: event.end,
    isAllDay: false,
    location: 'Room 1',
    invited: ['ben@sandbox.test', 'cy@sandbox.test'],
    body: 'About it',
  };

  test('shows the event as it stands, and whom the service tells', async () => {
    const { reading, asked } = holding({ [place]: { ...event, isOrganizer: true } });
    const body = { location: { displayName: 'Room 2' }, attendees: [person('BEN@sandbox.test')] };
    expect(await seen([asking('PATCH', place, body)], reading)).toEqual({
      kind: 'event',
      ...nobody,
      to: [{ address: 'BEN@sandbox.test' }, { address: 'cy@sandbox.test' }],
      subject: 'Talk',
      body: undefined,
      fields: { method: 'PATCH', path: place, query: undefined, location: { displayName: 'Room 2' }, event: standing },
      warnings: [
        'This event is changed.',
        'Not invited any more: cy@sandbox.test.',
        'Whoever is invited is told by the service.',
      ],
    });
    expect(asked[0]?.query?.['$select']).toBe(
      'subject,start,end,isAllDay,location,attendees,organizer,isOrganizer,type,body,originalStartTimeZone,recurrence',
    );
  });

  test('says whom it invites, and whom it does not invite any more', async () => {
    const { reading } = holding({ [place]: { ...event, isOrganizer: true } });
    const warningsOf = async (attendees: unknown) =>
      (await seen([asking('PATCH', place, { attendees })], reading)).warnings.slice(1, -1);
    expect(await warningsOf([person('cy@sandbox.test'), person('eve@sandbox.test')])).toEqual([
      'Not invited any more: ben@sandbox.test.',
      'Newly invited: eve@sandbox.test.',
    ]);
    expect(await warningsOf([])).toEqual(['Not invited any more: ben@sandbox.test, cy@sandbox.test.']);
    expect(await warningsOf(event.attendees)).toEqual([]);
  });

  test('tells when it is by the clocks it was made by', async () => {
    const utc = (dateTime: string) => ({ dateTime, timeZone: 'UTC' });
    const inUtc = { start: utc('2030-07-01T08:00:00.0000000'), end: utc('2030-07-01T09:30:00.0000000') };
    const timesOf = async (given: object) => {
      const { reading } = holding({ [place]: { ...event, ...inUtc, ...given } });
      const { start, end } = (await seen([asking('DELETE', place)], reading)).fields['event'] as typeof inUtc;
      return { start, end };
    };
    const timeZone = 'Europe/Berlin';
    expect(await timesOf({ originalStartTimeZone: 'W. Europe Standard Time' })).toEqual({
      start: { dateTime: '2030-07-01T10:00:00', timeZone },
      end: { dateTime: '2030-07-01T11:30:00', timeZone },
    });
    expect(await timesOf({ originalStartTimeZone: 'tzone://Microsoft/Custom' })).toEqual(inUtc);
    expect(await timesOf({ originalStartTimeZone: 'W. Europe Standard Time', isAllDay: true })).toEqual(inUtc);
  });

  test('tells a time that nobody can read as the service tells it', async () => {
    const start = { dateTime: '0001-01-01T00:00:00', timeZone: 'UTC' };
    const { reading } = holding({ [place]: { ...event, start, originalStartTimeZone: 'W. Europe Standard Time' } });
    expect((await seen([asking('DELETE', place)], reading)).fields['event']).toMatchObject({ start });
  });

  test('shows where the text of the event leads and how it recurs, and the files that go along', async () => {
    const content =
      '<a href="https://a.example">Here</a><img src="https://b.example/1.png"><a href="https://a.example">';
    const recurrence = { pattern: { type: 'daily', interval: 1 } };
    const { reading } = holding({
      [place]: { ...event, isOrganizer: true, recurrence, body: { contentType: 'html', content } },
      [`${place}/attachments`]: { value: [{ id: 'F1', name: 'a.txt', size: 6 }] },
      [`${place}/attachments/F1`]: { contentBytes: base64('twelve') },
    });
    const shownOf = async (method: string, action = '') => {
      const { attachments, fields } = await seen([asking(method, `${place}${action}`, {})], reading);
      expect(fields['event']).toMatchObject({ links: ['https://a.example', 'https://b.example/1.png'], recurrence });
      return attachments;
    };
    const file = { name: 'a.txt', size: 6, sha256: sha256('twelve') };
    expect([await shownOf('PATCH'), await shownOf('POST', '/forward')]).toEqual([[file], [file]]);
    expect([await shownOf('DELETE'), await shownOf('POST', '/accept')]).toEqual([[], []]);
    const opened = async (method: string, path: string, at: number, body: object = {}) =>
      showing.open?.([asking(method, path, body)], reading, at);
    const given = { attachments: [{ name: 'b.txt', contentBytes: base64('given') }] };
    expect(String(await opened('POST', '/me/events', 0, given))).toBe('given');
    expect(String(await opened('POST', `${place}/forward`, 0))).toBe('twelve');
    expect(await opened('POST', `${place}/forward`, 1)).toBeUndefined();
  });

  test('shows who need not come, and what is a room', async () => {
    const optional = { ...person('ben@sandbox.test'), type: 'optional' };
    const room = { ...person('room@sandbox.test'), type: 'Resource' };
    const attendees = [optional, { ...person('cy@sandbox.test'), type: 'Required', status: null }, room];
    const { to, fields } = await seen([asking('POST', '/me/events', { attendees })]);
    expect(to.map(({ address }) => address)).toEqual(['ben@sandbox.test', 'cy@sandbox.test', 'room@sandbox.test']);
    expect(fields['attendees']).toEqual([optional, room]);
  });

  test('that is forwarded goes to whom it names and, where a guest forwards it, to whoever invited', async () => {
    const viewFor = async (isOrganizer: boolean) => {
      const { reading } = holding({ [place]: { ...event, isOrganizer } });
      const { to, warnings } = await seen(
        [asking('POST', `${place}/forward`, { toRecipients: [person('eve@sandbox.test')] })],
        reading,
      );
      return [to.map(({ address }) => address), warnings];
    };
    expect(await viewFor(true)).toEqual([['eve@sandbox.test'], ['This event is forwarded.']]);
    expect(await viewFor(false)).toEqual([
      ['eve@sandbox.test', 'boss@sandbox.test'],
      ['This event is forwarded.', 'Whoever invited is told by the service.'],
    ]);
  });

  test('made by a guest goes to whoever invited', async () => {
    const { reading } = holding({ [place]: { ...event, isOrganizer: false } });
    const view = await seen([asking('POST', `${place}/decline`, { comment: 'No' })], reading);
    expect([view.to, view.fields['comment']]).toEqual([[{ address: 'boss@sandbox.test' }], 'No']);
    expect(view.warnings).toEqual(['This event is declined.', 'Whoever invited is told by the service.']);
  });

  test('that is new, or of an event that is not there, is shown by its request', async () => {
    const transactionId = 'run_w6843h5932g1251k-1';
    const start = { dateTime: '2030-01-01T10:00:00', TimeZone: 'Eastern Standard Time' };
    const made = await seen([
      asking('POST', '/me/events', { subject: 'New', start, attendees: [person('ben@sandbox.test')], transactionId }),
    ]);
    expect(made.fields['transactionid']).toBeUndefined();
    expect(made).toMatchObject({
      kind: 'event',
      to: [{ address: 'ben@sandbox.test' }],
      subject: 'New',
      fields: { method: 'POST', path: '/me/events', start: { ...start, TimeZone: 'America/New_York' } },
    });
    for (const further of [{ 'attendees@delta': [person('eve@sandbox.test')] }, { exceptionOccurrences: [{}] }]) {
      const body = { attendees: [person('ben@sandbox.test')], ...further };
      expect((await seen([asking('POST', '/me/events', body)])).kind).toBe('request');
    }
    expect((await seen([asking('DELETE', place)])).fields).toEqual({ method: 'DELETE', path: place, query: undefined });
    const closed = holding({ [place]: new Fault('forbidden', 'No.') });
    expect((await seen([asking('DELETE', '/me/calendarView/x')], closed.reading)).kind).toBe('request');
    const instance = asking('PATCH', `${place}/instances/x`, { attendees: [person('ben@sandbox.test')] });
    expect((await seen([instance])).kind).toBe('request');
    const series = holding({ [place]: { ...event, isOrganizer: true, type: 'seriesMaster' } });
    const ofSeries = await seen([asking('DELETE', place)], series.reading);
    expect([ofSeries.kind, ofSeries.warnings[0]]).toEqual(['request', 'This whole series is removed.']);
    expect((await seen([asking('DELETE', place)], closed.reading)).fields).toMatchObject({ method: 'DELETE' });
    for (const [method, action, warning] of [
      ['DELETE', '', 'This event is removed.'],
      ['POST', '/microsoft.graph.cancel', 'This event is cancelled.'],
      ['POST', '/tentativelyAccept', 'This event is accepted for now.'],
      ['POST', '/unheardOf', undefined],
      ['PATCH', '/extensions', undefined],
    ] as const)
      expect((await seen([asking(method, `${place}${action}`)], closed.reading)).warnings[0]).toBe(warning);
    const away = holding({ [place]: new Fault('upstream_unavailable', 'Later.') });
    await expect(seen([asking('DELETE', place)], away.reading)).rejects.toThrow('Later.');
  });
});

test('a file that is put into an event is shown as one, and can be opened', async () => {
  const file = { '@odata.type': '#microsoft.graph.fileAttachment', name: 'a.txt', contentBytes: base64('twelve') };
  const planned = [asking('POST', '/me/events/E1/attachments', file)];
  const { reading } = holding({});
  const { attachments, fields, warnings } = await seen(planned, reading);
  expect(attachments).toMatchObject([{ name: 'a.txt', size: 6, sha256: sha256('twelve') }]);
  expect([JSON.stringify(fields), warnings[0]]).toEqual([
    JSON.stringify({ method: 'POST', path: '/me/events/E1/attachments' }),
    'This event is given a file.',
  ]);
  expect(String(await showing.open?.(planned, reading, 0))).toBe('twelve');
});

describe('what is removed', () => {
  test.each([
    ['DELETE', draft],
    ['POST', `${draft}/permanentDelete`],
  ])('by %s %s is named by what it says', async (method, path) => {
    const view = await seen([asking(method, path)], holding({ [draft]: stored }).reading);
    expect(view).toMatchObject({
      kind: 'request',
      from: { name: 'Ben', address: 'ben@sandbox.test' },
      subject: 'Question',
      fields: { method, path },
      warnings: ['This is removed.'],
    });
  });

  test('and is gone already, or no message, is shown by its request', async () => {
    for (const path of [draft, '/me/contacts/C1']) {
      expect(await seen([asking('DELETE', path)])).toMatchObject({
        subject: undefined,
        warnings: ['This is removed.'],
      });
    }
  });
});

test('anything else is shown as it is, with whom it names', async () => {
  const body = { toRecipients: [person('ben@sandbox.test')], x: 1 };
  expect(await seen([asking('POST', '/me/somethingNew', body)])).toMatchObject({
    kind: 'request',
    to: [{ address: 'ben@sandbox.test' }],
    fields: { method: 'POST', path: '/me/somethingNew', body },
    warnings: [],
  });
});
