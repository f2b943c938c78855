import type { Accounts } from '#accounts';
import { Fault } from '#kit';
import { compile, type Problem, placeAt, showPath } from '../templates/index.ts';
import type { ToolDefinition } from '../tools/definition.ts';
import { misfit, refuseProblems } from '../tools/inputs.ts';
import type { AgentDefinition } from './definition.ts';

/** A runner as it is asked for. Others than these exist in plans, and are refused by name. */
export type AskedRunner = AgentDefinition['runner'] | { type: 'model' | 'webhook' };

export const requireRunner = (runner: AskedRunner): AgentDefinition['runner'] => {
  if (runner.type === 'tool') return runner;
  const message = `a runner of type "${runner.type}" is not available yet; use type "tool"`;
  throw refuseProblems('This agent could not run.', [{ field: 'runner.type', message }]);
};

const checkAccount = async (
  { accounts, workspaceId }: { accounts: Accounts; workspaceId: string },
  integration: string | undefined,
  id: string,
): Promise<string | undefined> => {
  try {
    const account = await accounts.get(workspaceId, id);
    if (account.state === 'disconnected') return 'there is no such account';
    return account.integration === integration
      ? undefined
      : `belongs to "${account.integration}", the tool needs "${integration}"`;
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return 'there is no such account';
    throw error;
  }
};

const checkMapping = async (
  where: { accounts: Accounts; workspaceId: string },
  mapping: Record<string, unknown>,
  { inputs }: Pick<ToolDefinition, 'inputs'>,
): Promise<Problem[]> => {
  const problems: Problem[] = [];
  for (const name of Object.keys(mapping)) {
    if (inputs.some((input) => input.name === name)) continue;
    problems.push({ field: placeAt('runner.input', name), message: 'is not an input of the tool' });
  }
  for (const input of inputs) {
    const field = placeAt('runner.input', input.name);
    if (!Object.hasOwn(mapping, input.name)) {
      if (input.required && input.default === undefined) problems.push({ field, message: 'must be given' });
      continue;
    }
    const { template, placeholders, problems: mistakes } = compile(mapping[input.name], field);
    problems.push(...mistakes);
    for (const { field: place, path } of placeholders) {
      const message = `{{${showPath(path)}}} does not begin with "event"`;
      if (path[0] !== 'event') problems.push({ field: place, message });
      // Text from outside must not choose whose mailbox or board is used.
      else if (input.type === 'account' && path[1] === 'data')
        problems.push({ field: place, message: 'what an event tells cannot choose the account' });
    }
    if (template.kind === 'constant') {
      const wrong = misfit(input, template.value);
      const unfit =
        wrong ??
        (input.type === 'account' ? await checkAccount(where, input.integration, String(template.value)) : undefined);
      if (unfit !== undefined) problems.push({ field, message: unfit });
    }
  }
  return problems;
};

/** Refuses an agent that could not run, with the place of every mistake. `tools` are those of its workspace it names. */
export const validateAgent = async (
  where: { accounts: Accounts; workspaceId: string },
  { tools: given, runner }: AgentDefinition,
  tools: ReadonlyMap<string, ToolDefinition>,
): Promise<void> => {
  const ids = given.map(({ toolId }) => toolId);
  const problems: Problem[] = ids.flatMap((id, at) => {
    const field = `tools[${at}].toolId`;
    if (ids.indexOf(id) < at) return [{ field, message: 'is given to the agent already' }];
    return tools.has(id) ? [] : [{ field, message: 'there is no such tool' }];
  });
  const tool = tools.get(runner.toolId);
  if (!ids.includes(runner.toolId)) {
    problems.push({ field: 'runner.toolId', message: 'must be one of the tools that the agent is given' });
  } else if (tool !== undefined) problems.push(...(await checkMapping(where, runner.input, tool)));
  if (problems.length > 0) throw refuseProblems('This agent could not run.', problems);
};
