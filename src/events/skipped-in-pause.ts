import { type Kysely, sql, type Transaction } from 'kysely';
import { replaysOfEvent, type Tables } from '#store';
import type { EventDraft } from './draft.ts';
import { pauses } from './pauses.ts';

const inPause = pauses.trigger;

/** Why something is skipped by a paused trigger. It names the pause: what belongs to which is told by that, not by clocks. */
export const pausedSince = (since: Date): string => `${inPause} (since ${since.toISOString()})`;

const sinceOf = sql`coalesce(t.paused_at, t.created_at)`;
const reasonNow = sql`${`${inPause} (since `} || to_char(date_trunc('milliseconds', ${sinceOf}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z)"')`;

/**
 * The events that a paused trigger `t` has skipped in this pause, and that can still be caught up. Of what was replayed
 * meanwhile, the replay. Before a release that named the pause, only the time told which one it was.
 */
const skippedInPause = sql`e.workspace_id = t.workspace_id and e.trigger_id = t.id and e.outcome = 'skipped'
  and (e.reason = ${reasonNow} or e.reason = ${inPause} and e.received_at >= ${sinceOf})
  and e.occurrence is not null and not exists (select from ${replaysOfEvent})`;

type Row = { workspace_id: string; id: string };

/** So many of a trigger's events are looked through by one statement: it may have very many, and each has its deadline. */
const atOnce = 5_000;

/** The next events of a trigger, and those `chosen` among them that it has skipped in this pause. */
export const lookThroughNext = ({ workspace_id: workspaceId, id }: Row, after: string, most: number) => sql`
  looked as materialized (
    select e.id from events e where e.workspace_id = ${workspaceId} and e.trigger_id = ${id} and e.id > ${after}
    order by e.id limit ${most}
  ), chosen as materialized (
    select e.id from events e join triggers t on t.workspace_id = ${workspaceId} and t.id = ${id}
    where ${skippedInPause} and e.workspace_id = ${workspaceId} and e.trigger_id = ${id}
      and e.id > ${after} and e.id <= (select max(id) from looked)
  )`;

/** How many can be caught up. */
export const countSkipped = async (db: Kysely<Tables>, trigger: Row, most: number = atOnce): Promise<number> => {
  let count = 0;
  for (let after: string | null = ''; after !== null; ) {
    const { rows } = await sql<{ last: string | null; count: number }>`with ${lookThroughNext(trigger, after, most)}
      select (select max(id) from looked) as last, (select count(*)::integer from chosen) as count`.execute(db);
    count += rows[0]?.count ?? 0;
    after = rows[0]?.last ?? null;
  }
  return count;
};

/** What was skipped is judged again. */
export const judgeAgain = async (tx: Kysely<Tables>, trigger: Row, most: number = atOnce): Promise<void> => {
  for (let after: string | null = ''; after !== null; ) {
    const { rows } = await sql<{ last: string | null }>`with ${lookThroughNext(trigger, after, most)}, changed as (
        update events e set outcome = 'failed', retry = 'retrying', attempts = 0, next_try_at = clock_timestamp()
        from chosen where e.workspace_id = ${trigger.workspace_id} and e.id = chosen.id
      ) select max(id) as last from looked`.execute(tx);
    after = rows[0]?.last ?? null;
  }
};

/** It was judged in a pause, which may be over by the time it is stored. */
export const isForPause = ({ outcome }: EventDraft): boolean =>
  outcome.outcome === 'skipped' && outcome.reason.startsWith(`${inPause} (since `);

/** A trigger may go on while something is judged for it: that is judged again, for nobody catches up with it any more. */
export const unlessGoneOn = async (
  tx: Transaction<Tables>,
  drafts: readonly EventDraft[],
): Promise<readonly EventDraft[]> => {
  const ids = [...new Set(drafts.filter(isForPause).map(({ trigger }) => trigger.id))];
  if (ids.length === 0) return drafts;
  // Whoever lets a trigger go on holds its row: it is not read in the middle of that.
  const { rows } = await sql<{ id: string; since: Date }>`
    select t.id, ${sinceOf} as since from triggers t where t.id = any(${ids}::text[]) and t.state = 'paused'
    order by t.id for key share`.execute(tx);
  const pauses = new Map(rows.map(({ id, since }) => [id, pausedSince(since)]));
  return drafts.map((draft) => {
    const { outcome, trigger } = draft;
    if (!isForPause(draft) || ('reason' in outcome && outcome.reason === pauses.get(trigger.id))) return draft;
    const reason = 'The trigger went on while this was judged.';
    return { ...draft, outcome: { outcome: 'failed', reason, retryAfterMs: 0 } };
  });
};
