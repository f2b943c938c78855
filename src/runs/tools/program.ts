import { type Accounts, type Chosen, offerOf, requireScopes } from '#accounts';
import { AwaitApproval, type CallRecord, type DoneLately } from '#effects';
import { type CatalogueStep, Fault, type SendView, wrong } from '#kit';
import { mapInput } from '../agents/map-input.ts';
import type { RequireGiven } from '../agents/require-given.ts';
import type { RulesNow } from '../agents/rules-now.ts';
import { type Autopilot, brakeOf, doubtOf, excessOf, isNamedIn, lureOf, readsMore, roundsOf } from '../autopilot.ts';
import type { Live, Logbook, Program } from '../execution.ts';
import type { JournalEntry } from '../journal.ts';
import { type Performed, type Performer } from '../perform.ts';
import type { Starter } from '../starter.ts';
import { parseInput } from '../step-input.ts';
import { fill, type Template } from '../templates/index.ts';
import type { CompiledTool, Versions } from '../versions.ts';
import type { AccountChoice, ToolInput } from './definition.ts';
import { readInputs } from './inputs.ts';
import { afterDone, ofAccount, ofStep } from './step-fault.ts';

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

/** A step that came to its end: what it answered, and whether it changed something outside. */
type Finished = { output: unknown; hasWritten: boolean };

const hasWritten = (calls: unknown): boolean =>
  Array.isArray(calls) && (calls as CallRecord[]).some(({ effect }) => effect !== 'read');

/** The steps that an earlier execution finished; of an agent's many calls, those of one. */
export const finishedIn = (journal: readonly JournalEntry[], call?: number): Map<string, Finished> =>
  new Map(
    journal
      .filter(({ kind, data }) => kind === 'step' && 'output' in data && data['call'] === call)
      .map(({ data }) => [String(data['key']), { output: data['output'], hasWritten: hasWritten(data['calls']) }]),
  );

/** Whom a step of a tool runs as. An account that was given must be of the kind the tool asks for; its place is `accountId`. */
export const chooseFor = async (
  accounts: Accounts,
  where: {
    workspaceId: string;
    /** For whom it runs: accounts of other end users do not exist then. Those of nobody are there where the builder chose them. */
    endUserId: string | undefined;
    /** In an agent's run all accounts are its builder's choice, also those that its mapping gives the tool. */
    byAgent?: boolean;
    place: string;
    inputs: readonly ToolInput[];
    values: Record<string, unknown>;
  },
  step: CatalogueStep,
  choice: AccountChoice,
): Promise<Chosen> => {
  const { workspaceId, endUserId } = where;
  const chosenByBuilder = async (accountId: string): Promise<Chosen> => {
    const chosen = await accounts.choose(workspaceId, step, { accountId });
    const isAnothers = chosen.endUserId !== undefined && chosen.endUserId !== endUserId;
    if (endUserId !== undefined && isAnothers) throw new Fault('not_found', 'There is no such account.');
    return chosen;
  };
  if ('id' in choice) return chosenByBuilder(choice.id);
  if ('secret' in choice) return accounts.choose(workspaceId, step, { secretId: choice.secret });
  const given = where.values[choice.input];
  if (typeof given !== 'string') throw wrong('accountId', `accountId: ${where.place} needs an account.`);
  const asked = where.byAgent
    ? chosenByBuilder(given)
    : accounts.choose(workspaceId, step, { accountId: given, endUserId });
  const account = await asked.catch((error: unknown) => {
    throw ofAccount(error);
  });
  const type = where.inputs.find(({ name }) => name === choice.input)?.permissionType;
  if (type === undefined || account.permissionTypes.includes(type)) return account;
  const message = `needs the permission type "${type}"`;
  const connect = offerOf(account, step.integration, [type]);
  throw new Fault('invalid_input', `accountId: ${account.name} was not connected with the permission type "${type}".`, {
    details: { fields: [{ field: 'accountId', message }], ...(connect === undefined ? {} : { connect }) },
  });
};

/** What the builder gave the inputs that nobody gives. */
export const defaultsOf = (inputs: readonly ToolInput[]): Template[] =>
  inputs.map(({ default: value }) => ({ kind: 'constant', value }));

