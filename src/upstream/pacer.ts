import { sql } from 'kysely';
import type { Clock } from '#clock';
import { Fault, type Limit, type Pace, type Places } from '#kit';
import { grouped, type Statement, type Store } from '#store';
import { createParts, jitter } from './parts.ts';
import { createSlots } from './slots.ts';
import type { StopSignal } from './stop.ts';

export type Admission = {
  /** How many more calls the tightest limit would let through now. */
  remaining: number | undefined;
  /** The call is over. */
  release(): void;
};

export type Turn = {
  /** Live work goes first: the background leaves a fifth of each limit to it. */
  priority: 'live' | 'background';
  /** Longest wait; beyond it the caller is told when to come back. 0: do not queue on the caller's behalf. */
  maxWaitMs: number;
  /** Whose turn it is; turns go round between owners. */
  owner: string;
  signal?: StopSignal | undefined;
};

/** Lets calls through no faster than a service allows, over all processes. */
export type Pacer = {
  admit(pace: Pace, turn: Turn): Promise<Admission>;
  /** The service itself asked for a pause. */
  block(limits: readonly Limit[], ms: number): Promise<void>;
};

/** Let through, told when to come back, or the count itself could not be asked. */
type Outcome = { remaining: number } | { waitMs: number } | { failure: unknown };

type Waiter = { owner: string; until: number; settle: (outcome: Outcome) => void };

const backgroundReserve = 0.2;
const mostAtOnce = 50;

/** There is some room, but not for all: when there is more is not known. */
const roomMs = 1_000;

const countsMore = ({ calls = 1 }: Limit): boolean => calls > 1;

const nothing = (): void => {};

const reserveOf = (priority: Turn['priority']): number => (priority === 'background' ? backgroundReserve : 0);

const six = '($1, $2, $3, $4, $5, $6)';
const take = { name: 'pace_take', text: `select * from pace_take${six}` };
const takeAll = { name: 'pace_take_all', text: `select * from pace_take_all${six}` };
type Asked = { limits: readonly Limit[]; reserve: number; wanted: number };

type Serve = (wanted: number) => Promise<{ granted: number; waitMs: number; remaining: number }>;

/** Calls that share the same limits wait in one line, which goes round between owners. */
class Line {
  #waiters = new Map<string, Waiter[]>();
  #serving = false;
  readonly #serve: Serve;
  readonly #clock: Clock;

  readonly #ended: () => void;

  constructor(clock: Clock, serve: Serve, ended: () => void) {
    this.#clock = clock;
    this.#serve = serve;
    this.#ended = ended;
  }

  get empty(): boolean {
    return this.#waiters.size === 0;
  }

  join(waiter: Waiter): void {
    const own = this.#waiters.get(waiter.owner);
    if (own === undefined) this.#waiters.set(waiter.owner, [waiter]);
    else own.push(waiter);
    if (!this.#serving) void this.#run();
  }

  /** The next to be served: one of each owner in turn. */
  #next(): Waiter | undefined {
    const [first] = this.#waiters;
    if (first === undefined) return undefined;
    const [owner, own] = first;
    const waiter = own.shift();
    this.#waiters.delete(owner);
    if (own.length > 0) this.#waiters.set(owner, own);
    return waiter;
  }

  #dismiss(waitMs: number): void {
    const now = performance.now();
    for (const [owner, own] of [...this.#waiters]) {
      const staying = own.filter((waiter) => waiter.until >= now + waitMs);
      for (const waiter of own) if (!staying.includes(waiter)) waiter.settle({ waitMs });
      if (staying.length === 0) this.#waiters.delete(owner);
      else this.#waiters.set(owner, staying);
    }
  }

  #fail(failure: unknown): void {
    const waiters = [...this.#waiters.values()].flat();
    this.#waiters.clear();
    for (const waiter of waiters) waiter.settle({ failure });
  }

