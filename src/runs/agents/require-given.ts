import { sql } from 'kysely';
import { Fault } from '#kit';
import type { Store } from '#store';
import type { RunRow } from '../run-records.ts';
import type { Versions } from '../versions.ts';

/** Refuses a tool that was taken from the agent since its run began. Runs of an agent that is gone go on by its last version. */
export type RequireGiven = (run: Pick<RunRow, 'workspace_id' | 'agent_id'>, toolId: string) => Promise<void>;

export const createRequireGiven =
  ({ store, versions }: { store: Store; versions: Versions }): RequireGiven =>
  async ({ workspace_id: workspaceId, agent_id: id }, toolId) => {
    if (id === null) return;
    const { rows } = await sql<{ version: number | null }>`
      select max(version) as version from agent_versions where workspace_id = ${workspaceId} and agent_id = ${id}`.execute(
      store.of(workspaceId),
    );
    const version = rows[0]?.version ?? 0;
    const { tools } = await versions.agent({ workspaceId, id, version });
    if (tools.some((each) => each.toolId === toolId)) return;
    throw new Fault('forbidden', 'This tool was taken from the agent since this run began; nothing was done with it.');
  };
