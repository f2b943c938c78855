import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
beforeAll(async () => {
  bench = await workbench({ mail: true });
});
afterAll(() => bench[Symbol.asyncDispose]());

const run = (step: string, input: unknown) => bench.run(`mail.${step}`, input, 'autopilot');
const refusal = async (step: string, input: unknown): Promise<string> => {
  try {
    await run(step, input);
  } catch (error) {
    return String(error);
  }
  return 'nothing was refused';
};
const stored = (subject: string) =>
  [...(bench.mail.world.mailboxOf('ada@sandbox.test')?.calendar.events.values() ?? [])].filter(
    (event) => event.subject === subject,
  );
const berlin = 'Europe/Berlin';

describe('create_event', () => {
  test('takes the nested shape of the service and answers both forms of the times', async () => {
    const event = await run('create_event', {
      subject: 'Nested',
      body: { contentType: 'HTML', content: '<p>Agenda</p>' },
      start: { dateTime: '2027-07-01T09:00:00', timeZone: 'W. Europe Standard Time' },
      end: { dateTime: '2027-07-01T10:00:00', timeZone: 'W. Europe Standard Time' },
      location: { displayName: 'Maple room' },
      attendees: [{ emailAddress: { address: 'ben@sandbox.test', name: 'Ben Okafor' }, type: 'Optional' }],
    });

    expect(event).toMatchObject({
      subject: 'Nested',
      start: { utc: '2027-07-01T07:00:00Z', local: '2027-07-01T09:00:00', timeZone: 'W. Europe Standard Time' },
      location: 'Maple room',
      attendees: [{ address: 'ben@sandbox.test', type: 'optional' }],
      isRecurring: false,
    });
    expect(event.webLink).toContain('https://');
    expect(event.etag).toContain('W/');
    expect(stored('Nested')[0]?.body.contentType).toBe('html');
    expect(bench.mail.world.outbox.at(-1)).toMatchObject({ subject: 'Nested' });
  });

  test('takes a flat shape, with every field', async () => {
    const event = await run('create_event', {
      subject: 'Flat',
      body: 'Just text',
      start: '2027-07-02T09:00',
      end: '2027-07-02T10:30',
      timeZone: berlin,
      location: 'Cellar',
      attendees: ['Ben O. <ben@sandbox.test>', 'BEN@sandbox.test'],
      showAs: 'tentative',
      sensitivity: 'private',
      importance: 'high',
      reminderMinutes: null,
      categories: ['Blue category'],
      isOnlineMeeting: true,
      allowNewTimeProposals: false,
    });

    expect(event.end).toEqual({ utc: '2027-07-02T08:30:00Z', local: '2027-07-02T10:30:00', timeZone: berlin });
    expect(event.joinUrl).toContain('https://teams');
    expect(event).toMatchObject({ showAs: 'tentative', sensitivity: 'private', importance: 'high' });
    expect(event).toMatchObject({ reminderMinutes: null, categories: ['Blue category'] });
    expect(event.attendees).toMatchObject([{ address: 'ben@sandbox.test', name: 'Ben O.' }]);
    expect(stored('Flat')[0]?.start.zone).toBe('W. Europe Standard Time');
  });

  test('a time without a zone is in the zone of the mailbox', async () => {
    await run('create_event', { subject: 'At home', start: '2027-07-03T09:00', end: '2027-07-03T09:30' });

    const zone = bench.mail.world.mailboxOf('ada@sandbox.test')?.settings.timeZone;
    expect(stored('At home')[0]?.start.zone).toBe(zone);
  });

  test('dates make an all-day event, the last day included', async () => {
    const event = await run('create_event', {
      subject: 'Trip',
      start: '2027-08-02',
      end: '2027-08-04',
      timeZone: berlin,
    });

    expect(event).toMatchObject({ isAllDay: true, firstDay: '2027-08-02', lastDay: '2027-08-04' });
    expect(event.end.local).toBe('2027-08-05T00:00:00');
    const [one] = stored('Trip');
    expect(((one?.end.wall ?? 0) - (one?.start.wall ?? 0)) / 86_400_000).toBe(3);
    // The service counts whole days by the clocks of UTC; asked for are those of the caller.
    const seen = async (start: string, end: string, timeZone: string) =>
      (await run('list_events', { start, end, timeZone, query: 'trip' })).items.length;
    expect([await seen('2027-08-05', '2027-08-06', berlin), await seen('2027-08-04', '2027-08-05', berlin)]).toEqual([
      0, 1,
    ]);
    expect(await seen('2027-08-04T21:00', '2027-08-04T22:00', 'America/New_York')).toBe(1);
  });

  test('an iCalendar rule becomes a series that keeps its clock time', async () => {
    const event = await run('create_event', {
      subject: 'Jour fixe',
      start: '2027-10-25T09:00',
      end: '2027-10-25T09:30',
      timeZone: berlin,
      recurrence: 'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4',
    });
    expect(event).toMatchObject({ isRecurring: true, recurrence: { range: { numberOfOccurrences: 4 } } });
    expect(JSON.stringify(event.recurrence)).not.toMatch(/0001-01-01|:0[,}]/);
    const again = await run('update_event', { eventId: event.id, recurrence: event.recurrence });
    expect([again.recurrence, again.changes]).toEqual([event.recurrence, []]);

    const { items } = await run('list_events', {
      start: '2027-10-25',
      end: '2027-11-30',
      timeZone: berlin,
      query: 'jour',
    });

    expect(items.map((one: { start: { local: string } }) => one.start.local)).toEqual([
      '2027-10-25T09:00:00',
      '2027-10-27T09:00:00',
      '2027-11-01T09:00:00',
      '2027-11-03T09:00:00',
    ]);
    expect(items[2].start.utc).toBe('2027-11-01T08:00:00Z');
    expect(items[0]).toMatchObject({ isRecurring: true, seriesId: event.id });
  });

  test('lands in the calendar that is named', async () => {
    await run('create_event', { subject: 'Cake', start: '2027-09-01', calendar: 'birthdays' });

    const calendars = bench.mail.world.mailboxOf('ada@sandbox.test')?.calendar.calendars;
    expect(calendars?.get(stored('Cake')[0]?.calendarId ?? '')?.name).toBe('Birthdays');
    expect(await refusal('create_event', { subject: 'x', start: '2027-09-01', calendar: 'Nope' })).toContain(
      'Birthdays',
    );
  });

  test('says what is wrong with a time instead of guessing', async () => {
    const span = { subject: 'x', start: '2027-03-28T02:30:00', end: '2027-03-28T04:00:00', timeZone: berlin };
    expect(await refusal('create_event', span)).toContain('2027-03-28T01:59:00 or 2027-03-28T03:00:00');
    expect(await refusal('create_event', { ...span, start: '2027-03-28T09:00:00Z' })).toContain('contradict');
    expect(await refusal('create_event', { ...span, start: '2027-03-28T05:00:00' })).toContain('before the start');
    expect(await refusal('create_event', { ...span, timeZone: 'Berlin' })).toContain('Europe/Berlin');
    expect(
      await refusal('create_event', { ...span, start: '2027-03-28T01:00:00', recurrence: 'FREQ=HOURLY' }),
    ).toContain('recurrence');
    const invited = { ...span, start: '2027-03-28T01:00:00', attendees: ['a@b.test'], sendInvites: false };
    expect(await refusal('create_event', invited)).toContain('cannot hold that back');
  });

  test('tells all mistakes at once', async () => {
    const fields = async (input: object) => {
      const answer = await bench.owned('POST', '/v1/steps/mail.create_event/run', {
        input: { subject: 'x', ...input },
      });
      return answer.body.error.details.fields.map(({ field }: { field: string }) => field);
    };
    const hushed = { attendees: ['a@b.test'], sendInvites: false, recurrence: 'FREQ=HOURLY' };
    const others = ['input.sendInvites', 'input.recurrence'];
    expect(await fields({ start: 'soon', end: 'later', timeZone: 'Berlin', ...hushed })).toEqual([
      'input.sendInvites',
      'input.timeZone',
      'input.start',
      'input.end',
      'input.recurrence',
    ]);
    expect(await fields({ start: 'soon', isAllDay: true, ...hushed })).toEqual(others.toSpliced(1, 0, 'input.start'));
    expect(await fields({ start: '2027-03-01T09:00', ...hushed })).toEqual(others.toSpliced(1, 0, 'input.end'));
    expect(await fields({ start: '2027-03-01', ...hushed })).toEqual(others);
    expect(await fields({ start: 'soon', end: 'soon', isAllDay: true })).toEqual(['input.start', 'input.end']);
  });

  test.each([
    ['the answer is lost after the event was made', { kind: 'accept_then', status: 504 }],
    ['the connection breaks after the event was made', { kind: 'accept_then' }],
  ])('%s: there is exactly one event, and it is reported', async (title, fault) => {
    bench.mail.control.faults.add({ match: { method: 'POST', path: '/v1.0/me/events' }, times: 1, ...fault } as never);

    const event = await run('create_event', {
      subject: title,
      start: '2027-07-05T09:00',
      end: '2027-07-05T10:00',
      attendees: ['ben@sandbox.test'],
    });

    expect(event.subject).toBe(title);
    expect(stored(title)).toHaveLength(1);
    expect(bench.mail.world.outbox.filter(({ subject }) => subject === title)).toHaveLength(1);
  });

  test('a dry run shows the request and makes nothing', async () => {
    const accountId = await bench.connectMail('ben@sandbox.test');
    const input = {
      subject: 'Only shown',
      start: '2027-07-06T09:00',
      end: '2027-07-06T10:00',
      timeZone: berlin,
      dryRun: true,
    };
    const { body } = await bench.owned('POST', '/v1/steps/mail.create_event/run', { accountId, input });

    expect(JSON.stringify(body)).toContain('"dateTime":"2027-07-06T09:00:00","timeZone":"W. Europe Standard Time"');
    expect(bench.mail.world.mailboxOf('ben@sandbox.test')?.calendar.events.size).toBeGreaterThan(0);
    expect(stored('Only shown')).toEqual([]);
  });
});

