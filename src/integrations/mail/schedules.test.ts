import { expect, test } from 'vitest';
import type { StepContext } from '#kit';
import { schedulesOf } from './schedules.ts';
import { checkAvailability } from './steps/check-availability.ts';
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
