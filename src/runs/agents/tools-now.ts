import { sql } from 'kysely';
import type { Store } from '#store';
import type { AgentDefinition } from './definition.ts';
import { callNames } from './model/offered-tools.ts';

/** The newest versions of an agent's tools, under the names they are called by. One that was deleted is not offered. */
export type ToolsNow = (
  workspaceId: string,
  agent: Pick<AgentDefinition, 'tools'>,
) => Promise<{ name: string; toolId: string; version: number }[]>;

export const createToolsNow =
  (store: Store): ToolsNow =>
  async (workspaceId, { tools }) => {
    const { rows } = await sql<{ id: string; name: string; version: number }>`
      select id, name, version from tools
      where workspace_id = ${workspaceId} and id = any(${tools.map(({ toolId }) => toolId)})`.execute(
      store.of(workspaceId),
    );
    const known = new Map(rows.map((row) => [row.id, row]));
    const found = tools.flatMap(({ toolId }) => known.get(toolId) ?? []);
    const names = callNames(found.map(({ name }) => name));
    return found.map(({ id: toolId, version }, at) => ({ name: names[at] ?? toolId, toolId, version }));
  };
