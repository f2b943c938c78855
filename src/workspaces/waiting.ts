import { sql } from 'kysely';
import type { Store } from '#store';

/** How many decisions wait for somebody. */
export type Waiting = (workspaceId: string) => Promise<{ pendingApprovals: number }>;

export const createWaiting =
  (store: Store): Waiting =>
  async (workspaceId) =>
    store
      .of(workspaceId)
      .selectFrom('approvals')
      .select(sql<number>`count(*)::integer`.as('pendingApprovals'))
      .where('workspace_id', '=', workspaceId)
      .where('status', '=', 'pending')
      .executeTakeFirstOrThrow();
