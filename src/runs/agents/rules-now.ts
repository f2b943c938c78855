import { sql } from 'kysely';
import type { Store } from '#store';
import type { RunRow } from '../run-records.ts';
import type { Versions } from '../versions.ts';
import type { AgentTool } from './definition.ts';

type Rules = Pick<AgentTool, 'permission' | 'recipients'>;

/**
 * How far an agent may send by itself with a step of a tool, as it is set at this moment: whoever takes autopilot away means
 * what has begun or waits for its turn, too. `undefined`: the agent is gone, and its runs go on as they began.
 */
export type RulesNow = (run: RunRow, used: { toolId: string; key: string; step: string }) => Promise<Rules | undefined>;

const asking: Rules = { permission: 'approval', recipients: 'guarded' };

export const createRulesNow =
  ({ store, versions }: { store: Store; versions: Versions }): RulesNow =>
  async ({ workspace_id: workspaceId, agent_id: agentId }, { toolId, key, step }) => {
    if (agentId === null) return undefined;
    const { rows } = await sql<{ agent: number | null; tool: number | null }>`select
      (select version from agents where workspace_id = ${workspaceId} and id = ${agentId}) as agent,
      (select version from tools where workspace_id = ${workspaceId} and id = ${toolId}) as tool`.execute(
      store.of(workspaceId),
    );
    const { agent = null, tool = null } = rows[0] ?? {};
    if (agent === null) return undefined;
    const { tools } = await versions.agent({ workspaceId, id: agentId, version: agent });
    const rules = tools.find((each) => each.toolId === toolId) ?? asking;
    if (tool === null) return rules;
    const { plan } = await versions.tool({ workspaceId, id: toolId, version: tool });
    const same = plan.find((each) => each.key === key && each.step === step);
    return same?.permission === 'approval' ? asking : rules;
  };
