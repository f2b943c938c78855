import { sql } from 'kysely';
import type { Store } from '#store';
import type { RunRow } from '../run-records.ts';
import type { Versions } from '../versions.ts';
import type { AgentTool } from './definition.ts';

type Rules = Pick<AgentTool, 'permission' | 'recipients'>;

/**
 * How far a run may send by itself with a step of a tool, as agent and tool are set at this moment: whoever takes autopilot
 * away means what has begun or waits for its turn, too, also when the agent or the tool is deleted afterwards.
 */
export type RulesNow = (
  run: Pick<RunRow, 'workspace_id' | 'agent_id'>,
  used: { toolId: string; key: string; step: string },
) => Promise<Rules>;

const asking: Rules = { permission: 'approval', recipients: 'guarded' };
/** Of what somebody runs by hand, the tool's own word counts. */
const byHand: Rules = { permission: 'autopilot', recipients: 'anyone' };

export const createRulesNow =
  ({ store, versions }: { store: Store; versions: Versions }): RulesNow =>
  async ({ workspace_id: workspaceId, agent_id: agentId }, { toolId, key, step }) => {
    // Their versions stay when they are deleted.
    const { rows } = await sql<{ agent: number | null; tool: number | null }>`select
      (select max(version) from agent_versions where workspace_id = ${workspaceId} and agent_id = ${agentId}) as agent,
      (select max(version) from tool_versions where workspace_id = ${workspaceId} and tool_id = ${toolId}) as tool`.execute(
      store.of(workspaceId),
    );
    const { agent = null, tool = null } = rows[0] ?? {};
    if (tool === null || (agent === null && agentId !== null)) return asking;
    const { plan } = await versions.tool({ workspaceId, id: toolId, version: tool });
    if (plan.find((each) => each.key === key && each.step === step)?.permission === 'approval') return asking;
    if (agentId === null || agent === null) return byHand;
    const { tools } = await versions.agent({ workspaceId, id: agentId, version: agent });
    return tools.find((each) => each.toolId === toolId) ?? asking;
  };