/** What one use of a tool is given, and what it may do. */
export type ToolWork = {
  tool: CompiledTool;
  given: Record<string, unknown>;
  /** Whether its sends may leave without asking, where the step allows it too. */
  maySend: boolean;
  /** Of an agent: how far it may send by itself. */
  autopilot?: (Autopilot & { toolId: string }) | undefined;
  /** The number of its first step in the run. */
  from: number;
  /** Which of an agent's calls it is. */
  call?: number;
  /** What an earlier execution finished. */
  finished: ReadonlyMap<string, Finished>;
};

export type ToolWalk = (live: Live, logbook: Logbook, work: ToolWork) => Promise<Performed>;

/** Carries out the steps of a tool one after the other, each with what came before. */
export const createToolWalk = (options: {
  performer: Performer;
  accounts: Accounts;
  doneLately: DoneLately;
  rulesNow: RulesNow;
  requireGiven: RequireGiven;
}): ToolWalk => {
  const { performer, accounts, doneLately, rulesNow, requireGiven } = options;

  const carryOut = async (
    live: Live,
    logbook: Logbook,
    position: number,
    step: CompiledTool['plan'][number],
    scope: { inputs: Record<string, unknown>; steps: Record<string, unknown> },
    rules: { inputs: readonly ToolInput[]; call: number | undefined } & Pick<ToolWork, 'maySend' | 'autopilot'>,
  ) => {
    const { run } = live;
    const begun = performance.now();
    const calls: CallRecord[] = [];
    const { call } = rules;
    const autopilot = rules.autopilot && {
      ...rules.autopilot,
      fixed: [...rules.autopilot.fixed, ...defaultsOf(rules.inputs), step.template],
    };
    const entry: Record<string, unknown> = {
      ...(call === undefined ? {} : { call }),
      key: step.key,
      stepId: step.step,
    };
    const close = (rest: Record<string, unknown>) => {
      if (readsMore(run, calls)) live.hasRead = true;
      logbook.note('step', { ...entry, ...rest, ms: Math.round(performance.now() - begun), calls });
    };
    /** Of an agent it is looked at in the moment of each send; what begins at once has just been looked up. */
    const isStillLet = async (): Promise<boolean> => {
      const { tool_id: toolId } = run;
      if (autopilot !== undefined || run.attempts === 1 || toolId === null) return true;
      return (await rulesNow(run, { ...step, toolId })).permission === 'autopilot';
    };
    let isPerformed = false;
    try {
      const definition = performer.stepOf(step.step);
      const input = parseInput(definition, fill(step.template, scope, step.place), step.place);
      entry['input'] = input;
      const maySend = rules.maySend && step.permission === 'autopilot' && (await isStillLet());
      const where = {
        workspaceId: run.workspace_id,
        endUserId: run.end_user_id ?? undefined,
        byAgent: run.agent_id !== null,
        place: step.key,
        inputs: rules.inputs,
        values: scope.inputs,
      };
      const account = await chooseFor(accounts, where, definition, step.account);
      entry['accountId'] = account.id;
      requireScopes(account, definition);
      const asOfNow = { ...live };
      type Rules = NonNullable<typeof autopilot>;
      const strictest = async (rules: Rules) => {
        const { permission, recipients } = await rulesNow(run, { ...step, toolId: rules.toolId });
        return { permission, rules: recipients === 'guarded' ? { ...rules, recipients } : rules };
      };
      const doubt = async (given: Rules, view: SendView) => {
        const { permission, rules } = await strictest(given);
        if (permission === 'approval') return 'Since this began, it was set that a person is asked before each send.';
        return doubtOf(doneLately, asOfNow, account.id, rules)(view);
      };
      const lure = async (given: Rules, addresses: readonly string[]) =>
        lureOf(run, (await strictest(given)).rules)?.(addresses);
      const fixed = autopilot?.fixed ?? [...defaultsOf(rules.inputs), step.template];
      // Whoever gives an address by hand knows it; a model may have been told to, and nobody was asked yet.
      const isByModel = autopilot !== undefined || run.started_by.via === 'mcp';
      // An agent is given what happened, or what somebody gave it by hand, before a model reads anything; what a tool is
      // given over MCP is the model's to give.
      const before = run.agent_id === null ? undefined : run.input;
      const mayLoad = async (address: string) =>
        autopilot !== undefined && maySend
          ? (await lure(autopilot, [address])) === undefined
          : isNamedIn(address, fixed, before);
      // What begins at once has just been looked up.
      const mayBeTaken = call !== undefined || run.attempts > 1;
      isPerformed = true;
      live.asks = definition.integration.name;
      const { output, warnings } = await performer.perform({
        run,
        position,
        step: definition,
        account,
        input,
        maySend,
        doubt: maySend && autopilot !== undefined ? (view) => doubt(autopilot, view) : undefined,
        brake: autopilot === undefined ? undefined : brakeOf(doneLately, run, account.id),
        rounds: autopilot && roundsOf(doneLately, run, account.id),
        lure: autopilot && ((addresses) => lure(autopilot, addresses)),
        mayLoad: isByModel ? mayLoad : undefined,
        permit: mayBeTaken && autopilot ? () => requireGiven(run, autopilot.toolId) : undefined,
        excess: autopilot === undefined ? undefined : excessOf(doneLately, run, account.id),
        ends: live.ends,
        begin: logbook.begin,
        stored: live.gate && (() => live.gate?.pass() ?? Promise.resolve()),
        onEdited: (edited) => {
          entry['edited'] = edited;
        },
        onCall: (call) => void calls.push(call),
      });
      const kept = asJson(output);
      close({ output: kept, ...(warnings.length === 0 ? {} : { warnings }) });
      return { output: kept, warnings, hasWritten: hasWritten(calls) };
    } catch (error) {
      if (error instanceof AwaitApproval) throw error;
      const told = ofStep(isPerformed ? error : await performer.giveUp({ run, position }, error), step);
      close(told instanceof Fault ? { error: { code: told.code, message: told.message } } : {});
      throw told;
    }
  };

  return async (live, logbook, { tool, given, maySend, autopilot, from, call, finished }) => {
    const inputs = readInputs(tool.inputs, given);
    const steps: Record<string, unknown> = {};
    const scope = { inputs, steps };
    const warnings: string[] = [];
    const done: string[] = [];
    try {
      for (const [at, step] of tool.plan.entries()) {
        live.cancelled?.signal.throwIfAborted();
        const earlier = finished.get(step.key);
        const before =
          earlier === undefined
            ? await carryOut(live, logbook, from + at, step, scope, { inputs: tool.inputs, maySend, autopilot, call })
            : { ...earlier, warnings: [] };
        steps[step.key] = { output: before.output };
        warnings.push(...before.warnings);
        if (before.hasWritten) done.push(step.key);
      }
      // By now everything is done: told as a failure, it would be done once more.
      const output = fill(tool.result, scope, 'output', (message) => warnings.push(message)) ?? null;
      return { output, warnings };
    } catch (error) {
      throw afterDone(error, done);
    }
  };
};

