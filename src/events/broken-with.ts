import { sql } from 'kysely';
import type { Database } from '#store';
import type { BrokenTrigger } from './telling.ts';

/** The triggers that stop firing because their account is refused. Those that were broken before were told of then. */
export const brokenWith = async (
  tx: Database,
  account: Pick<BrokenTrigger, 'workspaceId' | 'accountId' | 'endUserId' | 'reason'>,
): Promise<BrokenTrigger[]> => {
  const { workspaceId, accountId, endUserId, reason } = account;
  const { rows } = await sql<{ id: string; agent_id: string; type: string }>`
    select t.id, t.agent_id, t.type from triggers t
    where t.workspace_id = ${workspaceId} and t.account_id = ${accountId} and t.state = 'enabled' and not exists (
      select from trigger_watches l join watches w on w.workspace_id = l.workspace_id and w.id = l.watch_id
      where l.workspace_id = t.workspace_id and l.trigger_id = t.id and w.state = 'broken')
    order by t.id`.execute(tx);
  return rows.map(({ id: triggerId, agent_id: agentId, type }) => ({
    workspaceId,
    triggerId,
    agentId,
    accountId,
    type,
    ...(endUserId === undefined ? {} : { endUserId }),
    reason,
  }));
};
