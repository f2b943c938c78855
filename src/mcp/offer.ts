import type { Tool } from '@modelcontextprotocol/server';
import { type Catalogue, type CatalogueStep, Fault } from '#kit';
import type { Agent, RemoteRuns, RemoteTool, ToolDefinition, Tools } from '#runs';
import { type Caller, opens, type RunKeyHolder } from '#workspaces';
import { describeHeld, describeStep, describeTool, getRunTool } from './describe.ts';
import { fixedFor } from './fixed.ts';
import { getRunName, nameTools, stepName } from './names.ts';
import { nearNames } from './near-names.ts';

/** Who asks, and whether for the whole workspace or as one agent. */
export type View = { caller: Caller; agent: Agent | undefined; requestId: string };

/** What a name stands for. */
export type Offered =
  | { kind: 'step'; step: CatalogueStep }
  | { kind: 'tool'; id: string }
  | { kind: 'held'; holder: RunKeyHolder; tool: RemoteTool }
  | { kind: 'get_run' };

export type Offer = {
  list(view: View, cursor: string | undefined): Promise<{ tools: Tool[]; nextCursor?: string }>;
  find(view: View, name: string): Promise<Offered | undefined>;
  /** What may be meant by a name that nothing here has. */
  near(view: View, name: string): Promise<string[]>;
};

export const mayRun = (caller: Caller): boolean => opens(caller, { role: 'builder', scope: 'run', runKey: true });

// Many clients ask for the first page alone.
const pageSize = 250;

type Position = { from: 'tools'; cursor: string | undefined } | { from: 'steps'; at: number };

const toCursor = (position: Position): string =>
  Buffer.from(position.from === 'tools' ? `tools ${position.cursor}` : `steps ${position.at}`).toString('base64url');

const readCursor = (cursor: string | undefined): Position => {
  if (cursor === undefined) return { from: 'tools', cursor };
  const [, from, rest = ''] = /^(tools|steps) (\S{1,200})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (from === 'tools') return { from, cursor: rest };
  if (from === 'steps' && /^\d{1,6}$/.test(rest)) return { from, at: Number(rest) };
  throw new Fault('invalid_input', 'This cursor is not one of ours; use the nextCursor of an answer.');
};

/** What is offered: the workspace's tools and, to keys that may run them, the steps; or one agent's tools and no more. */
export const createOffer = (options: { catalogue: Catalogue; tools: Tools; remote: RemoteRuns }): Offer => {
  const { catalogue, tools, remote } = options;
  // Made once, as the catalogue is code, and not before somebody asks.
  let described: Tool[] | undefined;
  const describedSteps = (): Tool[] => {
    described ??= catalogue.steps.map(describeStep);
    return described;
  };
  const byName = new Map(catalogue.steps.map((step) => [stepName(step), step]));
  const taken = new Set([getRunName, ...byName.keys()]);

  const namesFor = async ({ caller, agent }: View): Promise<Map<string, string>> => {
    const all = await tools.names(caller.workspaceId);
    const given = agent === undefined ? all : all.filter(({ id }) => agent.tools.some(({ toolId }) => toolId === id));
    return nameTools(given, taken);
  };

  /** Whether there can be something to ask afterwards: what a person decided, or the rest of a long output. */
  const leavesMore = ({ steps: used }: ToolDefinition) =>
    used.some(({ step: id }) => {
      const step = catalogue.step(id);
      const canWait = step?.effect === 'send' || step?.sends !== undefined || step?.passThrough === true;
      return canWait || step?.effect === 'read';
    });

  const ofAgent = async (view: View, agent: Agent) => {
    const names = await namesFor(view);
    const ids = agent.tools.map(({ toolId }) => toolId).filter((id) => names.has(id));
    const found = await Promise.all(ids.map((id) => tools.get(view.caller.workspaceId, id)));
    const own = found.map((tool) => describeTool(catalogue, tool, names.get(tool.id) ?? '', fixedFor(agent, tool)));
    // Nothing but its tools, and a way to learn the rest where there can be any.
    return { tools: found.some(leavesMore) ? [...own, getRunTool] : own };
  };

  return {
    list: async (view, cursor) => {
      const { caller, agent } = view;
      if (caller.kind === 'run') {
        const held = await remote.tools(caller);
        return { tools: [...held.map((tool) => describeHeld(catalogue, tool)), getRunTool] };
      }
      if (agent !== undefined) return ofAgent(view, agent);
      const position = readCursor(cursor);
      const listed: Tool[] = cursor === undefined ? [getRunTool] : [];
      if (position.from === 'tools') {
        const page = await tools.list(caller.workspaceId, { limit: pageSize, cursor: position.cursor });
        const names = page.items.length === 0 ? new Map<string, string>() : await namesFor(view);
        listed.push(...page.items.map((tool) => describeTool(catalogue, tool, names.get(tool.id) ?? '')));
        if (page.nextCursor !== undefined) {
          return { tools: listed, nextCursor: toCursor({ from: 'tools', cursor: page.nextCursor }) };
        }
      }
      if (!mayRun(caller)) return { tools: listed };
      const steps = describedSteps();
      const at = position.from === 'steps' ? position.at : 0;
      const end = at + Math.max(0, pageSize - listed.length);
      const tail = steps.slice(at, end);
      const rest = end < steps.length ? { nextCursor: toCursor({ from: 'steps', at: end }) } : {};
      return { tools: [...listed, ...tail], ...rest };
    },

    find: async (view, name) => {
      if (name === getRunName) return { kind: 'get_run' };
      const { caller } = view;
      if (caller.kind === 'run') {
        const tool = (await remote.tools(caller)).find((each) => each.name === name);
        return tool && { kind: 'held', holder: caller, tool };
      }
      const step = view.agent === undefined ? byName.get(name) : undefined;
      if (step !== undefined) return { kind: 'step', step };
      const found = [...(await namesFor(view))].find(([, each]) => each === name);
      return found === undefined ? undefined : { kind: 'tool', id: found[0] };
    },

    near: async (view, name) => {
      const { caller, agent } = view;
      if (caller.kind === 'run') {
        const held = await remote.tools(caller);
        return nearNames(
          name,
          held.map((tool) => tool.name),
        );
      }
      const steps = agent === undefined ? [...byName.keys()] : [];
      return nearNames(name, [getRunName, ...steps, ...(await namesFor(view)).values()]);
    },
  };
};
