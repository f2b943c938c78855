import { type Kysely, sql } from 'kysely';
import type { Store, Tables } from '#store';
import type { AgentDefinition } from './agents/definition.ts';
import { compile, type Template } from './templates/index.ts';
import type { ToolDefinition, ToolStep } from './tools/definition.ts';

/** A tool with its templates read. */
export type CompiledTool = ToolDefinition & {
  plan: readonly (ToolStep & { template: Template; place: string })[];
  result: Template;
};

/** An agent with its templates read. */
export type CompiledAgent = AgentDefinition & { mapping: readonly (readonly [string, Template])[] };

export type VersionOf = { workspaceId: string; id: string; version: number };

/** Versions of tools and agents. They never change, so they are read once and kept. */
export type Versions = {
  /** `within`: whoever holds a transaction reads through it. */
  tool(of: VersionOf, within?: Kysely<Tables>): Promise<CompiledTool>;
  agent(of: VersionOf, within?: Kysely<Tables>): Promise<CompiledAgent>;
  /** Those of several workspaces, seen through the caller's own view. */
  agents(db: Kysely<Tables>, of: readonly VersionOf[]): Promise<CompiledAgent[]>;
};

const remembered = 5_000;

export const compileTool = (definition: ToolDefinition): CompiledTool => {
  const plan = definition.steps.map((step, at) => {
    const place = `steps[${at}].input`;
    return { ...step, place, template: compile(step.input, place).template };
  });
  const last: Template = { kind: 'value', path: ['steps', plan.at(-1)?.key ?? '', 'output'] };
  const result = definition.output === undefined ? last : compile(definition.output, 'output').template;
  return { ...definition, plan, result };
};

const compileAgent = (definition: AgentDefinition): CompiledAgent => ({
  ...definition,
  mapping: Object.entries(definition.runner.input).map(
    ([name, value]) => [name, compile(value, `runner.input.${name}`).template] as const,
  ),
});

const keyOf = ({ workspaceId, id, version }: VersionOf): string => `${workspaceId} ${id} ${version}`;

/** Keeps what was made of each version. */
const keeping = <Definition, Compiled>(
  read: (db: Kysely<Tables>, of: readonly VersionOf[]) => Promise<{ key: string; definition: unknown }[]>,
  make: (definition: Definition) => Compiled,
) => {
  const known = new Map<string, Compiled>();
  return async (db: Kysely<Tables>, of: readonly VersionOf[]): Promise<Compiled[]> => {
    const missing = new Map(of.map((each) => [keyOf(each), each] as const).filter(([key]) => !known.has(key)));
    const found = new Map(known.size === 0 ? [] : of.map((each) => [keyOf(each), known.get(keyOf(each))] as const));
    if (missing.size > 0) {
      if (known.size > remembered) known.clear();
      for (const { key, definition } of await read(db, [...missing.values()])) {
        const made = make(definition as Definition);
        known.set(key, made);
        found.set(key, made);
      }
    }
    return of.map((each) => {
      const made = found.get(keyOf(each));
      if (made === undefined) throw new Error(`there is no version ${each.version} of ${each.id}`);
      return made;
    });
  };
};

const reading =
  (table: 'tool_versions' | 'agent_versions', idColumn: 'tool_id' | 'agent_id') =>
  async (db: Kysely<Tables>, of: readonly VersionOf[]) => {
    const id = sql.ref(idColumn);
    const { rows } = await sql<{ workspace_id: string; id: string; version: number; definition: unknown }>`
      select workspace_id, ${id} as id, version, definition from ${sql.table(table)}
      where (workspace_id, ${id}, version) in (
        select * from unnest(${of.map((each) => each.workspaceId)}::text[], ${of.map((each) => each.id)}::text[],
          ${of.map((each) => each.version)}::integer[])
      )`.execute(db);
    return rows.map(({ workspace_id: workspaceId, id: of_, version, definition }) => ({
      key: keyOf({ workspaceId, id: of_, version }),
      definition,
    }));
  };

export const createVersions = ({ store }: { store: Store }): Versions => {
  const tools = keeping<ToolDefinition, CompiledTool>(reading('tool_versions', 'tool_id'), compileTool);
  const agents = keeping<AgentDefinition, CompiledAgent>(reading('agent_versions', 'agent_id'), compileAgent);
  const only = <T>([first]: T[]): T => first as T;
  return {
    tool: async (of, within = store.of(of.workspaceId)) => only(await tools(within, [of])),
    agent: async (of, within = store.of(of.workspaceId)) => only(await agents(within, [of])),
    agents,
  };
};
