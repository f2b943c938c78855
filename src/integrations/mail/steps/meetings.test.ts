import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Workbench, workbench } from '#test';

let bench: Workbench;
let ben: string;
let cy: string;
let shared: string;
beforeAll(async () => {
  bench = await workbench({ mail: true });
  ben = await bench.connectMail('ben@sandbox.test');
  cy = await bench.connectMail('cy@sandbox.test');
  const scopes = ['User.Read', 'Calendars.ReadWrite', 'Calendars.ReadWrite.Shared', 'Calendars.Read.Shared'];
  shared = await bench.connectMail('ada@sandbox.test', scopes);
});
afterAll(() => bench[Symbol.asyncDispose]());

const as = async (accountId: string, step: string, input: unknown) => {
  const { body } = await bench.owned('POST', `/v1/steps/mail.${step}/run`, {
    accountId,
    input,
    permission: 'autopilot',
  });
  return body;
};
const ada = (step: string, input: unknown) => bench.run(`mail.${step}`, input, 'autopilot');
const berlin = 'Europe/Berlin';
const invite = async (subject: string, day: string) => {
  const times = { start: `${day}T09:00`, end: `${day}T10:00`, timeZone: berlin };
  const { id } = await ada('create_event', { subject, ...times, attendees: ['ben@sandbox.test'] });
  const range = { start: day, end: `${day}T23:00`, timeZone: berlin, query: subject };
  const { output } = await as(ben, 'list_events', range);
  return { own: id, invited: output.items[0].id, range };
};
const answersOf = async (range: object) => (await ada('list_events', range)).items[0].attendees;

describe('respond_to_event', () => {
  test('an accepted invitation is accepted at the organizer too', async () => {
    const { invited, range } = await invite('Accept me', '2027-05-03');

    const { output } = await as(ben, 'respond_to_event', { eventId: invited, response: 'accept', comment: 'Gladly' });

    expect(output).toEqual({ eventId: invited, response: 'accepted', organizerTold: true });
    expect(await answersOf(range)).toMatchObject([{ address: 'ben@sandbox.test', response: 'accepted' }]);
  });

  test('another time can be proposed, in local time', async () => {
    const { invited } = await invite('Propose', '2027-05-04');
    const proposal = { proposedStart: '2027-05-04T15:00', proposedEnd: '2027-05-04T16:00', timeZone: berlin };

    const answer = await as(ben, 'respond_to_event', { eventId: invited, response: 'tentative', ...proposal });
    expect(answer.output.response).toBe('tentativelyAccepted');
    expect(answer.summary).toContain(': tentatively accepted;');

    const event = [...(bench.mail.world.mailboxOf('ada@sandbox.test')?.calendar.events.values() ?? [])].find(
      ({ subject }) => subject === 'Propose',
    );
    expect(event?.attendees[0]?.proposedNewTime?.start.wall).toBe(Date.UTC(2027, 4, 4, 15));
    const accepted = await as(ben, 'respond_to_event', { eventId: invited, response: 'accept', ...proposal });
    expect(accepted.error.details.fields[0].field).toBe('input.response');
  });

  test('a lost answer is looked for, and the organizer hears once', async () => {
    const { invited } = await invite('Decline me', '2027-05-05');
    const before = bench.mail.world.outbox.length;
    bench.mail.control.faults.add({
      match: { method: 'POST', path: '.*/decline$' },
      kind: 'accept_then',
      status: 504,
      times: 1,
    });

    const { output } = await as(ben, 'respond_to_event', { eventId: invited, response: 'decline' });

    expect(output.response).toBe('declined');
    expect(bench.mail.world.outbox.length - before).toBe(1);
    bench.mail.control.faults.clear();
  });

  test('the organizer has nothing to respond to', async () => {
    const { own } = await invite('Mine', '2027-05-06');
    const answer = await as(await bench.connectMail(), 'respond_to_event', { eventId: own, response: 'accept' });
    expect(answer.error.message).toContain('cancel_event');
  });
});

test('who is invited can be given back as it was told; what is not known inside of a value is refused', async () => {
  const { own, range } = await invite('Given back', '2027-09-21');
  const [told] = await answersOf(range);
  const cy = { emailAddress: { address: 'cy@sandbox.test' }, type: 'optional', status: { response: 'none' } };
  const { attendees } = await ada('update_event', { eventId: own, attendees: [told, cy] });
  expect(attendees).toMatchObject([{ address: 'ben@sandbox.test' }, { address: 'cy@sandbox.test', type: 'optional' }]);
  const odd = { start: { dateTime: '2027-09-21T09:00', zone: berlin } };
  await expect(ada('update_event', { eventId: own, ...odd })).rejects.toThrow(/input\.start.*zone/);
  await expect(ada('update_event', { eventId: own, attendees: [told], sendInvites: false })).rejects.toThrow(/at once/);
});

