import type { Account, Accounts } from '#accounts';
import { type Catalogue, type CatalogueStep, Fault, placeAt } from '#kit';
import { compile, isForbiddenName, leadsOn, type Placeholder, type Problem, showPath } from '../templates/index.ts';
import type { ToolDefinition, ToolInput, ToolStep } from './definition.ts';
import { misfit, refuseProblems } from './inputs.ts';
import { misfitsOf } from './literal-misfits.ts';

// A run has its own key, and a dry run is asked for as a whole.
const reserved = ['idempotencyKey', 'dryRun'];

const checkInput = (input: ToolInput, place: string, catalogue: Catalogue): Problem[] => {
  const problems: Problem[] = [];
  const object = (field: string, message: string) => problems.push({ field: `${place}.${field}`, message });
  if (isForbiddenName(input.name)) object('name', 'cannot be the name of an input');
  if (input.type === 'account') {
    const { integration } = input;
    if (integration === undefined || catalogue.integration(integration) === undefined) {
      const known = catalogue.integrations.map(({ name }) => name).join(', ');
      object('integration', `must name the integration of the account; there are: ${known}`);
    }
    if (!input.required) object('required', 'an account must always be given');
    if (input.default !== undefined) object('default', 'an account has no default; fix it in the step instead');
  } else {
    if (input.integration !== undefined) object('integration', 'is only for inputs of type "account"');
    if (input.permissionType !== undefined) object('permissionType', 'is only for inputs of type "account"');
  }
  const wrong = input.default === undefined ? undefined : misfit(input, input.default);
  if (input.type !== 'account' && wrong !== undefined) object('default', wrong);
  return problems;
};

const duplicates = (names: readonly string[], place: (at: number) => string): Problem[] =>
  names.flatMap((name, at) =>
    names.indexOf(name) < at ? [{ field: place(at), message: `"${name}" is used already` }] : [],
  );

/** Whether each placeholder leads to an input, or to the answer of a step that came before. */
const checkPlaceholders = (
  placeholders: readonly Placeholder[],
  { inputs, steps }: Pick<ToolDefinition, 'inputs' | 'steps'>,
  before: number,
): Problem[] =>
  placeholders.flatMap(({ field, path }) => {
    const [root, name, part] = path;
    const problem = (message: string) => [{ field, message: `{{${showPath(path)}}} ${message}` }];
    if (root === 'inputs') {
      return inputs.some((input) => input.name === name) ? [] : problem('is not an input of this tool');
    }
    if (root !== 'steps') return problem('begins with neither "inputs" nor "steps"');
    const at = steps.findIndex(({ key }) => key === name);
    if (at === -1) return problem(`names no step of this tool`);
    if (at >= before) return problem('comes later: a step sees only what came before it');
    return part === 'output' ? [] : problem(`must go on with "output": what the step answered`);
  });

/** Paths into the answer of an earlier step to where it never has anything: the run would end there, half done. */
const checkAnswers = (
  placeholders: readonly Placeholder[],
  earlier: readonly ToolStep[],
  catalogue: Catalogue,
): Problem[] =>
  placeholders.flatMap(({ field, path }) => {
    const [root, name, part, ...rest] = path;
    const key = earlier.find((each) => each.key === name)?.step;
    const step = key === undefined ? undefined : catalogue.step(key);
    if (root !== 'steps' || part !== 'output' || step === undefined || leadsOn(step.output, rest)) return [];
    return [{ field, message: `{{${showPath(path)}}} leads nowhere: ${step.id} never answers that` }];
  });

/** Finds the account a step is fixed to. Another workspace's looks exactly like an unknown one. */
const findAccount = async (accounts: Accounts, workspaceId: string, id: string): Promise<Account | undefined> => {
  try {
    const account = await accounts.holder(workspaceId, id);
    return account.state === 'disconnected' ? undefined : account;
  } catch (error) {
    if (error instanceof Fault && error.code === 'not_found') return undefined;
    throw error;
  }
};

const checkAccount = async (
  { accounts, workspaceId }: { accounts: Accounts; workspaceId: string },
  { account: choice }: ToolStep,
  step: CatalogueStep,
  inputs: readonly ToolInput[],
  place: string,
): Promise<Problem[]> => {
  const needed = step.integration.name;
  if ('input' in choice) {
    const field = `${place}.input`;
    const input = inputs.find(({ name }) => name === choice.input);
    if (input === undefined) return [{ field, message: `"${choice.input}" is not an input of this tool` }];
    if (input.type !== 'account') return [{ field, message: `"${choice.input}" is not of type "account"` }];
    return input.integration === needed
      ? []
      : [{ field, message: `is an account of "${input.integration}", the step needs "${needed}"` }];
  }
  const kind = 'id' in choice ? 'account' : 'secret';
  const field = 'id' in choice ? `${place}.id` : `${place}.secret`;
  const id = 'id' in choice ? choice.id : choice.secret;
  const isKind = id.startsWith(kind === 'account' ? 'acc_' : 'sec_');
  const account = isKind ? await findAccount(accounts, workspaceId, id) : undefined;
  if (account === undefined) return [{ field, message: `there is no such ${kind}` }];
  return account.integration === needed
    ? []
    : [{ field, message: `belongs to "${account.integration}", the step needs "${needed}"` }];
};

/** Refuses a tool that could not run, with the place of every mistake. */
export const validateTool = async (
  { catalogue, accounts }: { catalogue: Catalogue; accounts: Accounts },
  workspaceId: string,
  tool: ToolDefinition,
): Promise<void> => {
  const { inputs, steps } = tool;
  const problems = [
    ...inputs.flatMap((input, at) => checkInput(input, `inputs[${at}]`, catalogue)),
    ...duplicates(
      inputs.map(({ name }) => name),
      (at) => `inputs[${at}].name`,
    ),
    ...duplicates(
      steps.map(({ key }) => key),
      (at) => `steps[${at}].key`,
    ),
  ];
  for (const [at, each] of steps.entries()) {
    const place = `steps[${at}]`;
    if (isForbiddenName(each.key)) problems.push({ field: `${place}.key`, message: 'cannot be the key of a step' });
    const compiled = compile(each.input, `${place}.input`);
    problems.push(
      ...compiled.problems,
      ...checkPlaceholders(compiled.placeholders, tool, at),
      ...checkAnswers(compiled.placeholders, steps.slice(0, at), catalogue),
    );
    const step = catalogue.step(each.step);
    if (step === undefined) {
      const message = each.step.startsWith('tool_')
        ? 'a tool cannot contain a tool'
        : `there is no step "${each.step}"; GET /v1/steps lists those there are`;
      problems.push({ field: `${place}.step`, message });
      continue;
    }
    for (const name of reserved.filter((key) => Object.hasOwn(each.input, key))) {
      problems.push({ field: placeAt(`${place}.input`, name), message: 'cannot be used inside a tool' });
    }
    problems.push(...(await checkAccount({ accounts, workspaceId }, each, step, inputs, `${place}.account`)));
    if (compiled.problems.length === 0) problems.push(...misfitsOf(step, compiled.template, inputs, `${place}.input`));
  }
  if (tool.output !== undefined) {
    const compiled = compile(tool.output, 'output');
    problems.push(...compiled.problems, ...checkPlaceholders(compiled.placeholders, tool, steps.length));
  }
  if (problems.length > 0) throw refuseProblems('This tool could not run.', problems);
};
