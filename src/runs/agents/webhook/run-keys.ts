import type { Store } from '#store';
import { hashToken, type RunKeyHolder } from '#workspaces';

export const runKeyPrefix = 'sbr_';

// Found by its digest before any workspace is known, hence the house's own view.
const look = {
  name: 'look_at_run_key',
  text: `select r.id, r.workspace_id, r.agent_id, r.agent_version from run_keys k
      join runs r on r.workspace_id = k.workspace_id and r.id = k.run_id
      join handovers h on h.workspace_id = r.workspace_id and h.run_id = r.id
    where k.hash = $1 and r.agent_id is not null and (
      r.status = 'waiting_approval' or (r.status in ('queued', 'running') and h.deadline > clock_timestamp())
    )`,
};

type Found = { id: string; workspace_id: string; agent_id: string; agent_version: number };

/** Who holds a run's key: nobody once the run has ended. */
export const createRunKeys =
  (store: Store) =>
  async (key: string): Promise<RunKeyHolder | undefined> => {
    const [found] = await store.planned<Found>(look, [hashToken(key)]);
    if (found === undefined) return undefined;
    const { id: runId, workspace_id: workspaceId, agent_id: agentId, agent_version: agentVersion } = found;
    const actor = { kind: 'key' as const, id: runId, name: 'Run key' };
    return { kind: 'run', workspaceId, actor, runId, agentId, agentVersion };
  };