describe('list_events', () => {
  test('goes on page by page without losing or repeating an event', async () => {
    for (const hour of [10, 11, 12, 13, 14]) {
      await run('create_event', {
        subject: `Page ${hour}`,
        start: `2028-01-10T${hour}:00`,
        end: `2028-01-10T${hour}:30`,
      });
    }
    const range = { start: '2028-01-10', end: '2028-01-11', limit: 2, query: 'page' };
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await run('list_events', { ...range, cursor });
      seen.push(...page.items.map(({ subject }: { subject: string }) => subject));
      expect(page.truncated).toBe(page.nextCursor !== undefined);
      cursor = page.nextCursor;
    } while (cursor !== undefined);

    expect(seen).toEqual(['Page 10', 'Page 11', 'Page 12', 'Page 13', 'Page 14']);
    expect(await refusal('list_events', { ...range, cursor: 'nonsense' })).toContain('cursor');
  });

  test('finds events by person, shows a series once if asked, and only the fields asked for', async () => {
    const range = { start: '2027-01-01', end: '2027-12-31', timeZone: berlin };
    const { items } = await run('list_events', {
      ...range,
      attendee: 'ben@sandbox.test',
      query: 'nested flat',
      limit: 5,
    });
    expect(items).toEqual([]);

    const found = await run('list_events', { ...range, attendee: 'ben okafor', query: 'nested', fields: ['subject'] });
    expect(found.items).toEqual([{ id: expect.any(String), subject: 'Nested' }]);

    const once = await run('list_events', { ...range, query: 'jour fixe', expandRecurring: false });
    expect(once.items.map(({ id }: { id: string }) => id)).toEqual([
      (await run('list_events', { ...range, query: 'jour fixe', limit: 1 })).items[0].seriesId,
    ]);
  });

  test('shows bodies as text in the full view', async () => {
    const { items } = await run('list_events', { start: '2027-07-01', end: '2027-07-02', view: 'full' });
    expect(items[0]).toMatchObject({ subject: 'Nested', body: 'Agenda', bodyTruncated: false });
  });

  test('tells nothing of what a summary does not hold', async () => {
    const [start, end] = ['2028-02-10T10:00', '2028-02-10T11:00'];
    const made = await run('create_event', { subject: 'Labelled', start, end, categories: ['Red category'] });
    expect(made).toMatchObject({ categories: ['Red category'] });
    expect(made).not.toHaveProperty('bodyTruncated');
    const range = { start: '2028-02-10', end: '2028-02-11' };

    const labelled = { ...range, query: 'labelled' };

    expect((await run('list_events', labelled)).items[0]).not.toHaveProperty('categories');
    const full = await run('list_events', { ...labelled, view: 'full' });
    expect(full.items[0].categories).toEqual(['Red category']);
    const wrong = { start: { dateTime: start, timeZone: 'Mars' }, end: range.end };
    expect(await refusal('list_events', wrong)).toContain('start.timeZone');
    expect(await refusal('list_events', { start: '2027-07-01', end: '2027-07-01' })).toContain(
      'give the next as the end',
    );
  });
});

