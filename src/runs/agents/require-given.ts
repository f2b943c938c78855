import { Fault } from '#kit';
import type { Store } from '#store';
import type { RunRow } from '../run-records.ts';

/** Refuses a tool that was taken from the agent since its run began. Runs of an agent that is gone go on as they began. */
export type RequireGiven = (run: Pick<RunRow, 'workspace_id' | 'agent_id'>, toolId: string) => Promise<void>;

export const createRequireGiven =
  (store: Store): RequireGiven =>
  async ({ workspace_id: workspaceId, agent_id: agentId }, toolId) => {
    const agent = await store
      .of(workspaceId)
      .selectFrom('agents')
      .select('tool_ids')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', agentId)
      .executeTakeFirst();
    if (agent === undefined || agent.tool_ids.includes(toolId)) return;
    throw new Fault('forbidden', 'This tool was taken from the agent since this run began; nothing was done with it.');
  };
