import { type RawBuilder, sql } from 'kysely';
import type { Intervals } from '#clock';
import { Fault, type Occurrence, type WatchContext } from '#kit';
import type { Log } from '#log';
import type { Database, Store } from '#store';
import type { Assess, Thorough } from './assess.ts';
import { type Arrival, draftOf, type EventDraft, failureOf } from './draft.ts';
import { isDue } from './due.ts';
import { createGrip } from './grip.ts';
import { failed, isOlder } from './judge.ts';
import { diedWords, leftUntil, mostLapses } from './lapses.ts';
import { ownObstacleMs } from './obstacle.ts';
import { occurrenceFrom } from './occurrence.ts';
import type { ListedTrigger, Rosters } from './rosters.ts';
import { hintKey, maxAttempts, type Settle } from './settle.ts';
import { dueAmong, type Suspects, takenOf } from './suspects.ts';
import type { ToldAlreadyOf } from './told-already.ts';
import type { Watchers } from './watch-context.ts';
import type { SeenWatch, WatchReader } from './watch-reader.ts';

/** Occurrences that are stored but need something read before they can be judged. */
export type Arrivals = {
  /** Deals with fresh ones at once, as far as there is room; the others wait for their time. */
  begin(watch: SeenWatch, ids: readonly string[]): void;
  /** Takes those whose time has come, of whichever process; answers how many there were. */
  takeDue(limit: number): Promise<number>;
  idle(): Promise<void>;
  close(): void;
};

type Row = {
  id: string;
  workspace_id: string;
  watch_id: string;
  key: string;
  occurrence: unknown;
  delivery: 'live' | 'catchup';
  received_at: Date;
  /** The how-manyth try this is. */
  attempts: number;
  /** How many were begun that never came to an end: their process died. */
  lapses: number;
};

const room = 16;

/** So many are stored by one statement, which others wait for, too. */
const mostTogether = 500;

/** Where triggers come and go all the time, nobody waits for the end of that. */
const mostJudged = 3;

/** Something is read for it, which takes its time: a trigger that is paused or changed meanwhile is seen so. */
export const asOfItsEnd = async <Judged>(
  arrival: Arrival,
  reader: Pick<WatchReader, 'byId'>,
  judge: (seen: Arrival) => Promise<Judged>,
): Promise<Judged> => {
  let seen = arrival;
  for (let times = 1; ; times += 1) {
    const judged = await judge(seen);
    const watch = await reader.byId(seen.watch.id);
    if (times === mostJudged || watch === undefined || watch.roster === seen.watch.roster) return judged;
    seen = { ...seen, watch };
  }
};

