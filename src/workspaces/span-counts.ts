import { sql } from 'kysely';
import type { Clock } from '#clock';
import { type Database, firstIdAt, type Store } from '#store';

/** How many there are, by outcome or status. */
export type Counts = Record<string, number>;

/** Counts events or runs of a workspace in spans that begin at `starts`, the last of which has not ended. */
export type CountSpans = (workspaceId: string, starts: readonly Date[]) => Promise<Counts[]>;

type Row = { place: number; what: string; n: number };
type Span = { from: number; to: number };
type Kind = {
  prefix: 'evt' | 'run';
  /** What may still become something else. */
  open: readonly string[];
  count: (db: Database, workspaceId: string, first: readonly string[], next: readonly string[]) => Promise<Row[]>;
};

export const outcomes = ['fired', 'filtered', 'skipped', 'failed'] as const;
export const statuses = ['queued', 'running', 'waiting_approval', 'succeeded', 'failed', 'cancelled'] as const;

const hourMs = 3_600_000;
/** Nothing is stored under a time that is longer ago, nor further ahead: as far apart as clocks are. */
const apartMs = 600_000;
/** Something may have been erased by then. */
const keptMs = 600_000;
const mostKept = 50_000;

// Ids begin with the time, so that one index tells when and how it ended. Each span is a piece of that index.
const spansOf = (first: readonly string[], next: readonly string[]) =>
  sql`unnest(${first}::text[], ${next}::text[]) with ordinality s (first, next, place)`;

const events: Kind = {
  prefix: 'evt',
  open: ['failed'],
  count: async (db, workspaceId, first, next) => {
    const { rows } = await sql<Row>`
      select s.place::integer, c.what, c.n from ${spansOf(first, next)}, lateral (
        select outcome as what, count(*)::integer as n
        from events where workspace_id = ${workspaceId} and id >= s.first and id < s.next group by 1
      ) c`.execute(db);
    return rows;
  },
};

const runs: Kind = {
  prefix: 'run',
  open: ['queued', 'running', 'waiting_approval'],
  count: async (db, workspaceId, first, next) => {
    const { rows } = await sql<Row>`
      select s.place::integer, w.what, c.n from ${spansOf(first, next)}, unnest(${statuses}::text[]) w (what), lateral (
        select count(*)::integer as n
        from runs where workspace_id = ${workspaceId} and status = w.what and id >= s.first and id < s.next
      ) c where c.n > 0`.execute(db);
    return rows;
  },
};

/** A span cut at full hours, which spans of all lengths and time zones have in common; what is to come is not cut. */
const cut = ({ from, to }: Span, now: number): Span[] => {
  const inner = Math.floor(from / hourMs) + 1;
  const cuts = Math.max(0, Math.ceil(Math.min(to, now) / hourMs) - inner);
  const marks = [from, ...Array.from({ length: cuts }, (_, n) => (inner + n) * hourMs), to];
  return marks.slice(0, -1).map((mark, at) => ({ from: mark, to: marks[at + 1] ?? to }));
};

const sumOf = (all: readonly Counts[]): Counts => {
  const sum: Counts = {};
  for (const counts of all) for (const [what, n] of Object.entries(counts)) sum[what] = (sum[what] ?? 0) + n;
  return sum;
};

/**
 * A page that is open counts again whenever something happens. What is over and done is counted once in a while: of a busy
 * workspace it is millions.
 */
const createCount = ({ store, clock }: { store: Store; clock: Clock }, { prefix, open, count }: Kind): CountSpans => {
  const kept = new Map<string, { counts: Counts; at: number }>();

  const read = async (workspaceId: string, spans: readonly Span[]): Promise<Counts[]> => {
    const id = (time: number) => firstIdAt(prefix, new Date(time));
    const [first, next] = [spans.map(({ from }) => id(from)), spans.map(({ to }) => id(to))];
    const rows = spans.length === 0 ? [] : await count(store.of(workspaceId), workspaceId, first, next);
    const found: Counts[] = spans.map(() => ({}));
    for (const { place, what, n } of rows) Object.assign(found[place - 1] ?? {}, { [what]: n });
    return found;
  };

  return async (workspaceId, starts) => {
    const now = clock.now().getTime();
    const nameOf = ({ from, to }: Span) => `${workspaceId} ${from} ${to}`;
    const wholes = starts.map((start, at) =>
      cut({ from: start.getTime(), to: starts[at + 1]?.getTime() ?? now + apartMs }, now),
    );
    const counted = new Map<string, Counts>();
    for (const span of wholes.flat()) {
      const found = kept.get(nameOf(span));
      if (found !== undefined && now - found.at < keptMs) counted.set(nameOf(span), found.counts);
    }
    const wanted = wholes.flat().filter((span) => !counted.has(nameOf(span)));
    if (kept.size + wanted.length > mostKept) kept.clear();
    for (const [at, counts] of (await read(workspaceId, wanted)).entries()) {
      const span = wanted[at] as Span;
      counted.set(nameOf(span), counts);
      const isDone = span.to < now - apartMs && !open.some((what) => what in counts);
      if (isDone) kept.set(nameOf(span), { counts, at: now });
    }
    return wholes.map((spans) => sumOf(spans.map((span) => counted.get(nameOf(span)) ?? {})));
  };
};

export const createSpanCounts = (options: { store: Store; clock: Clock }) => ({
  events: createCount(options, events),
  runs: createCount(options, runs),
});
