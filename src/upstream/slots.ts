import { randomBytes } from 'node:crypto';
import type { Clock } from '#clock';
import { Fault, type Places } from '#kit';
import type { Store } from '#store';
import type { StopSignal } from './stop.ts';

export type Slots = {
  /** Waits for a place (or several, for a request that counts as several) and answers the way to leave it. */
  take(where: Places, turn: { maxWaitMs: number; signal?: StopSignal | undefined }): Promise<() => void>;
};

// Held by signs of life: the places of a process that died come free by themselves, sooner than a call gives up waiting.
const heldSeconds = 10;
const signOfLifeMs = 3_000;
const firstPauseMs = 4;
const longestPauseMs = 30;

const claim = { name: 'slots_take', text: 'select slots_take($1, $2, $3, $4, $5, $6) as taken' };
const leave = {
  name: 'slots_leave',
  text: 'update call_slots set until = clock_timestamp() where bucket = $1 and slot = any($2) and holder = $3',
};

const stay = {
  name: 'slots_stay',
  text: `update call_slots set until = clock_timestamp() + make_interval(secs => $4)
    from unnest($1::text[], $2::integer[]) held (name, number) where bucket = name and slot = number
      and holder = $3 and until > clock_timestamp()`,
};

type Waiter = {
  places: number;
  until: number;
  signal: StopSignal | undefined;
  enter: (slots: number[]) => void;
  refuse: (error: unknown) => void;
};

const busy = () =>
  new Fault('rate_limited', 'Too many calls to this mailbox are under way; try again in a moment.', {
    retryAfterMs: 1_000,
    details: { own: true },
  });

/** This process's line for the places of one mailbox: only its head asks, and asks again as soon as a place was left here. */
class Line {
  readonly waiters: Waiter[] = [];
  #serving = false;
  #wake: () => void = () => {};
  readonly #clock: Clock;
  readonly #claim: (least: number, most: number) => Promise<number[]>;

  constructor(clock: Clock, claim: (least: number, most: number) => Promise<number[]>) {
    this.#clock = clock;
    this.#claim = claim;
  }

  join(waiter: Waiter): void {
    this.waiters.push(waiter);
    if (!this.#serving) void this.#serve();
  }

  placeLeft(): void {
    this.#wake();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#clock.after(ms, resolve);
      this.#wake = () => {
        callOff();
        resolve();
      };
    });
  }

  /** Those who cannot wait until the next look go. */
  #dismiss(nextLook: number): void {
    for (const waiter of this.waiters.filter(({ until, signal }) => until < nextLook || signal?.aborted === true)) {
      this.waiters.splice(this.waiters.indexOf(waiter), 1);
      waiter.refuse(busy());
    }
  }

  /** How many may go in together: the head alone if it needs several places, else all before the next that does. */
  #group(): { least: number; most: number } {
    const least = this.waiters[0]?.places ?? 1;
    const ahead = this.waiters.findIndex(({ places }) => places > 1);
    return { least, most: least > 1 ? least : ahead < 0 ? this.waiters.length : ahead };
  }

  async #serve(): Promise<void> {
    this.#serving = true;
    let pause = firstPauseMs;
    while (this.waiters.length > 0) {
      const { least, most } = this.#group();
      try {
        const taken = await this.#claim(least, most);
        if (taken.length > 0) {
          for (let n = 0; n < taken.length; n += least) this.waiters.shift()?.enter(taken.slice(n, n + least));
          pause = firstPauseMs;
          continue;
        }
      } catch (error) {
        for (const waiter of this.waiters.splice(0)) waiter.refuse(error);
        break;
      }
      this.#dismiss(performance.now() + pause);
      if (this.waiters.length > 0) await this.#pause(pause * (0.5 + Math.random() / 2));
      pause = Math.min(pause * 1.5, longestPauseMs);
    }
    this.#serving = false;
  }
}

/** How many calls are under way at once, over all processes: numbered places, held for the length of a call. */
export const createSlots = ({ store, clock }: { store: Store; clock: Clock }): Slots => {
  const holder = randomBytes(8).toString('hex');
  const lines = new Map<string, Line>();
  const held = new Set<{ bucket: string; slots: number[] }>();

  setInterval(() => {
    const places = [...held].flatMap(({ bucket, slots }) => slots.map((slot) => ({ bucket, slot })));
    if (places.length === 0) return;
    const values = [places.map(({ bucket }) => bucket), places.map(({ slot }) => slot), holder, heldSeconds];
    // Without the database the calls themselves are ended soon.
    store.planned(stay, values).catch(() => {});
  }, signOfLifeMs).unref();

  const lineFor = ({ bucket, limit }: Places): Line => {
    const known = lines.get(bucket);
    if (known !== undefined) return known;
    if (lines.size > 5_000) for (const [name, { waiters }] of lines) if (waiters.length === 0) lines.delete(name);
    const line = new Line(clock, async (least, most) => {
      const values = [bucket, limit, least, Math.min(most, limit), holder, heldSeconds];
      const [row] = await store.planned<{ taken: number[] }>(claim, values);
      return row?.taken ?? [];
    });
    lines.set(bucket, line);
    return line;
  };

  return {
    take: (where, { maxWaitMs, signal }) =>
      new Promise((resolve, reject) => {
        const line = lineFor(where);
        const enter = (slots: number[]) => {
          const place = { bucket: where.bucket, slots };
          held.add(place);
          resolve(() => {
            held.delete(place);
            store
              .planned(leave, [where.bucket, slots, holder])
              // Where it fails it comes free by itself.
              .catch(() => {})
              .finally(() => line.placeLeft());
          });
        };
        const places = Math.min(where.places ?? 1, where.limit);
        line.join({ places, until: performance.now() + maxWaitMs, signal, enter, refuse: reject });
      }),
  };
};