/** Carries out a run of one tool. */
export const createToolProgram = (options: { versions: Versions; walk: ToolWalk; starter: Starter }): Program => {
  const { versions, walk, starter } = options;

  /** The tool, what it was given, and whether its sends may leave without asking. The stricter word counts. */
  const readRun = async ({ run }: Live): Promise<Pick<ToolWork, 'tool' | 'given' | 'maySend' | 'autopilot'>> => {
    const { workspace_id: workspaceId, tool_id: id, tool_version: version } = run;
    if (id === null || version === null) throw new Fault('conflict', 'The tool was deleted before this run began.');
    const tool = await versions.tool({ workspaceId, id, version });
    const { agent_id: agentId, agent_version: agentVersion } = run;
    if (agentId === null || agentVersion === null)
      return { tool, given: run.input, maySend: await starter.maySend(run) };
    const agent = await versions.agent({ workspaceId, id: agentId, version: agentVersion });
    const { permission = 'approval', recipients = 'guarded' } = agent.tools.find(({ toolId }) => toolId === id) ?? {};
    return {
      tool,
      given: mapInput(agent, tool, run.input),
      maySend: run.may_send && permission === 'autopilot',
      autopilot: { toolId: id, recipients, fixed: agent.mapping.map(([, template]) => template) },
    };
  };

  return async (live, logbook) => {
    const finished = finishedIn(await logbook.earlier());
    return walk(live, logbook, { ...(await readRun(live)), from: 0, finished });
  };
};