export const createArrivals = (options: {
  store: Store;
  intervals: Intervals;
  log: Log;
  reader: WatchReader;
  rosters: Rosters;
  watchers: Watchers;
  assess: Assess;
  settle: Settle;
  suspects: Suspects;
  toldAlready: ToldAlreadyOf;
}): Arrivals => {
  const { store, intervals, log, reader, rosters, watchers, assess, settle, suspects, toldAlready } = options;
  const underWay = new Set<Promise<unknown>>();
  const soon = sql`clock_timestamp() + ${intervals.leaseMs}::float * interval '1 ms'`;
  const grip = createGrip({
    intervals,
    log,
    renew: (ids) =>
      sql`update arrivals set next_try_at = greatest(next_try_at, ${soon}) where id in (
        select id from arrivals where id = any(${ids}::text[]) order by id for no key update)`.execute(store.system),
  });

  /** Counts the try, as one that lapses until it has ended, and keeps others away while it lasts. */
  const claim = async (which: RawBuilder<unknown>): Promise<Row[]> => {
    const { rows } = await sql<Row>`
      update arrivals set attempts = attempts + 1, lapses = lapses + 1, next_try_at = ${leftUntil(intervals.leaseMs)}
      where id in (${which})
      returning id, workspace_id, watch_id, key, occurrence, delivery, received_at,
        attempts - lapses + 1 as attempts, lapses - 1 as lapses`.execute(store.system);
    return rows;
  };

  // Of all workspaces: whoever's process died, or whose time to try again has come.
  const due = (limit: number, most: number) =>
    dueAmong(
      sql`arrivals r
        join watches w on w.workspace_id = r.workspace_id and w.id = r.watch_id
        join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
      where r.next_try_at < now() and (a.state = 'connected' or a.state = 'paused' and r.occurrence is not null)`,
      { columns: sql`r.id`, of: sql`r`, order: sql`r.next_try_at`, limit, suspects: most },
    );

  /** Takes some and keeps them from others until each has ended; of what is left when one fails, nothing is kept. */
  const take = async (
    claiming: () => Promise<Row[]>,
    work: (rows: Row[], end: (row: Row) => void) => Promise<unknown>,
  ): Promise<Row[]> => {
    const rows = await claiming();
    const held = new Set(rows);
    for (const { id } of held) grip.hold(id);
    const end = (row: Row): void => {
      if (!held.delete(row)) return;
      grip.letGo(row.id);
      suspects.letGo(row);
    };
    try {
      await work(rows, end);
    } finally {
      for (const row of rows) end(row);
    }
    return rows;
  };

  /** False when it is there no more. */
  const postpone = async (row: Row, ms: number): Promise<boolean> => {
    const { rows } = await sql`update arrivals set lapses = ${row.lapses},
        next_try_at = clock_timestamp() + make_interval(secs => ${ms / 1_000})
      where workspace_id = ${row.workspace_id} and id = ${row.id} returning 1`.execute(store.of(row.workspace_id));
    return rows.length > 0;
  };

  /** As if it had not been tried. */
  const giveBack = async (row: Row, leaveAloneMs = 0): Promise<void> => {
    const waitMs = Math.max(leaveAloneMs, intervals.retryMs);
    await sql`update arrivals set attempts = attempts - 1, lapses = ${row.lapses},
        next_try_at = clock_timestamp() + make_interval(secs => ${waitMs / 1_000})
      where workspace_id = ${row.workspace_id} and id = ${row.id}`.execute(store.of(row.workspace_id));
  };

  /** This process slept, and somebody else is done with it: what was said of it since would never be tried again. */
  const unsay = async (row: Row): Promise<void> => {
    await sql`delete from events where workspace_id = ${row.workspace_id} and upstream_id = ${row.key}
        and watch_id = ${row.watch_id} and key = ${hintKey(row.key)} and retry = 'retrying'
        and not exists (select from arrivals where workspace_id = ${row.workspace_id} and id = ${row.id})`.execute(
      store.of(row.workspace_id),
    );
  };

  /** A hint that cannot be read: each trigger that may be meant says so, until it can be read or the tries are over. */
  const failedHint = async (row: Row, arrival: Arrival, error: unknown): Promise<EventDraft[]> => {
    const occurrence = {
      key: hintKey(row.key),
      upstreamId: row.key,
      order: '',
      subject: null,
      at: row.received_at,
      body: null,
    };
    const { triggers } = await rosters.of(arrival.watch);
    return triggers.map((trigger) => ({
      ...draftOf(arrival, trigger, occurrence),
      summary: 'Could not be read yet',
      outcome: { outcome: 'failed', ...failureOf(error) },
    }));
  };

  const done = (row: Row) => ({
    workspaceId: row.workspace_id,
    arrivalId: row.id,
    hint: row.key,
    watchId: row.watch_id,
  });

  const judged = (
    { attempts }: Row,
    arrival: Arrival,
    {
      occurrence,
      asking,
      only,
    }: { occurrence: Occurrence; asking: WatchContext; only: (one: ListedTrigger) => boolean },
  ): Promise<Thorough> =>
    asOfItsEnd(arrival, reader, (seen) =>
      assess.thoroughly(seen, occurrence, asking, { only, evenIfUndecided: attempts >= maxAttempts }),
    );

  /** What is stored here stays stored if the rest fails: then that alone is judged once more. */
  const keep = async (row: Row, { drafts, obstacle }: Thorough, isAll: boolean): Promise<void> => {
    const parts = Math.max(1, Math.ceil(drafts.length / mostTogether));
    for (let part = 1; part <= parts; part += 1) {
      const some = drafts.slice((part - 1) * mostTogether, part * mostTogether);
      const isLast = isAll && part === parts && obstacle === undefined;
      if (some.length > 0 || isLast) await settle.together({ drafts: some, ...(isLast ? { done: done(row) } : {}) });
    }
    if (obstacle !== undefined) throw obstacle;
  };

  /** Where many wait, those that may fire go first: storing that all the others did not takes its time. */
  const settleAll = async (row: Row, arrival: Arrival, occurrence: Occurrence, asking: WatchContext): Promise<void> => {
    const likely = (await rosters.of(arrival.watch)).likely(occurrence.body);
    const isLikely = ({ id }: ListedTrigger) => likely?.has(id) === true;
    if (likely !== undefined) {
      await keep(row, await judged(row, arrival, { occurrence, asking, only: isLikely }), false);
    }
    const isLeft = (one: ListedTrigger) => !isLikely(one);
    await keep(row, await judged(row, arrival, { occurrence, asking, only: isLeft }), true);
  };

  const forget = (db: Database, { workspace_id: workspaceId, id }: Row) =>
    sql`delete from arrivals where workspace_id = ${workspaceId} and id = ${id}`.execute(db);

  /** Each trigger that may be meant says so. A person may replay it. */
  const abandon = async (row: Row, arrival: Arrival): Promise<void> => {
    const { workspace_id: workspaceId, watch_id: watchId } = row;
    log.error({ watchId, arrivalId: row.id, lapses: row.lapses }, 'an occurrence is left alone: its processes died');
    const died = new Fault('internal', diedWords);
    const known = row.occurrence === null ? undefined : occurrenceFrom(row.occurrence);
    const drafts =
      known === undefined
        ? await failedHint(row, arrival, died)
        : (await rosters.of(arrival.watch)).triggers
            .filter(({ since }) => !isOlder(known.at, since))
            .map((trigger) => failed(arrival, trigger, known, died));
    await store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        await settle.within(tx, [{ drafts }]);
        await sql`update events set retry = 'dead', next_try_at = null
        where workspace_id = ${workspaceId} and upstream_id = any(${drafts.map(({ upstreamId }) => upstreamId)}::text[])
          and watch_id = ${watchId} and key = any(${drafts.map(({ key }) => key)}::text[]) and retry = 'retrying'`.execute(
          tx,
        );
        await forget(tx, row);
      });
  };

  /** Services notify of some things more than once, and a look may have been first. */
  const isTold = async (row: Row, watch: SeenWatch): Promise<boolean> =>
    row.occurrence === null && (await toldAlready(watch, [row.key])).get(row.key)?.mayPass === false;

  const deal = async (row: Row, watch: SeenWatch, isPending = false): Promise<void> => {
    // What must be read waits until its account may be used again.
    if (row.occurrence === null && watch.account_state === 'paused') return giveBack(row);
    const { watching, context } = watchers.of(watch.integration);
    const arrival: Arrival = { watch, receivedAt: row.received_at, delivery: row.delivery, isPending };
    if (row.lapses >= mostLapses) return abandon(row, arrival);
    const { names } = await rosters.of(watch);
    try {
      if (await isTold(row, watch)) {
        await settle.together({ drafts: [], done: done(row) });
        return;
      }
      const asking = context(watch, names);
      const occurrence: Occurrence | undefined =
        row.occurrence === null ? await watching.read(watch.resource, row.key, asking) : occurrenceFrom(row.occurrence);
      if (occurrence === undefined) await settle.together({ drafts: [], done: done(row) });
      else await settleAll(row, arrival, occurrence, asking);
    } catch (error) {
      const leaveAloneMs = ownObstacleMs(error);
      if (leaveAloneMs !== undefined) return giveBack(row, leaveAloneMs);
      const { retryAfterMs, reason } = failureOf(error);
      log.info({ watchId: watch.id, reason, attempt: row.attempts }, 'an occurrence could not be read');
      if (row.occurrence === null) await settle.together({ drafts: await failedHint(row, arrival, error) });
      // Its events rest among the dead. What a notification named, the next look finds once more.
      if (row.attempts >= maxAttempts) {
        await forget(store.of(row.workspace_id), row);
        return;
      }
      const waitMs = Math.max(retryAfterMs, (intervals.retryMs / 5) * 2 ** (row.attempts - 1));
      if (!(await postpone(row, waitMs))) await unsay(row);
    }
  };

  const track = (work: Promise<unknown>): void => {
    const tracked: Promise<unknown> = work
      .catch((error: unknown) => log.warn({ err: error }, 'stored occurrences could not be dealt with now'))
      .finally(() => underWay.delete(tracked));
    underWay.add(tracked);
  };

  return {
    begin: (watch, ids) => {
      if (ids.length === 0 || underWay.size >= room) return;
      track(
        take(
          () => claim(sql`select unnest(${ids}::text[])`),
          async (rows, end) => {
            for (const row of rows) {
              await deal(row, watch);
              end(row);
            }
          },
        ),
      );
    },

    takeDue: async (limit) => {
      if (!(await isDue(store, 'arrivals'))) return 0;
      const taken = await take(
        () => suspects.claim((most) => claim(due(limit, most))),
        async (rows, end) => {
          const ids = [...new Set(rows.map(({ watch_id }) => watch_id))];
          const watches = new Map(await Promise.all(ids.map(async (id) => [id, await reader.byId(id)] as const)));
          await Promise.all(
            rows.map(async (row) => {
              const watch = watches.get(row.watch_id);
              // The look that found it has been over since.
              if (watch !== undefined) await deal(row, watch, row.delivery === 'catchup');
              end(row);
            }),
          );
        },
      );
      return takenOf(taken, limit);
    },

    idle: async () => {
      while (underWay.size > 0) await Promise.all(underWay);
    },

    close: () => grip.close(),
  };
};
