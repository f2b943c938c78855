import { expect, test } from 'vitest';
import type { StepContext } from '#kit';
import { schedulesOf } from './schedules.ts';
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
