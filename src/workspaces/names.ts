import { sql } from 'kysely';
import type { Store } from '#store';

export type WorkspaceNames = {
  agents: { id: string; name: string }[];
  tools: { id: string; name: string }[];
  /** `filter`: what a trigger for mail looks for, which with the account tells apart triggers of one name. */
  triggers: { id: string; name: string; agentId: string; accountId: string; filter: string | null }[];
  /** `who`: the address or user name, which tells apart accounts of one name. */
  accounts: { id: string; name: string; integration: string; who: string | null; endUserId: string | null }[];
};

/** What people call the things of a workspace, newest first, and nothing else of them. */
export type Names = (workspaceId: string) => Promise<WorkspaceNames>;

/** More than this no drop-down can hold. */
const most = 10_000;

export const createNames =
  (store: Store): Names =>
  async (workspaceId) => {
    const db = store.of(workspaceId);
    const namesIn = (table: 'agents' | 'tools') =>
      db
        .selectFrom(table)
        .select(['id', 'name'])
        .where('workspace_id', '=', workspaceId)
        .orderBy('id', 'desc')
        .limit(most)
        .execute();
    const filter = sql<string | null>`nullif(left(config ->> 'searchFilter', 200), '')`;
    const triggers = db
      .selectFrom('triggers')
      .select(['id', 'name', 'agent_id as agentId', 'account_id as accountId', filter.as('filter')])
      .where('workspace_id', '=', workspaceId)
      .orderBy('id', 'desc')
      .limit(most)
      .execute();
    const who = sql<string | null>`coalesce(identity ->> 'address', identity ->> 'username')`;
    const accounts = db
      .selectFrom('accounts')
      .select(['id', 'name', 'integration', who.as('who'), 'end_user_id as endUserId'])
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', 'account')
      .where('state', '<>', 'disconnected')
      .orderBy('id', 'desc')
      .limit(most)
      .execute();
    const all = await Promise.all([namesIn('agents'), namesIn('tools'), triggers, accounts]);
    return { agents: all[0], tools: all[1], triggers: all[2], accounts: all[3] };
  };
