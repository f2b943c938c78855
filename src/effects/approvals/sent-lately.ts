import { sql } from 'kysely';
import type { Store } from '#store';

/** What was sent already, and what the settings allow to be sent without asking. */
export type Sendings = {
  ofRun: number;
  ofAccount: number;
  mostOfRun: number;
  mostOfAccount: number;
  /** How many other runs that the same conversation started have sent from the account within the hour. */
  rounds: number;
  strict: boolean;
  /** The account's allow-list. */
  allowed: string[];
};

export type SentLately = (of: {
  workspaceId: string;
  runId: string;
  accountId: string;
  /** The lane of the runs that a conversation starts. */
  conversation: string | null;
}) => Promise<Sendings>;

/** How many sends a run has made, and its account within the hour. What may have left counts. */
export const createSentLately =
  (store: Store): SentLately =>
  async ({ workspaceId, runId, accountId, conversation }) => {
    const { rows } = await sql<Sendings>`
      select
        (select count(*)::integer from effects where workspace_id = ${workspaceId} and run_id = ${runId}
          and effect = 'send' and state <> 'not_sent') as "ofRun",
        (select count(*)::integer from effects where workspace_id = ${workspaceId} and account_id = ${accountId}
          and effect = 'send' and state <> 'not_sent'
          and intended_at > clock_timestamp() - interval '1 hour') as "ofAccount",
        (select count(distinct r.id)::integer from effects e
            join runs r on r.workspace_id = e.workspace_id and r.id = e.run_id
          where e.workspace_id = ${workspaceId} and e.account_id = ${accountId} and e.effect = 'send'
            and e.state <> 'not_sent' and e.intended_at > clock_timestamp() - interval '1 hour'
            and r.lane = ${conversation} and r.id <> ${runId}) as rounds,
        w.sends_per_run as "mostOfRun", w.sends_per_hour as "mostOfAccount", w.strict_sends as strict,
        a.allowed_recipients as allowed
      from workspaces w join accounts a on a.workspace_id = w.workspace_id and a.id = ${accountId}
      where w.workspace_id = ${workspaceId}`.execute(store.of(workspaceId));
    const [found] = rows;
    if (found === undefined) throw new Error('there is no such account');
    return found;
  };
