import { expect, test } from 'vitest';
import { systemClock } from '#clock';
import { silentLog } from '#log';
import { createAssess } from './assess.ts';

const busy = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

const at = new Date();

/** Triggers that take their time to tell that something is nothing to them, and how often others went on meanwhile. */
const slow = (count: number) => {
  const seen: number[] = [];
  let turns = 0;
  const other = setInterval(() => {
    turns += 1;
  }, 1);
  const safeParse = () => {
    seen.push(turns);
    busy(26);
    return { success: false };
  };
  const triggers = Array.from({ length: count }, () => ({
    since: new Date(0),
    definition: { kind: 'webhook', delivery: { safeParse } },
  }));
  const assess = createAssess({
    rosters: { of: async () => ({ triggers, names: new Set<string>() }) as never },
    own: {
      decide: async () => false,
      question: () => undefined,
      wasOurs: async () => false,
      isByColleague: async () => false,
    },
    serviceTime: { hear: () => {}, skewOf: () => ({ least: 0, most: 0 }) },
    clock: systemClock(),
    log: silentLog,
    unlessGivenUp: async (_, occurrences) => [...occurrences],
  });
  return { assess, seen, [Symbol.dispose]: () => clearInterval(other) };
};

const arrival = { watch: {} as never, receivedAt: at, delivery: 'live' as const };
const occurrence = { key: 'k', order: 'k', subject: null, at, body: {} };

test('while one occurrence is judged for many triggers, others go on in between', async () => {
  using long = slow(5);
  using whole = slow(5);
  await long.assess.quickly(arrival, [occurrence]);
  await whole.assess.thoroughly(arrival, occurrence, {} as never);
  for (const { seen } of [long, whole]) expect(seen.at(-1)).toBeGreaterThan(seen[0] ?? 0);
});
