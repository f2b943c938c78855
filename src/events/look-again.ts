import { sql } from 'kysely';
import type { Database } from '#store';

/** What was refused may be granted now: what is not well is looked at in the next round, not when its time comes. */
export const lookAgain = async (
  tx: Database,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
): Promise<void> => {
  await sql`update watches w set next_look_at = clock_timestamp(), next_check_at = clock_timestamp() from (
      select id from watches where workspace_id = ${workspaceId} and account_id = ${accountId} and state <> 'healthy'
      order by id for no key update
    ) due where w.workspace_id = ${workspaceId} and w.id = due.id`.execute(tx);
};