describe('update_event', () => {
  const make = (subject: string, more = {}) =>
    run('create_event', { subject, start: '2027-07-10T09:00', end: '2027-07-10T10:00', timeZone: berlin, ...more });

  test('changes what is given, clears what is null, leaves the rest, and says what changed', async () => {
    const { id } = await make('Before', { location: 'Here', body: 'Keep me', categories: ['Red category'] });

    const event = await run('update_event', { eventId: id, subject: 'After', location: null, categories: null });

    expect(event.subject).toBe('After');
    expect(event.location).toBeUndefined();
    expect(event.changes.map(({ field }: { field: string }) => field).toSorted()).toEqual([
      'categories',
      'location',
      'subject',
    ]);
    expect(event.changes).toContainEqual({ field: 'subject', from: 'Before', to: 'After' });
    expect(stored('After')[0]?.body.content).toBe('Keep me');
  });

  test('is told the calendar that the event is in; one in another calendar is not changed', async () => {
    const { id } = await make('Party', { calendar: 'Birthdays' });

    expect(await run('update_event', { eventId: id, subject: 'Feast', calendar: 'birthdays' })).toMatchObject({
      subject: 'Feast',
    });
    expect(await refusal('update_event', { eventId: id, subject: 'Moved', calendar: 'Calendar' })).toContain(
      'in another calendar',
    );
    expect(await refusal('update_event', { eventId: id, calendar: 'birthdays' })).toContain('at least one field');
    expect(stored('Moved')).toEqual([]);
  });

  test('moving the start keeps the length; the web address names the event too', async () => {
    const { webLink } = await make('Moves');
    const event = await run('update_event', { eventId: webLink, start: '2027-07-11T14:00', timeZone: berlin });
    expect([event.start.local, event.end.local]).toEqual(['2027-07-11T14:00:00', '2027-07-11T15:00:00']);
  });

  test('two dates make whole days of a meeting, the last day included', async () => {
    const { id } = await run('create_event', { subject: 'Fair', start: '2027-05-03T09:00', end: '2027-05-03T10:00' });
    expect(await refusal('update_event', { eventId: id, start: '2027-05-04' })).toContain('a day without a time');
    expect(await refusal('update_event', { eventId: id, end: '2027-05-04' })).toContain('a day without a time');
    const days = await run('update_event', { eventId: id, start: '2027-05-04', end: '2027-05-05', timeZone: berlin });

    expect(days).toMatchObject({ isAllDay: true, firstDay: '2027-05-04', lastDay: '2027-05-05' });
  });

  test('whole days repeat from their own date, whatever the zone', async () => {
    const { id } = await run('create_event', { subject: 'Fridays', start: '2028-03-10' });
    const zone = { timeZone: 'America/New_York' };
    const event = await run('update_event', { eventId: id, recurrence: 'FREQ=WEEKLY;COUNT=3', ...zone });
    expect(event.recurrence).toMatchObject({
      pattern: { daysOfWeek: ['friday'] },
      range: { startDate: '2028-03-10' },
    });
  });

  test('an occurrence is changed alone, the series as a whole', async () => {
    const series = await make('Series', { recurrence: 'FREQ=DAILY;COUNT=3' });
    const range = { start: '2027-07-10', end: '2027-07-14', timeZone: berlin };
    const days = async (query: string) => (await run('list_events', { ...range, query })).items;
    const second = (await days('series'))[1];

    await run('update_event', { eventId: second.id, scope: 'this', subject: 'Odd one' });
    expect(await days('odd one')).toHaveLength(1);
    expect(await days('series')).toHaveLength(2);

    await run('update_event', { eventId: (await days('series'))[0].id, scope: 'series', location: 'Attic' });
    expect(stored('Series')[0]?.locations[0]?.['displayName']).toBe('Attic');
    expect(await refusal('update_event', { eventId: series.id, scope: 'this', subject: 'x' })).toMatch(
      /"field":"input\.eventId".*whole series.*"field":"input\.scope"/,
    );
  });

  test('a series named by an occurrence moves as far as that one, and loses none that came before', async () => {
    await make('Standup', { recurrence: 'FREQ=DAILY;COUNT=3' });
    const range = { start: '2027-07-10', end: '2027-07-20', timeZone: berlin, query: 'standup' };
    const days = async () => (await run('list_events', range)).items;
    const last = (await days())[2].id;
    const scope = { eventId: last, scope: 'series', timeZone: berlin };

    await run('update_event', { ...scope, start: '2027-07-12T14:00' });

    const begins = async () => (await days()).map(({ start }: { start: { local: string } }) => start.local);
    expect(await begins()).toEqual(['10', '11', '12'].map((day) => `2027-07-${day}T14:00:00`));
    expect((await days())[0].end.local).toBe('2027-07-10T15:00:00');
  });

  test('what keeps its start keeps the clocks it was made by, and so does a rule for it', async () => {
    const late = { start: '2027-07-10T23:30', end: '2027-07-11T00:30', timeZone: 'America/New_York' };
    const { id } = await make('Late', late);
    expect(stored('Late')[0]?.start.zone).toBe('Eastern Standard Time');

    const event = await run('update_event', { eventId: id, recurrence: 'FREQ=WEEKLY;COUNT=3', timeZone: berlin });
    expect(event.recurrence).toMatchObject({
      pattern: { daysOfWeek: ['saturday'] },
      range: { startDate: '2027-07-10' },
    });
    await run('update_event', { eventId: id, end: '2027-07-11T05:00:00Z' });
    await run('update_event', { eventId: id, start: '2027-07-11T03:00:00Z' });

    expect(stored('Late')[0]).toMatchObject({
      start: { zone: 'Eastern Standard Time', wall: Date.parse('2027-07-10T23:00:00Z') },
      end: { zone: 'Eastern Standard Time', wall: Date.parse('2027-07-11T00:30:00Z') },
    });
  });

  test('a new body keeps the link to the online meeting', async () => {
    const { id, joinUrl } = await make('Online', { isOnlineMeeting: true });
    const event = await run('update_event', { eventId: id, body: 'New <agenda>' });
    expect(event.joinUrl).toBe(joinUrl);
    expect(stored('Online')[0]?.body.content).toContain('New &lt;agenda&gt;');
  });

  test('a stale etag and an empty change are refused', async () => {
    const { id, etag } = await make('Guarded');
    await run('update_event', { eventId: id, ifMatch: etag, importance: 'high' });
    expect(await refusal('update_event', { eventId: id, ifMatch: etag, importance: 'low' })).toContain('conflict');
    expect(await refusal('update_event', { eventId: id })).toContain('at least one field');
  });

  test('an answer that got lost is looked for', async () => {
    const { id } = await make('Lost change');
    bench.mail.control.faults.add({
      match: { method: 'PATCH', path: '/v1.0/me/events' },
      kind: 'accept_then',
      status: 504,
      times: 1,
    });
    expect((await run('update_event', { eventId: id, subject: 'Found change' })).subject).toBe('Found change');
  });

  test('an event that is as it was did not take the change, however lately it was made: it is tried once more', async () => {
    const { id } = await make('Just made');
    const match = { method: 'PATCH', path: '/v1.0/me/events' };
    bench.mail.control.faults.add({ match, kind: 'status', status: 500, times: 1 });
    expect((await run('update_event', { eventId: id, subject: 'Tried again' })).subject).toBe('Tried again');
  });
});

