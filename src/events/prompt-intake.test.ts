import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { answeredInTime } from './prompt-intake.ts';

// Every wait is over at once.
const impatient = { ...systemClock(), after: (_: number, act: () => void) => systemClock().after(0, act) };
const notification = { method: 'POST' as const, headers: {}, query: new URLSearchParams(), bytes: new Uint8Array() };

test('a notification that cannot be stored in time is not taken: the service is told to come again', async () => {
  const intake = answeredInTime(() => new Promise<never>(() => {}), impatient);
  await expect(intake('board', 'x', notification)).rejects.toMatchObject({ code: 'unavailable', retryAfterMs: 1_000 });
});

test('one that is stored in time is answered as it was', async () => {
  const intake = answeredInTime(async () => ({ status: 410 }), impatient);
  expect(await intake('board', 'x', notification)).toEqual({ status: 410 });
});
