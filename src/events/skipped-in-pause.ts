import { type Kysely, sql, type Transaction } from 'kysely';
import { replaysOfEvent, type Tables } from '#store';
import type { EventDraft } from './draft.ts';

/** Why something is skipped as long as its trigger is paused. Whichever pause that was is told by it, not by clocks. */
export const whilePaused = 'the trigger is paused';
const afterwards = 'the trigger was paused';

/**
 * The events that a paused trigger `t` has skipped in this pause, and that can still be caught up. Of what was replayed
 * meanwhile, the replay. Before a release that knew it by its reason, only the time told which pause it was.
 */
export const skippedInPause = sql`e.workspace_id = t.workspace_id and e.trigger_id = t.id and e.outcome = 'skipped'
  and (e.reason = ${whilePaused}
    or e.reason = ${afterwards} and e.received_at >= coalesce(t.paused_at, t.created_at))
  and e.occurrence is not null and not exists (select from ${replaysOfEvent})`;

/** What stays skipped belongs to no later pause. */
export const leaveSkipped = async (tx: Kysely<Tables>, trigger: { workspaceId: string; id: string }): Promise<void> => {
  await sql`update events set reason = ${afterwards} where workspace_id = ${trigger.workspaceId}
    and trigger_id = ${trigger.id} and outcome = 'skipped' and reason = ${whilePaused}`.execute(tx);
};

export const isForPause = ({ outcome }: EventDraft): boolean =>
  outcome.outcome === 'skipped' && outcome.reason === whilePaused;

/** A trigger may go on while something is judged for it: that is judged again, for nobody catches up with it any more. */
export const unlessGoneOn = async (
  tx: Transaction<Tables>,
  drafts: readonly EventDraft[],
): Promise<readonly EventDraft[]> => {
  const ids = [...new Set(drafts.filter(isForPause).map(({ trigger }) => trigger.id))];
  if (ids.length === 0) return drafts;
  // Whoever lets a trigger go on holds its row: it is not read in the middle of that.
  const { rows } = await sql<{
    id: string;
    state: string;
  }>`select id, state from triggers where id = any(${ids}::text[])
    order by id for key share`.execute(tx);
  const goneOn = new Set(rows.filter(({ state }) => state !== 'paused').map(({ id }) => id));
  return drafts.map((draft) =>
    isForPause(draft) && goneOn.has(draft.trigger.id)
      ? {
          ...draft,
          outcome: { outcome: 'failed', reason: 'The trigger went on while this was judged.', retryAfterMs: 0 },
        }
      : draft,
  );
};
