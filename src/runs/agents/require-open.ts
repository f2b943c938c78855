import { sql } from 'kysely';
import { RunCancelled } from '#effects';
import type { Store } from '#store';
import { stopped } from '#workspaces';
import type { RunRow } from '../run-records.ts';

/** Refuses while the workspace is stopped, and once the run is to be cancelled. */
export type RequireOpen = (run: Pick<RunRow, 'workspace_id' | 'id'>) => Promise<void>;

export const createRequireOpen =
  (store: Store): RequireOpen =>
  async ({ workspace_id: workspaceId, id }) => {
    const { rows } = await sql<{ open: boolean; cancelled: boolean }>`
      select w.stopped_at is null as open, r.cancel_asked is not null as cancelled
      from workspaces w join runs r using (workspace_id)
      where workspace_id = ${workspaceId} and r.id = ${id}`.execute(store.of(workspaceId));
    if (rows[0]?.cancelled === true) throw new RunCancelled();
    if (rows[0]?.open !== true) throw stopped();
  };
