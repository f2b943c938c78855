import { sql } from 'kysely';
import { grouped, type Store } from '#store';
import type { AccountRow } from './account.ts';
import type { Where } from './standing.ts';

/** Reads an account's row. Those who ask at the same moment share a query; nothing is kept. */
export type ReadAccount = (where: Where) => Promise<SeenAccount | undefined>;

/** Also tells whether the workspace is stopped. */
export type SeenAccount = AccountRow & { stopped_at: Date | null };

/** Rows of several workspaces in one query, hence the house's own view; each is found by its workspace and its id. */
export const createAccountReader = (store: Store): ReadAccount =>
  grouped(async (asked: Where[]) => {
    const workspaces = asked.map(({ workspaceId }) => workspaceId);
    const ids = asked.map(({ accountId }) => accountId);
    const { rows } = await sql<SeenAccount>`
      select accounts.*, stopped_at from accounts join workspaces using (workspace_id)
      where (workspace_id, id) in (select * from unnest(${workspaces}::text[], ${ids}::text[]))`.execute(store.system);
    const byPlace = new Map(rows.map((row) => [`${row.workspace_id} ${row.id}`, row]));
    return asked.map(({ workspaceId, accountId }) => byPlace.get(`${workspaceId} ${accountId}`));
  });
