import type { Accounts } from '#accounts';
import { Fault, placeAt } from '#kit';
import type { Database } from '#store';
import { compile, type Problem, showPath, type Template } from '../templates/index.ts';
import type { ToolDefinition, ToolInput } from '../tools/definition.ts';
import { misfit, refuseProblems } from '../tools/inputs.ts';
import type { AgentDefinition, ModelRunner, ToolRunner, WebhookRunner } from './definition.ts';
import { endUserProblems } from './end-user-problems.ts';
import { modelProblems, type OwnModelHouse } from './model/endpoint.ts';

export type Where = {
  /** The transaction in which an agent is saved: asked elsewhere, each would hold one connection and wait for another. */
  tx: Database;
  accounts: Accounts;
  workspaceId: string;
  models: OwnModelHouse;
  /** Why an agent's address is not called; `undefined` when it is. */
  addressProblem(url: string): string | undefined;
};

const checkAccount = async (
  { tx, accounts, workspaceId }: Where,
  integration: string | undefined,
  id: string,
): Promise<string | undefined> => {
  try {
    const account = await accounts.get(workspaceId, id, undefined, tx);
    if (account.state === 'disconnected') return 'there is no such account';
    return account.integration === integration
      ? undefined
      : `belongs to "${account.integration}", the tool needs "${integration}"`;
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return 'there is no such account';
    throw error;
  }
};

/** Something of the type that will be filled in. */
const sketchOf = (template: Exclude<Template, { kind: 'value' }>): unknown => {
  switch (template.kind) {
    case 'constant':
      return template.value;
    case 'text':
      return 'text';
    case 'list':
      return [];
    case 'fields':
      return {};
  }
};

const checkMapping = async (
  where: Where,
  mapping: Record<string, unknown>,
  inputs: readonly ToolInput[],
): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const input of inputs) {
    const field = placeAt('runner.input', input.name);
    if (!Object.hasOwn(mapping, input.name)) continue;
    const { template, placeholders, problems: mistakes } = compile(mapping[input.name], field);
    problems.push(...mistakes);
    for (const { field: place, path } of placeholders) {
      const message = `{{${showPath(path)}}} does not begin with "event"`;
      if (path[0] !== 'event') problems.push({ field: place, message });
      // Text from outside must not choose whose mailbox or board is used.
      else if (input.type === 'account' && path[1] === 'data')
        problems.push({ field: place, message: 'what an event tells cannot choose the account' });
    }
    if (template.kind === 'value') continue;
    const unfit =
      misfit(input, sketchOf(template)) ??
      (template.kind === 'constant' && input.type === 'account'
        ? await checkAccount(where, input.integration, String(template.value))
        : undefined);
    if (unfit !== undefined) problems.push({ field, message: unfit });
  }
  return problems;
};

const unknownNames = (mapping: Record<string, unknown>, inputs: readonly ToolInput[], message: string): Problem[] =>
  Object.keys(mapping)
    .filter((name) => !inputs.some((input) => input.name === name))
    .map((name) => ({ field: placeAt('runner.input', name), message }));

const missing = (mapping: Record<string, unknown>, inputs: readonly ToolInput[], message: string): Problem[] =>
  inputs
    .filter(({ name }) => !Object.hasOwn(mapping, name))
    .map(({ name }) => ({ field: placeAt('runner.input', name), message }));

const checkToolRunner = async (
  where: Where,
  { toolId, input }: ToolRunner,
  given: readonly string[],
  tools: ReadonlyMap<string, ToolDefinition>,
): Promise<Problem[]> => {
  if (!given.includes(toolId)) {
    return [{ field: 'runner.toolId', message: 'must be one of the tools that the agent is given' }];
  }
  const { inputs = [] } = tools.get(toolId) ?? {};
  if (!tools.has(toolId)) return [];
  const needed = inputs.filter((each) => each.required && each.default === undefined);
  return [
    ...unknownNames(input, inputs, 'is not an input of the tool'),
    ...missing(input, needed, 'must be given'),
    ...(await checkMapping(where, input, inputs)),
  ];
};

const runnerProblems = (where: Where, runner: ModelRunner | WebhookRunner): Problem[] => {
  if (runner.type === 'model') return modelProblems(runner, where.models);
  const message = where.addressProblem(runner.url);
  return message === undefined ? [] : [{ field: 'runner.url', message }];
};

/** What an agent does not choose is fixed by name for all tools that have such an input. Accounts are never its choice. */
const checkChoosingRunner = async (
  where: Where,
  runner: ModelRunner | WebhookRunner,
  tools: ReadonlyMap<string, ToolDefinition>,
): Promise<Problem[]> => {
  const inputs = [...tools.values()].flatMap((tool) => tool.inputs);
  const isAccount = ({ type }: ToolInput) => type === 'account';
  const who = runner.type === 'model' ? 'a model' : 'an agent';
  const found = [
    ...runnerProblems(where, runner),
    ...unknownNames(runner.input, inputs, 'is not an input of any of the tools'),
    ...missing(runner.input, inputs.filter(isAccount), `must be given: ${who} does not choose accounts`),
    ...(await checkMapping(where, runner.input, inputs)),
  ];
  return found.filter(({ field, message }, at) => {
    return found.findIndex((each) => each.field === field && each.message === message) === at;
  });
};

/**
 * Why an agent could not run, with the place of every mistake. `tools` are those of its workspace it names, `endUserIds`
 * those for whom its triggers start it.
 */
export const agentProblems = async (
  where: Where,
  agent: AgentDefinition,
  tools: ReadonlyMap<string, ToolDefinition>,
  endUserIds: readonly string[],
): Promise<Problem[]> => {
  const { tools: given, runner } = agent;
  const ids = given.map(({ toolId }) => toolId);
  const problems: Problem[] = ids.flatMap((id, at) => {
    const field = `tools[${at}].toolId`;
    if (ids.indexOf(id) < at) return [{ field, message: 'is given to the agent already' }];
    return tools.has(id) ? [] : [{ field, message: 'there is no such tool' }];
  });
  problems.push(
    ...(runner.type === 'tool'
      ? await checkToolRunner(where, runner, ids, tools)
      : await checkChoosingRunner(where, runner, tools)),
    ...(await endUserProblems(where, agent, tools, endUserIds)),
  );
  return problems;
};

export const validateAgent = async (...given: Parameters<typeof agentProblems>): Promise<void> => {
  const problems = await agentProblems(...given);
  if (problems.length > 0) throw refuseProblems('This agent could not run.', problems);
};
