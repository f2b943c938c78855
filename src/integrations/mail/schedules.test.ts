import { expect, test } from 'vitest';
import type { StepContext } from '#kit';
import { schedulesOf } from './schedules.ts';
import { checkAvailability } from './steps/check-availability.ts';
import { getSchedule } from './steps/get-schedule.ts';
import { utcZone } from './zones.ts';

test('who tells when they are busy, but not by what, is busy then', async () => {
  const [start, end] = [Date.parse('2027-07-01T09:00:00Z'), Date.parse('2027-07-01T10:45:00Z')];
  const post = async () => ({ value: [{ scheduleId: 'ben@sandbox.test', availabilityView: '0203' }] });
  const context = { upstream: { post }, account: { identity: { kind: 'work' } } } as unknown as StepContext;
  const asked = { people: ['ben@sandbox.test'], mailbox: undefined, interval: 30, zone: utcZone };

  const [ben] = await schedulesOf(context, { ...asked, span: { start, end } });

  const minute = 60_000;
  expect(ben?.busy).toEqual([
    { status: 'busy', start: start + 30 * minute, end: start + 60 * minute },
    { status: 'oof', start: start + 90 * minute, end },
  ]);
});

test('the next free time is on a minute', async () => {
  const at = (time: string) => ({ dateTime: `2027-07-01T${time}`, timeZone: 'UTC' });
  const scheduleItems = [{ status: 'busy', start: at('09:00:00'), end: at('10:00:00') }];
  const post = async () => ({ value: [{ scheduleId: 'ben@sandbox.test', scheduleItems }] });
  const account = { identity: { kind: 'work' } };
  const now = new Date('2027-07-01T10:17:43.512Z');
  const context = { upstream: { post }, account, now } as unknown as StepContext;
  const asked = {
    start: '2027-07-01T09:00',
    end: '2027-07-01T09:30',
    timeZone: 'UTC',
    attendees: ['ben@sandbox.test'],
  };

  const answer = await checkAvailability.run(checkAvailability.input.parse(asked), context);

  expect(answer).toMatchObject({ nextFree: { start: { utc: '2027-07-01T10:18:00Z' } } });
});

test('whose time is told as neither free nor busy is not called free', async () => {
  const at = (time: string) => ({ dateTime: `2027-07-01T${time}`, timeZone: 'UTC' });
  const during = { start: at('09:00:00'), end: at('10:00:00') };
  const scheduleItems = [
    { ...during, status: 'unknown' },
    { start: at('10:00:00'), end: at('11:00:00'), status: null },
    { start: at('11:00:00'), end: at('12:00:00'), status: 'workingElsewhere' },
  ];
  const post = async () => ({ value: [{ scheduleId: 'ben@sandbox.test', scheduleItems }] });
  const account = { identity: { kind: 'work' } };
  const context = { upstream: { post }, account, now: new Date('2027-06-01T00:00:00Z') } as unknown as StepContext;
  const hours = { start: '2027-07-01T09:00', end: '2027-07-01T12:00', timeZone: 'UTC' };
  const slot = (from: string, to: string) => ({ start: shown(from), end: shown(to) });
  const shown = (time: string) => ({
    utc: `2027-07-01T${time}:00Z`,
    local: `2027-07-01T${time}:00`,
    timeZone: 'UTC',
  });
  const [first, second] = [slot('09:00', '10:00'), slot('10:00', '11:00')];

  const people = { schedules: ['ben@sandbox.test'] };
  expect(await getSchedule.run(getSchedule.input.parse({ ...hours, ...people }), context)).toEqual({
    items: [
      {
        person: 'ben@sandbox.test',
        busy: [
          { ...first, status: 'unknown' },
          { ...second, status: 'unknown' },
        ],
        free: [slot('11:00', '12:00')],
      },
    ],
  });
  const asked = { ...hours, end: '2027-07-01T10:00', attendees: ['ben@sandbox.test'], treatTentativeAsBusy: false };
  expect(await checkAvailability.run(checkAvailability.input.parse(asked), context)).toEqual({
    available: false,
    conflicts: [{ person: 'ben@sandbox.test', ...first, status: 'unknown' }],
    unknown: [],
    nextFree: slot('11:00', '12:00'),
  });
});
