import { createKept, grouped, type Store } from '#store';
import type { AccountRow } from './account.ts';
import type { Where } from './standing.ts';

/**
 * Reads an account's row. Those who ask at the same moment share a query, and what was seen counts until a change is told.
 * Nobody is refused by that: who would be asks `anew`.
 */
export type ReadAccount = (where: Where, how?: { anew: boolean }) => Promise<SeenAccount | undefined>;

/** Also tells whether the workspace is stopped. */
type Row = Omit<AccountRow, 'disconnected_at' | 'granted_ever' | 'refresh_owner' | 'refresh_until'> & {
  stopped_at: Date | null;
};

/** What one look saw, and the last moment at which it surely was so. */
export type SeenAccount = Row & { looked_at: number };

// Rows of several workspaces in one query, hence the house's own view; each is found by its workspace and its id.
const look = {
  name: 'look_at_accounts',
  text: `select a.id, a.workspace_id, kind, integration, a.name, identity, identity_id, state, reason, auth_method,
      permission_types, scopes, end_user_id, credential, version, a.created_at, stopped_at
    from unnest($1::text[], $2::text[]) asked (workspace, account),
      lateral (select * from accounts where workspace_id = workspace and id = account limit 1) a,
      lateral (select stopped_at from workspaces where workspace_id = workspace limit 1) w`,
};

export const createAccountReader = (store: Store): ReadAccount => {
  // Credentials stay sealed in there.
  const kept = createKept<SeenAccount>(store.pulse);

  const readTogether = grouped(async (asked: Where[]) => {
    const looked_at = performance.now();
    const workspaces = asked.map(({ workspaceId }) => workspaceId);
    const ids = asked.map(({ accountId }) => accountId);
    const rows = await store.planned<Row>(look, [workspaces, ids]);
    const seen = new Map(rows.map((row) => [`${row.workspace_id} ${row.id}`, Object.assign(row, { looked_at })]));
    return asked.map(({ workspaceId, accountId }) => seen.get(`${workspaceId} ${accountId}`));
  });

  return async (where, { anew } = { anew: false }) => {
    const { workspaceId, accountId } = where;
    const key = `${workspaceId} ${accountId}`;
    const found = anew ? undefined : kept.find(key);
    if (found !== undefined) {
      found.row.looked_at = found.at;
      return found.row;
    }
    const row = await readTogether(where);
    if (row !== undefined) {
      kept.keep(key, row, row.looked_at, [`account ${accountId}`, `workspace ${workspaceId}`]);
    }
    return row;
  };
};
