import { expect, test } from 'vitest';
import { type PassedPause, pauseAt } from './passed-pauses.ts';
import { createServiceTime } from './service-time.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);
const pause: PassedPause = { whose: 'trigger', from: at(100.4), until: at(200.6) };

const serviceTime = (ourSeconds: number) => {
  let now = ourSeconds;
  const time = createServiceTime({ now: () => at(now) } as never);
  return {
    /** Sent and answered by our clock, when the service's showed this. */
    hear: (sent: number, received: number, theirs: number) => {
      now = received;
      time.hear('board', at(sent), at(Math.floor(theirs)).toUTCString());
    },
    belongs: (seconds: number) => pauseAt([pause], at(seconds), time.skewOf('board')) !== undefined,
  };
};

test('what happened belongs to a pause by the time of the service; what may have happened before or after it does not', () => {
  const { hear, belongs } = serviceTime(0);
  // Nothing is known of its clock yet.
  expect([95, 103, 106, 194, 196, 206].map(belongs)).toEqual([false, false, true, true, false, false]);

  // It is half a minute ahead.
  hear(300, 300.2, 330.1);
  hear(301, 301.8, 331.9);
  expect([106, 130, 132, 200, 229, 231].map(belongs)).toEqual([false, false, true, true, true, false]);

  // Of two answers, the one that took no time tells more.
  hear(302, 310, 340);
  expect([132, 229, 231].map(belongs)).toEqual([true, true, false]);

  // One answer alone may be wrong: what is in doubt is not taken for part of it.
  hear(350, 350.2, 950.1);
  expect([132, 229, 231, 500, 750].map(belongs)).toEqual([false, false, false, false, false]);
  hear(351, 351.2, 381.4);
  expect([132, 229, 231].map(belongs)).toEqual([true, true, false]);

  // It was set anew.
  hear(400, 400.1, 390.1);
  hear(400, 400.1, 390.1);
  expect([80, 92, 130, 188, 191, 200].map(belongs)).toEqual([false, true, true, true, false, false]);

  hear(401, 401.1, Number.NaN);
  expect(belongs(130)).toBe(true);
});

test('the processes that begin and end a pause may differ a little: what is as near to its edges is not taken for part of it', () => {
  const passed: PassedPause[] = [{ whose: 'trigger', from: at(100), until: at(200) }];
  const belongs = (seconds: number) => pauseAt(passed, at(seconds), { least: 0, most: 0 }) !== undefined;

  expect([100.05, 100.2, 198.9, 199.5].map(belongs)).toEqual([false, true, true, false]);
});
