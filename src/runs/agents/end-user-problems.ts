import { sql } from 'kysely';
import type { Accounts } from '#accounts';
import { Fault, placeAt } from '#kit';
import type { Database } from '#store';
import { compile, type Problem } from '../templates/index.ts';
import type { ToolDefinition } from '../tools/definition.ts';
import type { AgentDefinition } from './definition.ts';

type Place = { tx: Database; accounts: Accounts; workspaceId: string };

/** For whom an agent's triggers start it: whose accounts they watch. */
export const endUsersOf = async (tx: Database, workspaceId: string, agentId: string): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`
    select distinct a.end_user_id as id from triggers t
      join accounts a on a.workspace_id = t.workspace_id and a.id = t.account_id
    where t.workspace_id = ${workspaceId} and t.agent_id = ${agentId} and a.end_user_id is not null`.execute(tx);
  return rows.map(({ id }) => id);
};

/** The accounts that the builder fixed, each with its place: in the agent's mapping, in a step or as an input's default. */
const fixedIn = ({ tools: given, runner }: AgentDefinition, tools: ReadonlyMap<string, ToolDefinition>) =>
  given.flatMap(({ toolId }, at) => {
    const tool = tools.get(toolId);
    if (tool === undefined || (runner.type === 'tool' && runner.toolId !== toolId)) return [];
    const field = `tools[${at}].toolId`;
    const ofSteps = tool.steps.flatMap(({ account }) => ('id' in account ? [{ field, id: account.id }] : []));
    const ofInputs = tool.inputs.flatMap(({ name, type, default: otherwise }) => {
      if (type !== 'account') return [];
      const isMapped = Object.hasOwn(runner.input, name);
      const place = isMapped ? placeAt('runner.input', name) : field;
      const value = isMapped ? compile(runner.input[name], place).template : { kind: 'constant', value: otherwise };
      return value.kind === 'constant' && 'value' in value && typeof value.value === 'string'
        ? [{ field: place, id: value.value }]
        : [];
    });
    return [...ofSteps, ...ofInputs];
  });

const ownerOf = async ({ tx, accounts, workspaceId }: Place, id: string): Promise<string | undefined> => {
  try {
    return (await accounts.get(workspaceId, id, undefined, tx)).endUserId;
  } catch (error) {
    // That there is none is told elsewhere.
    if (error instanceof Fault && error.code === 'not_found') return undefined;
    throw error;
  }
};

/** Whose a run by hand is where nobody says: that of the one end user whose accounts were fixed by the builder or given. */
export const soleEndUserOf = async (
  place: Place,
  agent: AgentDefinition,
  tools: ReadonlyMap<string, ToolDefinition>,
  input: Readonly<Record<string, unknown>>,
): Promise<string | undefined> => {
  const owners = new Set<string | undefined>();
  for (const { id } of fixedIn(agent, tools)) owners.add(await ownerOf(place, id));
  // What the builder chose may be nobody's; what is given to a run for an end user is theirs.
  owners.delete(undefined);
  for (const { name, type } of [...tools.values()].flatMap(({ inputs }) => inputs)) {
    const id = input[name];
    if (type === 'account' && typeof id === 'string') owners.add(await ownerOf(place, id));
  }
  const [sole] = owners;
  return owners.size === 1 ? sole : undefined;
};

/** A run for one end user never uses the account of another: an agent that is fixed to one could not run for them. */
export const endUserProblems = async (
  place: Place,
  agent: AgentDefinition,
  tools: ReadonlyMap<string, ToolDefinition>,
  endUserIds: readonly string[],
): Promise<Problem[]> => {
  if (endUserIds.length === 0) return [];
  const problems: Problem[] = [];
  for (const { field, id } of fixedIn(agent, tools)) {
    const owner = await ownerOf(place, id);
    if (owner === undefined || endUserIds.every((endUserId) => endUserId === owner)) continue;
    const message = `${id} belongs to another end user than the account that the agent's trigger watches`;
    if (!problems.some((each) => each.field === field && each.message === message)) problems.push({ field, message });
  }
  return problems;
};
