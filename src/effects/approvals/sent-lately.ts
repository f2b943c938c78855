import { sql } from 'kysely';
import type { Store } from '#store';

/** What was sent already, and what the settings allow to be sent without asking. */
export type Sendings = {
  ofRun: number;
  ofAccount: number;
  mostOfRun: number;
  mostOfAccount: number;
  strict: boolean;
  /** The account's allow-list. */
  allowed: string[];
};

export type SentLately = (of: { workspaceId: string; runId: string; accountId: string }) => Promise<Sendings>;

/** How many sends a run has made, and its account within the hour. What may have left counts. */
export const createSentLately =
  (store: Store): SentLately =>
  async ({ workspaceId, runId, accountId }) => {
    const { rows } = await sql<Sendings>`
      select
        (select count(*)::integer from effects where workspace_id = ${workspaceId} and run_id = ${runId}
          and effect = 'send' and state <> 'not_sent') as "ofRun",
        (select count(*)::integer from effects where workspace_id = ${workspaceId} and account_id = ${accountId}
          and effect = 'send' and state <> 'not_sent'
          and intended_at > clock_timestamp() - interval '1 hour') as "ofAccount",
        w.sends_per_run as "mostOfRun", w.sends_per_hour as "mostOfAccount", w.strict_sends as strict,
        a.allowed_recipients as allowed
      from workspaces w join accounts a on a.workspace_id = w.workspace_id and a.id = ${accountId}
      where w.workspace_id = ${workspaceId}`.execute(store.of(workspaceId));
    const [found] = rows;
    if (found === undefined) throw new Error('there is no such account');
    return found;
  };
