import { expect, test } from 'vitest';
import { idOf, moment, office, valueOf } from './test-office.ts';

const plain = (subject: string, from = '2026-03-03T09:00:00', to = '2026-03-03T10:00:00', zone = 'UTC') => ({
  subject,
  start: moment(from, zone),
  end: moment(to, zone),
});
const series = (startDate: string, pattern: object, range: object = { type: 'noEnd' }) => ({
  recurrence: { pattern: { interval: 1, ...pattern }, range: { startDate, ...range } },
});
const view = (from: string, to: string) => `/me/calendarView?startDateTime=${from}&endDateTime=${to}&$top=1000`;

test('/events hides occurrences, calendarView hides masters', async () => {
  const { ask } = office();
  const body = {
    ...plain('Stand-up'),
    ...series('2026-03-03', { type: 'daily' }, { type: 'numbered', numberOfOccurrences: 4 }),
  };
  const { body: master } = await ask('POST', '/me/events', { body });
  const listed = valueOf(await ask('GET', '/me/events'));
  expect(listed.map(({ type }) => type)).toEqual(['seriesMaster']);
  const seen = valueOf(await ask('GET', view('2026-03-01', '2026-04-01')));
  expect(seen.map(({ type, seriesMasterId }) => [type, seriesMasterId])).toEqual(
    Array.from({ length: 4 }, () => ['occurrence', master['id']]),
  );
  const instances = valueOf(
    await ask('GET', `/me/events/${idOf(master)}/instances?startDateTime=2026-03-04&endDateTime=2026-03-05T12:00:00Z`),
  );
  expect(instances.map(({ id }) => id)).toEqual(seen.slice(1, 3).map(({ id }) => id));
});

test('series keep wall-clock time across summer time', async () => {
  const { ask } = office();
  const berlin = plain('Stand-up', '2026-03-27T09:00:00', '2026-03-27T09:15:00', 'W. Europe Standard Time');
  await ask('POST', '/me/events', { body: { ...berlin, ...series('2026-03-27', { type: 'daily' }) } });
  const starts = valueOf(await ask('GET', view('2026-03-27', '2026-03-31'))).map(({ start }) =>
    (start as { dateTime: string }).dateTime.slice(5, 16),
  );
  expect(starts).toEqual(['03-27T08:00', '03-28T08:00', '03-29T07:00', '03-30T07:00']);
});

test('patching a master is not patching an occurrence', async () => {
  const { ask } = office();
  const { body: master } = await ask('POST', '/me/events', {
    body: { ...plain('Weekly'), ...series('2026-03-03', { type: 'weekly', daysOfWeek: ['tuesday'] }) },
  });
  const [, second] = valueOf(await ask('GET', view('2026-03-01', '2026-03-31')));
  const patched = await ask('PATCH', `/me/events/${idOf(second)}`, { body: { subject: 'Special' } });
  expect(patched.body).toMatchObject({
    type: 'exception',
    subject: 'Special',
    id: second?.['id'],
    seriesMasterId: master['id'],
  });
  expect(valueOf(await ask('GET', view('2026-03-01', '2026-03-25'))).map(({ subject }) => subject)).toEqual([
    'Weekly',
    'Special',
    'Weekly',
    'Weekly',
  ]);
  await ask('PATCH', `/me/events/${idOf(master)}`, { body: { subject: 'Renamed' } });
  expect(valueOf(await ask('GET', view('2026-03-01', '2026-03-25'))).map(({ subject }) => subject)).toEqual([
    'Renamed',
    'Special',
    'Renamed',
    'Renamed',
  ]);
});

test('an occurrence cannot cross its neighbour: ErrorOccurrenceCrossingBoundary', async () => {
  const { ask } = office();
  await ask('POST', '/me/events', {
    body: { ...plain('Weekly'), ...series('2026-03-03', { type: 'weekly', daysOfWeek: ['tuesday'] }) },
  });
  const [, second] = valueOf(await ask('GET', view('2026-03-01', '2026-03-31')));
  const move = (day: string) =>
    ask('PATCH', `/me/events/${idOf(second)}`, {
      body: { start: moment(`${day}T09:00`), end: moment(`${day}T10:00`) },
    });
  expect((await move('2026-03-17')).body['code']).toBe('ErrorOccurrenceCrossingBoundary');
  expect((await move('2026-03-03')).body['code']).toBe('ErrorOccurrenceCrossingBoundary');
  expect((await move('2026-03-12')).status).toBe(200);
});

test('deleting an occurrence leaves the rest of the series', async () => {
  const { ask } = office();
  await ask('POST', '/me/events', {
    body: {
      ...plain('Daily'),
      ...series('2026-03-03', { type: 'daily' }, { type: 'numbered', numberOfOccurrences: 3 }),
    },
  });
  const [, second] = valueOf(await ask('GET', view('2026-03-01', '2026-03-31')));
  expect((await ask('DELETE', `/me/events/${idOf(second)}`)).status).toBe(204);
  expect((await ask('GET', `/me/events/${idOf(second)}`)).body['code']).toBe('ErrorItemNotFound');
  expect(valueOf(await ask('GET', view('2026-03-01', '2026-03-31')))).toHaveLength(2);
});

test('an occurrence that lasts longer than the time to the next one is refused', async () => {
  const { ask } = office();
  const long = plain('Long', '2026-03-03T09:00:00', '2026-03-05T09:00:00');
  const { body } = await ask('POST', '/me/events', { body: { ...long, ...series('2026-03-03', { type: 'daily' }) } });
  expect(body['code']).toBe('ErrorOccurrenceTimeSpanTooBig');
  const weekly = series('2026-03-03', { type: 'weekly', daysOfWeek: ['tuesday'] });
  expect((await ask('POST', '/me/events', { body: { ...long, ...weekly } })).status).toBe(201);
});