test('deleting what is not there waits for nobody', async () => {
  const times = { start: '2027-09-22T09:00', end: '2027-09-22T10:00' };
  const { id: eventId } = await ada('create_event', { subject: 'Short-lived', ...times });
  await ada('delete_event', { eventId });
  await expect(bench.run('mail.delete_event', { eventId })).rejects.toThrow(/not_found/);
});

describe('cancel_event', () => {
  test('tells the attendees why; only the organizer can', async () => {
    const { own, invited } = await invite('Cancel me', '2027-05-07');
    expect((await as(ben, 'cancel_event', { eventId: invited })).error.message).toContain('respond_to_event');

    expect(await ada('cancel_event', { eventId: own, comment: 'Storm' })).toMatchObject({
      cancelled: true,
      notified: ['ben@sandbox.test'],
    });

    expect(bench.mail.world.outbox.at(-1)?.subject).toContain('Cancel me');
    const { output } = await as(ben, 'list_events', {
      start: '2027-05-07',
      end: '2027-05-08',
      query: 'cancel me',
      includeCancelled: true,
    });
    expect(output.items).toMatchObject([{ isCancelled: true }]);
  });
});

describe('check_availability', () => {
  // A Sunday, which nothing else takes.
  const day = '2027-05-09';
  beforeAll(async () => {
    const busy = { timeZone: berlin, subject: 'Dentist', start: `${day}T09:00`, end: `${day}T10:00` };
    await ada('create_event', busy);
    await ada('create_event', {
      ...busy,
      subject: 'Maybe',
      start: `${day}T10:00`,
      end: `${day}T11:00`,
      showAs: 'tentative',
    });
    await as(cy, 'create_event', { ...busy, subject: 'Plumber' });
  });
  const at = (from: string, to: string) => ({ start: `${day}T${from}`, end: `${day}T${to}`, timeZone: berlin });

  test('names the conflicts and the next free time', async () => {
    const answer = await ada('check_availability', at('09:30', '10:00'));

    expect(answer.available).toBe(false);
    expect(answer.conflicts).toMatchObject([
      { person: 'ada@sandbox.test', status: 'busy', subject: 'Dentist', start: { local: `${day}T09:00:00` } },
    ]);
    expect(answer.nextFree.start).toEqual({ utc: `${day}T09:00:00Z`, local: `${day}T11:00:00`, timeZone: berlin });
    expect(await ada('check_availability', at('11:00', '11:30'))).toMatchObject({ available: true, conflicts: [] });
  });

  test('tentative events count unless told otherwise', async () => {
    expect((await ada('check_availability', at('10:00', '11:00'))).available).toBe(false);
    const lenient = { ...at('10:00', '11:00'), treatTentativeAsBusy: false };
    expect((await ada('check_availability', lenient)).available).toBe(true);
  });

  test('working hours count if asked for', async () => {
    const night = { ...at('03:00', '03:30'), respectWorkingHours: true };
    const answer = await ada('check_availability', night);
    expect(answer.conflicts).toMatchObject([{ status: 'outsideWorkingHours' }]);
    expect(answer.nextFree).not.toBeNull();
    expect((await ada('check_availability', { ...night, respectWorkingHours: false })).available).toBe(true);
  });

  test('whoever cannot be looked up is named', async () => {
    const answer = await ada('check_availability', {
      ...at('11:00', '12:00'),
      attendees: ['ben@sandbox.test', 'x@else.test'],
    });
    expect(answer).toMatchObject({ available: true, unknown: [{ person: 'x@else.test' }] });
    const alone = await ada('check_availability', { ...at('11:00', '12:00'), attendees: ['x@else.test'] });
    expect(alone).toMatchObject({ available: false, nextFree: null });
  });

  test('a personal account is answered from its own calendar, and told so', async () => {
    const { output, warnings } = await as(cy, 'check_availability', at('09:30', '10:00'));
    expect(output).toMatchObject({ available: false, conflicts: [{ subject: 'Plumber' }] });
    expect(output.nextFree.start.local).toBe(`${day}T10:00:00`);
    expect(warnings.join(' ')).toContain('personal accounts');
    expect(bench.mail.control.log.list(0, 'getSchedule').filter(({ user }) => user?.startsWith('cy@'))).toEqual([]);

    const both = await as(cy, 'check_availability', {
      ...at('10:00', '11:00'),
      attendees: ['cy@sandbox.test', 'ada@sandbox.test'],
    });
    expect(both.output).toMatchObject({ available: true, unknown: [{ person: 'ada@sandbox.test' }] });
  });
});

