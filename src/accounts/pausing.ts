import { sql } from 'kysely';
import type { AccountState, Database } from '#store';
import type { Where } from './standing.ts';

/** Told in the transaction in which an account goes on after a pause. */
export type OnResumed = (tx: Database, account: Where, pause: { from: Date; until: Date }) => Promise<void>;

/** Who paused it resumes it: others may hold a link that connects it again. */
export const stateAfterRefusal = sql<AccountState>`case when paused_at is null then 'connected' else 'paused' end`;

/** Only a pause that is still on ends: whoever resumes it at the same moment waits, and finds that it is over. */
export const endPause = async (tx: Database, account: Where, until: Date, onResumed: OnResumed): Promise<void> => {
  const { rows } = await sql<{ paused_at: Date | null }>`
    select paused_at from accounts where workspace_id = ${account.workspaceId} and id = ${account.accountId}
      and state = 'paused' for no key update`.execute(tx);
  const from = rows[0]?.paused_at ?? null;
  if (from !== null) await onResumed(tx, account, { from, until });
};
