import { sql } from 'kysely';
import { Fault, inOneLine } from '#kit';
import type { Database } from '#store';
import type { Problem } from '../templates/index.ts';
import type { ToolDefinition } from '../tools/definition.ts';
import type { AgentDefinition } from './definition.ts';
import { endUsersOf } from './end-user-problems.ts';
import type { HouseOf } from './model/endpoint.ts';
import { agentProblems, type Where } from './validate-agent.ts';

/** Refuses a change of a tool with which an agent that uses it could not run any more. */
export type RefuseForUsers = (
  tx: Database,
  workspaceId: string,
  tool: { id: string; before: ToolDefinition; after: ToolDefinition },
) => Promise<void>;

type User = { id: string; name: string; definition: AgentDefinition };

export const createRefuseForUsers =
  ({ houseOf, ...means }: Pick<Where, 'accounts' | 'addressProblem'> & { houseOf: HouseOf }): RefuseForUsers =>
  async (tx, workspaceId, { id, before, after }) => {
    const { rows: users } = await sql<User>`
      select a.id, a.name, v.definition from agents a
        join agent_versions v on (v.workspace_id, v.agent_id, v.version) = (a.workspace_id, a.id, a.version)
      where a.workspace_id = ${workspaceId} and a.tool_ids @> array[${id}] order by a.id limit 200`.execute(tx);
    if (users.length === 0) return;
    const ids = [...new Set(users.flatMap(({ definition }) => definition.tools.map(({ toolId }) => toolId)))];
    const { rows: tools } = await sql<{ id: string; definition: ToolDefinition }>`
      select t.id, v.definition from tools t
        join tool_versions v on (v.workspace_id, v.tool_id, v.version) = (t.workspace_id, t.id, t.version)
      where t.workspace_id = ${workspaceId} and t.id = any(${ids})`.execute(tx);
    const known = tools.map(({ id: toolId, definition }) => [toolId, definition] as const);
    const where = { ...means, tx, workspaceId, models: await houseOf(workspaceId, tx) };
    const problemsWith = async ({ id: agentId, definition }: User, tool: ToolDefinition) => {
      const given = new Set(definition.tools.map(({ toolId }) => toolId));
      const own = known.filter(([toolId]) => given.has(toolId));
      const endUserIds = await endUsersOf(tx, workspaceId, agentId);
      return agentProblems(where, definition, new Map([...own, [id, tool]]), endUserIds);
    };
    const isSame = (one: Problem) => (other: Problem) => one.field === other.field && one.message === other.message;
    const broken = await Promise.all(
      users.map(async (user) => {
        // What was wrong already is not this change's doing.
        const earlier = await problemsWith(user, before);
        const fields = (await problemsWith(user, after)).filter((each) => !earlier.some(isSame(each)));
        return { id: user.id, name: user.name, fields };
      }),
    );
    const agents = broken.filter(({ fields }) => fields.length > 0);
    if (agents.length === 0) return;
    const said = agents.map(({ name, fields }) => `${name} (${inOneLine(fields)})`);
    throw new Fault('conflict', `With this change these agents could not run: ${said.join(', ')}. Change them first.`, {
      details: { agents },
    });
  };
