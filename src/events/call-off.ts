import { sql } from 'kysely';
import type { Clock } from '#clock';
import type { Database } from '#store';

/** No statement takes long, however many wait. */
const atOnce = 2_000;

/**
 * Ends what these triggers started and has not begun: nobody is told any more what happened. Lanes are a trigger's own, so
 * nobody waits behind these.
 */
export const callOff = async (
  db: Database,
  clock: Clock,
  { workspaceId, triggerIds }: { workspaceId: string; triggerIds: readonly string[] },
  message: string,
): Promise<void> => {
  const error = JSON.stringify({ code: 'conflict', message });
  for (let ended = atOnce; ended === atOnce; ) {
    const { rows } = await sql`
      update runs set status = 'cancelled', error = ${error}, finished_at = ${clock.now()}, lease_until = null
      where workspace_id = ${workspaceId} and id in (
        select id from runs where workspace_id = ${workspaceId} and status = 'queued' and attempts = 0
          and trigger_id = any(${triggerIds}::text[])
        order by id limit ${atOnce} for update skip locked
      ) returning 1`.execute(db);
    ended = rows.length;
  }
};
