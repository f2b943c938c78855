import { grouped, type Store } from '#store';
import type { AccountRow } from './account.ts';
import type { Where } from './standing.ts';

/** Reads an account's row. Those who ask at the same moment share a query; nothing is kept. */
export type ReadAccount = (where: Where) => Promise<SeenAccount | undefined>;

/** Also tells whether the workspace is stopped. */
export type SeenAccount = AccountRow & { stopped_at: Date | null };

// Rows of several workspaces in one query, hence the house's own view; each is found by its workspace and its id.
const look = {
  name: 'look_at_accounts',
  text: `select a.*, stopped_at from unnest($1::text[], $2::text[]) asked (workspace, account),
      lateral (select * from accounts where workspace_id = workspace and id = account limit 1) a,
      lateral (select stopped_at from workspaces where workspace_id = workspace limit 1) w`,
};

export const createAccountReader = (store: Store): ReadAccount =>
  grouped(async (asked: Where[]) => {
    const workspaces = asked.map(({ workspaceId }) => workspaceId);
    const ids = asked.map(({ accountId }) => accountId);
    const rows = await store.planned<SeenAccount>(look, [workspaces, ids]);
    const byPlace = new Map(rows.map((row) => [`${row.workspace_id} ${row.id}`, row]));
    return asked.map(({ workspaceId, accountId }) => byPlace.get(`${workspaceId} ${accountId}`));
  });
