import { sql } from 'kysely';

// In units of the first wait, as Standard Webhooks recommends: 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h, 24 h.
const waits = [1, 60, 360, 1_440, 3_600, 7_200, 10_080, 14_400, 17_280];
const longest = 17_280;
/** 5 days: longer than the tries of one message take together. */
const enough = 86_400;

/** How long until the next try, a little apart from others that failed at the same moment; nothing after the last try. */
export const waitAfter = (attempts: number, unitMs: number, askedMs = 0): number | undefined => {
  const wait = waits[attempts - 1];
  if (wait === undefined) return undefined;
  const asked = Math.min(askedMs, longest * unitMs);
  return Math.round(Math.max(wait * unitMs * (1 + Math.random() / 10), asked));
};

/** How long a webhook may fail without a single success before it is paused. */
export const patienceMs = (unitMs: number): number => enough * unitMs;

export const interval = (ms: number) => sql`make_interval(secs => ${ms / 1_000})`;
