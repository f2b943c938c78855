import { sql } from 'kysely';
import type { Intervals } from '#clock';
import type { Log } from '#log';
import type { Delivery, Store } from '#store';
import type { Assess } from './assess.ts';
import { asReplay, type EventDraft } from './draft.ts';
import { isDue } from './due.ts';
import { createGrip } from './grip.ts';
import { failed } from './judge.ts';
import { diedWords, leftUntil, mostLapses } from './lapses.ts';
import { ownObstacleMs } from './obstacle.ts';
import { occurrenceFrom } from './occurrence.ts';
import type { Rosters } from './rosters.ts';
import { maxAttempts, type Settle } from './settle.ts';
import { dueAmong, type Suspects, takenOf } from './suspects.ts';
import type { Watchers } from './watch-context.ts';
import type { WatchReader } from './watch-reader.ts';

type Row = {
  workspace_id: string;
  id: string;
  trigger_id: string;
  watch_id: string;
  key: string;
  delivery: Exclude<Delivery, 'test'>;
  received_at: Date;
  occurrence: unknown;
  /** How many tries in a row were begun that never came to an end: their process died. */
  lapses: number;
};

/** Judges again what could not be judged, each on its own, so that it delays nobody. */
export type Retries = {
  takeDue(limit: number): Promise<number>;
  /** Gives up what nobody tries any more. */
  buryHints(): Promise<void>;
  close(): void;
};