describe('delete_event', () => {
  test('deletes one occurrence, then the series', async () => {
    await run('create_event', { subject: 'Gone', start: '2027-06-01', recurrence: 'FREQ=DAILY;COUNT=3' });
    const left = async () =>
      (await run('list_events', { start: '2027-06-01', end: '2027-06-10', query: 'gone' })).items;
    const [first] = await left();

    expect(await run('delete_event', { eventId: first.id })).toMatchObject({ deleted: true, cancelledNotified: false });
    expect(await left()).toHaveLength(2);
    await run('delete_event', { eventId: (await left())[0].id, scope: 'series' });
    expect(stored('Gone')).toEqual([]);
  });

  test('a series that cannot be found at this moment does not lose the occurrence that named it', async () => {
    await run('create_event', { subject: 'Stays', start: '2027-06-01', recurrence: 'FREQ=DAILY;COUNT=3' });
    const left = async () =>
      (await run('list_events', { start: '2027-06-01', end: '2027-06-10', query: 'stays' })).items;
    const [first] = await left();
    for (const step of ['delete_event', 'cancel_event']) {
      const match = { method: 'GET', path: '/v1.0/me/events/' };
      bench.mail.control.faults.add({ match, kind: 'status', status: 404, times: 1 });
      expect(await refusal(step, { eventId: first.id, scope: 'series' })).toContain('not_found');
    }
    expect(await left()).toHaveLength(3);
  });

  test('attendees are told, with the comment; that cannot be held back', async () => {
    const { id } = await run('create_event', { subject: 'Off', start: '2027-06-11', attendees: ['ben@sandbox.test'] });
    const held = await refusal('delete_event', { eventId: id, notify: false });
    expect(held).toMatch(/"field":"input\.notify".*always told/);

    const end = await run('delete_event', { eventId: id, notify: true, comment: 'Rain' });

    expect(end).toMatchObject({ deleted: true, cancelledNotified: true });
    expect(bench.mail.world.outbox.at(-1)?.subject).toContain('Off');
  });

  test('an answer that got lost is looked for, and an event that is not there is said to be missing', async () => {
    const { id } = await run('create_event', { subject: 'Lost', start: '2027-06-12' });
    const lost = {
      match: { method: 'DELETE', path: '/v1.0/me/events' },
      kind: 'accept_then',
      status: 504,
      times: 1,
    } as const;
    bench.mail.control.faults.add(lost);
    expect(await run('delete_event', { eventId: id })).toMatchObject({ deleted: true });
    expect(await refusal('delete_event', { eventId: id })).toContain('not_found');
  });
});
