import { sql } from 'kysely';

/** The events that a paused trigger `t` has skipped since its pause began, and that can still be caught up. */
export const skippedInPause = sql`e.workspace_id = t.workspace_id and e.trigger_id = t.id and e.outcome = 'skipped'
  and e.reason = 'the trigger was paused' and e.received_at >= coalesce(t.paused_at, t.created_at)
  and e.occurrence is not null`;