describe('get_schedule', () => {
  const day = '2027-05-09';
  const range = { start: `${day}T08:00`, end: `${day}T12:00`, timeZone: berlin };

  test('shows busy and free time, working hours, and an error per person', async () => {
    const { items } = await ada('get_schedule', { ...range, schedules: ['ada@sandbox.test', 'nobody@else.test'] });

    expect(items[0].busy.map(({ start, status }: never) => [start['local'], status])).toEqual([
      [`${day}T09:00:00`, 'busy'],
      [`${day}T10:00:00`, 'tentative'],
    ]);
    expect(items[0].free.map(({ start, end }: never) => [start['local'], end['local']])).toEqual([
      [`${day}T08:00:00`, `${day}T09:00:00`],
      [`${day}T11:00:00`, `${day}T12:00:00`],
    ]);
    expect(items[0]).toMatchObject({ availabilityView: '00221100', workingHours: { startTime: expect.any(String) } });
    expect(items[1]).toMatchObject({ busy: [], free: [], error: expect.stringContaining('nobody@else.test') });
    const { summary } = await as(ben, 'get_schedule', {
      ...range,
      schedules: ['ben@sandbox.test', 'nobody@else.test'],
    });
    expect(summary).toBe('Read the schedules of “ben@sandbox.test”; could not look at “nobody@else.test”.');
    const nobody = await as(ben, 'get_schedule', { ...range, schedules: ['nobody@else.test'] });
    expect(nobody.summary).toBe('Could not look at “nobody@else.test”.');
  });

  test('a personal account sees itself', async () => {
    const { output, warnings } = await as(cy, 'get_schedule', range);
    expect(output.items).toMatchObject([{ person: 'cy@sandbox.test', busy: [{ subject: 'Plumber' }] }]);
    expect(warnings).toEqual([expect.stringMatching(/your own calendar was read\.$/)]);
  });

  test('more than 20 people and 62 days are refused', async () => {
    const crowd = Array.from({ length: 21 }, (_, at) => `p${at}@sandbox.test`);
    expect((await as(ben, 'get_schedule', { ...range, schedules: crowd })).error.code).toBe('invalid_input');
    expect((await as(ben, 'get_schedule', { ...range, end: '2027-07-10T08:00' })).error.message).toContain('62 days');
    const [start, end] = [range.start, '2027-07-09T08:00'];
    expect((await as(ben, 'get_schedule', { ...range, end })).output.items).toHaveLength(1);
    // The time that is looked at goes on after the end, but not over what the service takes.
    expect((await as(ben, 'check_availability', { start, end, timeZone: berlin })).output).toMatchObject({
      unknown: [],
    });
  });
});

describe('accounts of all kinds', () => {
  test('a personal account creates, changes and deletes events alike, and is told that no online meeting was made', async () => {
    const made = await as(cy, 'create_event', {
      subject: 'Picnic',
      start: '2027-05-20T12:00',
      end: '2027-05-20T13:00',
      timeZone: berlin,
      isOnlineMeeting: true,
    });
    expect(made.warnings.join(' ')).toContain('No online meeting');
    const changed = await as(cy, 'update_event', { eventId: made.output.id, location: 'Park' });
    expect(changed.output.changes).toEqual([{ field: 'location', from: null, to: 'Park' }]);
    expect((await as(cy, 'delete_event', { eventId: made.output.id })).output.deleted).toBe(true);
  });

  test('a shared mailbox is used by its address', async () => {
    const place = { mailbox: 'team@sandbox.test' };
    const times = { start: '2027-05-21T12:00', end: '2027-05-21T13:00', timeZone: berlin };
    const made = await as(shared, 'create_event', { ...place, subject: 'Team lunch', ...times });

    const { output } = await as(shared, 'list_events', {
      ...place,
      start: '2027-05-21',
      end: '2027-05-22',
      timeZone: berlin,
    });
    expect(output.items.map(({ id }: { id: string }) => id)).toEqual([made.output.id]);
    const busy = await as(shared, 'check_availability', { ...place, ...times });
    expect(busy.output).toMatchObject({ available: false, conflicts: [{ person: 'team@sandbox.test' }] });
    const { error } = await as(ben, 'create_event', { ...place, subject: 'Team lunch', ...times });
    expect(error).toMatchObject({
      code: 'forbidden',
      details: {
        missingScopes: ['Calendars.ReadWrite.Shared'],
        connect: { accountId: ben, permissionTypes: ['standard', 'shared_mailboxes'] },
      },
    });
  });

  test('without the zone of the mailbox a local time needs one', async () => {
    const local = { subject: 'x', start: '2027-05-21T12:00', end: '2027-05-21T13:00' };
    expect((await as(shared, 'create_event', local)).error.message).toContain('timeZone');
    const exact = { subject: 'Exact', start: '2027-05-21T12:00:00Z', end: '2027-05-21T13:00:00Z' };
    expect((await as(shared, 'create_event', exact)).output.start.timeZone).toBe('UTC');
  });
});