export const createRetries = (options: {
  store: Store;
  intervals: Intervals;
  log: Log;
  reader: WatchReader;
  rosters: Rosters;
  watchers: Watchers;
  assess: Assess;
  settle: Settle;
  suspects: Suspects;
}): Retries => {
  const { store, intervals, log, reader, rosters, watchers, assess, settle, suspects } = options;
  const soon = sql`clock_timestamp() + ${intervals.leaseMs}::float * interval '1 ms'`;
  const grip = createGrip({
    intervals,
    log,
    renew: (ids) =>
      sql`update events set next_try_at = greatest(next_try_at, ${soon}) where (workspace_id, id) in (
        select workspace_id, id from events where retry = 'retrying' and id = any(${ids}::text[])
        order by id for no key update)`.execute(store.system),
  });

  /** There is nothing to judge it by: its trigger looks elsewhere now, or for something else, or its settings do not fit. */
  const leave = async ({ workspace_id: workspaceId, id }: Row, isOther = false): Promise<void> => {
    await sql`update events e set lapses = 0,
        outcome = case when looks then 'failed' else 'skipped' end,
        reason = case when looks then 'The settings of the trigger do not fit any more.'
          else 'the trigger was changed before this could be judged' end,
        retry = case when not looks then null when attempts + 1 >= ${maxAttempts}::integer then 'dead' else 'retrying' end,
        attempts = attempts + 1,
        next_try_at = case when looks and attempts + 1 < ${maxAttempts}::integer then next_try_at end
      from (
        select not ${isOther}::boolean and exists (select from trigger_watches l where l.workspace_id = f.workspace_id
          and l.trigger_id = f.trigger_id and l.watch_id = f.watch_id) as looks
        from events f where f.workspace_id = ${workspaceId} and f.id = ${id}
      ) t
      where e.workspace_id = ${workspaceId} and e.id = ${id} and e.retry = 'retrying'`.execute(store.of(workspaceId));
  };

  /** As if it had not been tried. */
  const postpone = async ({ workspace_id: workspaceId, id }: Row, leaveAloneMs: number): Promise<void> => {
    const waitMs = Math.max(leaveAloneMs, intervals.retryMs);
    await sql`update events set lapses = 0, next_try_at = clock_timestamp() + ${waitMs}::float * interval '1 ms'
      where workspace_id = ${workspaceId} and id = ${id} and retry = 'retrying'`.execute(store.of(workspaceId));
  };

  /** A person may replay it. */
  const abandon = async ({ workspace_id: workspaceId, id, lapses }: Row): Promise<void> => {
    log.error({ eventId: id, lapses }, 'an event is judged no more: its processes died');
    await sql`update events set retry = 'dead', next_try_at = null, reason = ${diedWords}
      where workspace_id = ${workspaceId} and id = ${id} and retry = 'retrying'`.execute(store.of(workspaceId));
  };

  /** What failed came to an end, too. */
  const forgive = async ({ workspace_id: workspaceId, id }: Row): Promise<void> => {
    await sql`update events set lapses = 0 where workspace_id = ${workspaceId} and id = ${id}
      and retry = 'retrying'`.execute(store.of(workspaceId));
  };

  const judgeAgain = async (row: Row): Promise<void> => {
    if (row.lapses >= mostLapses) return abandon(row);
    const watch = await reader.byId(row.watch_id);
    if (watch === undefined) return leave(row);
    const { names, triggers } = await rosters.of(watch);
    const isReplay = row.delivery === 'replay';
    const delivery = row.delivery === 'replay' ? 'live' : row.delivery;
    const arrival = { watch, receivedAt: row.received_at, delivery, isPending: true, isReplay };
    const occurrence = occurrenceFrom(row.occurrence);
    const trigger = triggers.find(({ id }) => id === row.trigger_id);
    if (trigger === undefined) return leave(row);
    // What replays an event has a key of its own; by that of the occurrence it is the other one that would be judged.
    const settleThem = (drafts: readonly EventDraft[]) =>
      settle.together({ drafts: isReplay ? drafts.map((draft) => asReplay(draft, row.key)) : drafts });
    try {
      const { context } = watchers.of(watch.integration);
      const only = ({ id }: { id: string }) => id === row.trigger_id;
      const { drafts, obstacle } = await assess.thoroughly(arrival, occurrence, context(watch, names), { only });
      if (obstacle !== undefined) throw obstacle;
      if (drafts.length === 0) await leave(row, true);
      else await settleThem(drafts);
      await forgive(row);
    } catch (error) {
      const leaveAloneMs = ownObstacleMs(error);
      if (leaveAloneMs !== undefined) return postpone(row, leaveAloneMs);
      await settleThem([failed(arrival, trigger, occurrence, error)]);
      await forgive(row);
    }
  };

  /** What failed by a hint is tried with what was to be read; where nobody has that any more, nobody tries it again. */
  const buryHints = async (): Promise<void> => {
    await sql`update events e set retry = 'dead', next_try_at = null
      where e.retry = 'retrying' and e.occurrence is null and e.next_try_at < now()
        and e.key = 'hint ' || e.upstream_id and not exists (select from arrivals a where a.workspace_id = e.workspace_id
          and a.watch_id = e.watch_id and a.key = e.upstream_id)`.execute(store.system);
  };

  return {
    buryHints,

    takeDue: async (limit) => {
      if (!(await isDue(store, 'retries'))) return 0;
      // Of all workspaces: whatever is to be tried again now. The moment is moved on, so that others leave it alone. What
      // happened to an account that must be connected again waits for that, and uses up no try.
      const rows = await suspects.claim(
        async (most) =>
          (
            await sql<Row>`
        update events set lapses = lapses + 1, next_try_at = ${leftUntil(intervals.leaseMs)}
        where (workspace_id, id) in (
          ${dueAmong(
            sql`events e
              left join watches w on w.workspace_id = e.workspace_id and w.id = e.watch_id
              left join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
            where e.retry = 'retrying' and e.next_try_at < now() and e.occurrence is not null and e.watch_id is not null
              and a.state is distinct from 'needs_reconnect'`,
            { columns: sql`e.workspace_id, e.id`, of: sql`e`, order: sql`e.next_try_at`, limit, suspects: most },
          )}
        )
        returning workspace_id, id, trigger_id, watch_id, key, delivery, received_at, occurrence, lapses - 1 as lapses`.execute(
              store.system,
            )
          ).rows,
      );
      for (const { id } of rows) grip.hold(id);
      await Promise.all(
        rows.map((row) =>
          judgeAgain(row)
            .catch((error: unknown) =>
              log.warn({ err: error, eventId: row.id }, 'an event could not be judged again now'),
            )
            .finally(() => {
              grip.letGo(row.id);
              suspects.letGo(row);
            }),
        ),
      );
      return takenOf(rows, limit);
    },
    close: () => grip.close(),
  };
};