  async #run(): Promise<void> {
    this.#serving = true;
    // What asks within one turn of the event loop is served together.
    await Promise.resolve();
    while (!this.empty) {
      const wanted = Math.min(
        mostAtOnce,
        [...this.#waiters.values()].reduce((sum, own) => sum + own.length, 0),
      );
      try {
        const { granted, waitMs, remaining } = await this.#serve(wanted);
        for (let n = 0; n < granted; n++) this.#next()?.settle({ remaining: remaining + granted - n - 1 });
        if (granted >= wanted || this.empty) continue;
        const pause = Math.max(5, waitMs);
        this.#dismiss(pause);
        if (!this.empty) await this.#clock.sleep(Math.min(pause, 1_000));
      } catch (error) {
        this.#fail(error);
      }
    }
    this.#serving = false;
    this.#ended();
  }
}

export const createPacer = ({ store, clock }: { store: Store; clock: Clock }): Pacer => {
  /** Where somebody waits. */
  const lines = new Map<string, Line>();
  const slots = createSlots({ store, clock });
  const parts = createParts({ store });

  const takeBy = <Row>(statement: Statement, asked: readonly Asked[]): Promise<Row[]> => {
    const needed = asked.flatMap(({ limits, reserve, wanted }, wish) =>
      limits.map(({ calls = 1, ...limit }) => ({ wish, ...limit, reserve, wanted: wanted * calls })),
    );
    return store.planned<Row>(statement, [
      needed.map(({ wish }) => wish),
      needed.map(({ bucket }) => bucket),
      needed.map(({ limit }) => limit),
      needed.map(({ windowMs }) => (windowMs * jitter) / 1000),
      needed.map(({ reserve }) => reserve),
      needed.map(({ wanted }) => wanted),
    ]);
  };

  // Lines that ask at the same moment share a query, and a second one for those who do not get all they want.
  const takeTogether = grouped(async (asked: Asked[]) => {
    const met = await takeBy<{ wish: number; remaining: number }>(takeAll, asked);
    const granted = new Map(
      met.map(({ wish, remaining }) => [wish, { granted: asked[wish]?.wanted ?? 0, waitMs: 0, remaining }]),
    );
    const short = asked.map((each, wish) => ({ ...each, wish })).filter(({ wish }) => !granted.has(wish));
    if (short.length > 0) {
      type Taken = { wish: number; granted: number; wait_ms: number; remaining: number };
      for (const row of await takeBy<Taken>(take, short)) {
        const wish = short[row.wish]?.wish ?? -1;
        granted.set(wish, { granted: row.granted, waitMs: row.wait_ms, remaining: row.remaining });
      }
    }
    return asked.map((_, wish) => granted.get(wish) ?? { granted: 0, waitMs: 1_000, remaining: 0 });
  });

  /** Those that count as several: each gets all it needs or nothing, by the common count. */
  const serveWhole = async (limits: readonly Limit[], reserve: number, wanted: number): ReturnType<Serve> => {
    let remaining = 0;
    for (let granted = 0; granted < wanted; granted += 1) {
      const takeWhole = async () => (await takeBy<{ remaining: number }>(takeAll, [{ limits, reserve, wanted: 1 }]))[0];
      let taken = await takeWhole();
      if (taken === undefined) {
        // Nobody may have been counted there yet: this begins it.
        const [room] = await takeBy<{ wait_ms: number }>(take, [{ limits, reserve, wanted: 0 }]);
        taken = await takeWhole();
        if (taken === undefined) return { granted, waitMs: Math.max(roomMs, room?.wait_ms ?? 0), remaining: 0 };
      }
      remaining = taken.remaining;
    }
    return { granted: wanted, waitMs: 0, remaining };
  };

  /** From the parts that are held here as far as they reach, the rest by the common count. */
  const serve = async (limits: readonly Limit[], reserve: number, wanted: number): ReturnType<Serve> => {
    if (limits.some(countsMore)) return serveWhole(limits, reserve, wanted);
    const now = performance.now();
    const own = parts.take(limits, reserve, wanted, now);
    const rest = wanted - own;
    if (rest === 0) return { granted: own, waitMs: 0, remaining: 0 };
    const held = limits.filter((limit) => {
      const taken = parts.take([limit], reserve, rest, now);
      if (taken < rest) parts.giveBack([limit], taken, now);
      return taken === rest;
    });
    const asked = limits.filter((limit) => !held.includes(limit));
    const { granted, waitMs, remaining } = await takeTogether({ limits: asked, reserve, wanted: rest });
    if (granted < rest) parts.giveBack(held, rest - granted, now);
    if (granted > 0) parts.note(asked);
    return { granted: own + granted, waitMs: Math.min(waitMs, parts.waitMs(asked)), remaining };
  };

  const nameOf = (limits: readonly Limit[], priority: Turn['priority']): string =>
    `${priority} ${limits.map(({ bucket, calls = 1 }) => `${bucket} ${calls}`).join(' ')}`;

  const lineFor = (limits: readonly Limit[], priority: Turn['priority']): Line => {
    const name = nameOf(limits, priority);
    const known = lines.get(name);
    if (known !== undefined) return known;
    const reserve = reserveOf(priority);
    const line = new Line(
      clock,
      (wanted) => serve(limits, reserve, wanted),
      () => lines.delete(name),
    );
    lines.set(name, line);
    return line;
  };

  const tooFast = (retryAfterMs: number) =>
    new Fault(
      'rate_limited',
      'The budget of calls to this service is spent; wait before the next one. Nothing was sent.',
      {
        retryAfterMs: Math.ceil(retryAfterMs),
        details: { own: true },
      },
    );

  /** Within the parts that are held here, unless somebody would be overtaken. */
  const passAtOnce = (limits: readonly Limit[], { priority }: Turn): boolean => {
    if (limits.length === 0) return true;
    const isFirst = lines.size === 0 || lines.get(nameOf(limits, priority))?.empty !== false;
    return isFirst && !limits.some(countsMore) && parts.take(limits, reserveOf(priority), 1, performance.now()) === 1;
  };

  const waitInLine = async (limits: readonly Limit[], { priority, maxWaitMs, owner }: Turn): Promise<number> => {
    const line = lineFor(limits, priority);
    const outcome = await new Promise<Outcome>((settle) => {
      line.join({ owner, until: performance.now() + maxWaitMs, settle });
    });
    if ('failure' in outcome) throw outcome.failure;
    if ('waitMs' in outcome) throw tooFast(outcome.waitMs);
    return outcome.remaining;
  };

  const takePlaces = async (atOnce: readonly Places[], turn: Turn): Promise<() => void> => {
    const until = performance.now() + turn.maxWaitMs;
    const left: (() => void)[] = [];
    const release = () => {
      for (const leave of left.splice(0)) leave();
    };
    try {
      // In one order for all, so that no two wait for each other.
      for (const where of [...atOnce].sort((one, other) => (one.bucket < other.bucket ? -1 : 1)))
        left.push(await slots.take(where, { ...turn, maxWaitMs: Math.max(0, until - performance.now()) }));
      return release;
    } catch (error) {
      release();
      throw error;
    }
  };

  return {
    admit: async ({ limits, atOnce }, turn) => {
      const release = atOnce === undefined ? nothing : await takePlaces(atOnce, turn);
      try {
        const remaining = passAtOnce(limits, turn) ? undefined : await waitInLine(limits, turn);
        if (turn.signal?.aborted) throw new Fault('upstream_unavailable', 'The call was stopped before it was sent.');
        return { remaining, release };
      } catch (error) {
        release();
        throw error;
      }
    },

    block: async (limits, ms) => {
      for (const { bucket } of limits) {
        await sql`with blocked as (
            insert into paces (bucket, blocked_until)
            values (${bucket}, clock_timestamp() + make_interval(secs => ${ms / 1000}))
            on conflict (bucket) do update set blocked_until = greatest(paces.blocked_until, excluded.blocked_until)
          )
          insert into changes (what) values (${`pace ${bucket}`})`.execute(store.system);
        store.pulse.tell(`pace ${bucket}`);
      }
    },
  };
};
