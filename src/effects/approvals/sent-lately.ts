import { sql } from 'kysely';
import type { Store } from '#store';

export type SentLately = (of: { workspaceId: string; runId: string; accountId: string }) => Promise<{
  ofRun: number;
  ofAccount: number;
}>;

/** How many sends a run has made, and its account within the hour. What may have left counts. */
export const createSentLately =
  (store: Store): SentLately =>
  async ({ workspaceId, runId, accountId }) => {
    const { rows } = await sql<{ of_run: number; of_account: number }>`
      select
        (select count(*)::integer from effects where workspace_id = ${workspaceId} and run_id = ${runId}
          and effect = 'send' and state <> 'not_sent') as of_run,
        (select count(*)::integer from effects where workspace_id = ${workspaceId} and account_id = ${accountId}
          and effect = 'send' and state <> 'not_sent'
          and intended_at > clock_timestamp() - interval '1 hour') as of_account`.execute(store.of(workspaceId));
    return { ofRun: rows[0]?.of_run ?? 0, ofAccount: rows[0]?.of_account ?? 0 };
  };
