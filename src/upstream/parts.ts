import { randomUUID } from 'node:crypto';
import type { Limit } from '#kit';
import { freshMs, grouped, type Store } from '#store';

/** The parts of limits that this process holds: calls within them cost no query. */
export type Parts = {
  /** Lets up to `wanted` calls through that every one of the limits has room for here; answers how many. */
  take(limits: readonly Limit[], reserve: number, wanted: number, now: number): number;
  /** Gives back calls that were let through at that moment and not made. */
  giveBack(limits: readonly Limit[], count: number, at: number): void;
  /** How long until a part that is used up has room again. */
  waitMs(limits: readonly Limit[]): number;
  /** Calls were let through by the common count: who does so often gets a part. */
  note(limits: readonly Limit[]): void;
};

type Part = Limit & {
  size: number;
  /** Until when the right to it counts. */
  until: number;
  /** When it was last heard that the service wants a pause: what was asked for before is no right any more. */
  endedAt: number;
  /** When calls were let through within it, oldest first. Remembered after the right has ended, too. */
  sent: number[];
  /** When calls were let through by the common count. */
  common: number[];
  asked: boolean;
};

// The service counts arrivals, we count departures: what left within a window may arrive within a slightly shorter one.
export const jitter = 1.015;

const lifeMs = 10_000;
// Nobody waits for a part, so many are asked for together, and not before it is time.
const renewMs = 3_000;
const sharing = { apartMs: 50 };
const oftenMs = 5_000;
const often = 3;
// A part stays held for a window after its use: too long where windows are long, not worth it where limits are low.
const longestWindowMs = 30_000;
const lowestLimit = 40;
const most = 20_000;

const hold = { name: 'pace_hold', text: 'select * from pace_hold($1, $2, $3, $4, $5)' };

export const createParts = ({ store }: { store: Store }): Parts => {
  const holder = randomUUID();
  const parts = new Map<string, Part>();

  const isHeld = ({ limit, windowMs }: Limit): boolean => windowMs <= longestWindowMs && limit >= lowestLimit;

  const end = (part: Part): void => {
    part.until = 0;
    part.endedAt = performance.now();
  };

  // A pause that the service asked of another process, and all that was missed.
  store.pulse.listen((name) => {
    if (name === undefined) for (const part of parts.values()) end(part);
    else if (name.startsWith('pace ')) {
      const part = parts.get(name.slice('pace '.length));
      if (part !== undefined) end(part);
    }
  });

  const askTogether = grouped(async (asked: Part[]) => {
    const began = performance.now();
    const rows = await store.planned<{ name: string; size: number }>(hold, [
      asked.map(({ bucket }) => bucket),
      asked.map(({ limit }) => limit),
      asked.map(({ windowMs }) => (windowMs * jitter) / 1000),
      holder,
      lifeMs / 1000,
    ]);
    const granted = new Map(rows.map(({ name, size }) => [name, size]));
    return asked.map(({ bucket }) => ({ size: granted.get(bucket), began }));
  }, sharing);

  const ask = (part: Part): void => {
    if (part.asked) return;
    part.asked = true;
    askTogether(part)
      .then(({ size, began }) => {
        if (size === undefined || began <= part.endedAt) return;
        part.size = size;
        part.until = began + lifeMs;
      })
      // Then the common count goes on.
      .catch(() => {})
      .finally(() => {
        part.asked = false;
      });
  };

  const forgetOld = (now: number): void => {
    for (const [bucket, part] of parts) {
      if (part.until + longestWindowMs < now && (part.common.at(-1) ?? 0) + longestWindowMs < now) parts.delete(bucket);
    }
  };

  const roomOf = (part: Part, reserve: number, now: number): number => {
    const gone = now - part.windowMs * jitter;
    while ((part.sent[0] ?? now) <= gone) part.sent.shift();
    if (part.until <= now) return 0;
    if (part.until - now < renewMs) ask(part);
    return Math.floor(part.size * (1 - reserve)) - part.sent.length;
  };

  return {
    take: (limits, reserve, wanted, now) => {
      // Whoever hears nothing cannot know of a pause.
      if (now - store.pulse.heardAt() > freshMs) return 0;
      let count = wanted;
      const held: Part[] = [];
      for (const { bucket } of limits) {
        const part = parts.get(bucket);
        count = part === undefined ? 0 : Math.min(count, roomOf(part, reserve, now));
        if (part === undefined || count <= 0) return 0;
        held.push(part);
      }
      for (const { sent } of held) for (let n = 0; n < count; n += 1) sent.push(now);
      return count;
    },

    giveBack: (limits, count, at) => {
      for (const { bucket } of limits) {
        const sent = parts.get(bucket)?.sent ?? [];
        const first = sent.indexOf(at);
        if (first >= 0) sent.splice(first, count);
      }
    },

    waitMs: (limits) => {
      const now = performance.now();
      return limits.reduce((wait, { bucket, windowMs }) => {
        const part = parts.get(bucket);
        const oldest = part === undefined || part.until <= now ? undefined : part.sent[0];
        return oldest === undefined ? Number.POSITIVE_INFINITY : Math.max(wait, oldest + windowMs * jitter - now);
      }, 0);
    },

    note: (limits) => {
      const now = performance.now();
      for (const limit of limits) {
        if (!isHeld(limit)) continue;
        let part = parts.get(limit.bucket);
        if (part === undefined) {
          if (parts.size >= most) forgetOld(now);
          part = { ...limit, size: 0, until: 0, endedAt: 0, sent: [], common: [], asked: false };
          parts.set(limit.bucket, part);
        }
        part.common.push(now);
        if (part.common.length > often) part.common.shift();
        const isOften = part.common.length === often && now - (part.common[0] ?? 0) < oftenMs;
        if (isOften && part.until <= now) ask(part);
      }
    },
  };
};
