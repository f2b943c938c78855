import { expect, test } from 'vitest';
import { defaultIntervals, systemClock } from '#clock';
import { silentLog } from '#log';
import { createTending } from './tending.ts';

test('a service that is slow to answer for one thing keeps nobody from what is due elsewhere', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<number>();
  const taken = { looks: 0, arrivals: 0, retries: 0, resyncs: 0, removals: 0 };
  const slow = (what: keyof typeof taken) => () => {
    taken[what] += 1;
    return answered;
  };
  const none = async () => [];
  const tending = createTending({
    clock: systemClock(),
    intervals: { ...defaultIntervals, tickMs: 5 },
    log: silentLog,
    records: {
      claimChecks: none,
      claimLooks: async () => {
        taken.looks += 1;
        return [];
      },
      unneeded: async () => {
        taken.removals += 1;
        return [];
      },
    },
    arrivals: { takeDue: slow('arrivals') },
    retries: { takeDue: slow('retries') },
    lookAround: { resync: slow('resyncs') },
    works: true,
  } as unknown as Parameters<typeof createTending>[0]);

  await expect.poll(() => Math.min(...Object.values(taken)), { interval: 5 }).toBeGreaterThanOrEqual(8);
  // As many as wait for answers are enough.
  expect([taken.arrivals, taken.retries, taken.resyncs]).toEqual([8, 8, 8]);
  answer(0);
  await tending.stop();
});
