import type { CallToolResult } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Accounts } from '#accounts';
import { type CatalogueStep, endUserIdShape, Fault, visibleText, wrongFields } from '#kit';
import {
  accountCandidates,
  FaultShape,
  type RemoteRuns,
  type RemoteTool,
  type Run,
  type Runs,
  type Tool,
  type Tools,
} from '#runs';
import type { Caller, RunKeyHolder } from '#workspaces';
import { takesDryRun, takesEndUser, takesKey } from './describe.ts';
import { fixedFor, withFixed } from './fixed.ts';
import type { Offered, View } from './offer.ts';
import { otherFields } from './other-fields.ts';
import { answer, failureOf, fitting, refusal, seen, waiting } from './results.ts';

type RehearsedStep = Awaited<ReturnType<Tools['dryRun']>>[number];
type Arguments = Record<string, unknown>;

export type Call = (view: View, offered: Offered, given: Arguments) => Promise<CallToolResult>;

const Id = z.string().min(1).max(100).optional();
const AccountCalled = z.string().min(1).max(320).optional();
const EndUserId = endUserIdShape().optional();
const Key = z
  .string()
  .regex(/^(?! *$)[\x20-\x7e]{1,200}$/, 'must be 1 to 200 printable characters, not blanks alone')
  .optional();
const DryRun = z.boolean().optional();
const RunId = z.string().max(100).startsWith('run_', 'must be the runId that a call answered with (run_…)');
const RunQuestion = z.strictObject({ runId: RunId, offset: z.int().min(0).optional() });
const Waiting = z.looseObject({ runId: z.string(), approval: z.looseObject({ id: z.string() }) });

/** What is left to do about a run that has no outcome to look at. */
const openNext: Partial<Record<Run['status'], string>> = {
  queued: 'It has not begun; ask again in a few seconds.',
  running: 'It is not over; ask again in a few seconds, and do not call again.',
};

const untilServed = 'It waits for a service and goes on by itself: ask again after nextTryAt, and do not call again.';

/** What a run was last told to wait for. */
const approvalOf = ({ journal }: Run): string | undefined => {
  const approvalId = journal.findLast(({ kind }) => kind === 'waiting_approval')?.data['approvalId'];
  return typeof approvalId === 'string' ? approvalId : undefined;
};

/** What the last call came to that another platform's agent made in its run. */
const lastCall = ({ id, journal }: Run, offset: number | undefined): Record<string, unknown> => {
  const last = journal.findLast(({ kind }) => kind === 'tool')?.data;
  if (last === undefined) return {};
  const { call, toolId, output, error } = last;
  const told = error === undefined ? fitting(output, id, offset) : { error: failureOf(FaultShape.parse(error)) };
  return { lastCall: { call, toolId, ...told } };
};

/** What would be written; `null` for nothing. */
const played = (rehearsed: RehearsedStep['wrote']) => {
  const { effect = null, request = null, view } = rehearsed ?? {};
  return { effect, request, ...(view === undefined ? {} : { view: seen(view) }) };
};

const showPlayed = (steps: readonly RehearsedStep[]): CallToolResult =>
  answer({
    status: 'dry_run',
    steps: steps.map(({ wrote, input = null, ...rest }) => ({ ...rest, input, ...played(wrote) })),
  });

const parse = <T>(schema: z.ZodType<T>, value: unknown, argument: string): T => {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = wrongFields(parsed.error.issues, argument);
  throw new Fault('invalid_input', 'The arguments do not fit.', { details: { fields } });
};

const besideInput = new Set(['accountId', 'secretId', 'endUserId']);

/** Whether null says something there: of some fields it is a choice of its own, and what is no field is refused as such. */
const takesNull = ({ input: { shape } }: CatalogueStep, name: string): boolean =>
  Object.hasOwn(shape, name) ? shape[name].safeParse(null).success : !besideInput.has(name);

/** A model that leaves something out often says null. */
const chosenIn = (offered: Offered, given: Arguments): Arguments => {
  const isChosen = (name: string) => offered.kind === 'step' && takesNull(offered.step, name);
  return Object.fromEntries(Object.entries(given).filter(([name, value]) => value !== null || isChosen(name)));
};

const byModel = ({ actor }: Pick<Caller, 'actor'>) => ({ ...actor, via: 'mcp' as const });

/**
 * Carries a call out. What leaves always asks a person first: no key and no tool can allow it from here. Only in the run of
 * an agent its own permission counts, as it does wherever its tools are used for it.
 */
export const createCall = (options: {
  runs: Runs;
  tools: Tools;
  remote: RemoteRuns;
  accounts: Accounts;
  publicUrl: URL;
  toFault: (error: unknown, requestId: string) => Fault;
}): Call => {
  const { runs, tools, remote, accounts, publicUrl, toFault } = options;

  const show = (result: Awaited<ReturnType<Runs['runStep'] | Tools['run']>>): CallToolResult => {
    if ('dryRun' in result) {
      const { dryRun, account } = result;
      return answer({ status: 'dry_run', ...played(dryRun), account });
    }
    if (!('output' in result)) {
      const { runId, approval } = Waiting.parse(result);
      return answer(waiting(publicUrl, runId, approval.id));
    }
    const { runId, output, warnings, replayed } = result;
    return answer({
      status: 'succeeded',
      runId,
      ...('summary' in result ? { summary: visibleText(result.summary).text } : {}),
      ...fitting(output, runId),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...('account' in result ? { account: result.account } : {}),
      ...(replayed ? { replayed } : {}),
    });
  };

  const runStep = async ({ caller }: View, step: CatalogueStep, given: Arguments) => {
    const { workspaceId } = caller;
    const actor = byModel(caller);
    const { accountId, secretId, endUserId, ...input } = given;
    const forWhom = {
      accountId: parse(AccountCalled, accountId, 'accountId'),
      secretId: parse(Id, secretId, 'secretId'),
      endUserId: parse(EndUserId, endUserId, 'endUserId'),
    };
    return show(await runs.runStep({ workspaceId, actor, stepId: step.id, ...forWhom, input, maySend: false }));
  };

  const runTool = async ({ caller, agent }: View, tool: Tool, given: Arguments) => {
    const { workspaceId } = caller;
    const actor = byModel(caller);
    if (agent?.state === 'paused') throw new Fault('conflict', 'This agent is paused; a person can enable it.');
    const rest = { ...given };
    const take = (name: string, isOurs: boolean): unknown => {
      if (!isOurs) return undefined;
      const { [name]: value } = rest;
      delete rest[name];
      return value;
    };
    const key = parse(Key, take('idempotencyKey', takesKey(tool)), 'idempotencyKey');
    const endUser = take('endUserId', takesEndUser(tool, fixedFor(agent, tool)));
    const endUserId = parse(EndUserId, endUser, 'endUserId');
    const dryRun = parse(DryRun, take('dryRun', takesDryRun(tool)), 'dryRun');
    const input = withFixed(agent, tool, rest);
    if (dryRun) return showPlayed(await tools.dryRun({ workspaceId, actor, toolId: tool.id, input, endUserId }));
    const requestKey = key === undefined ? undefined : `${actor.id} ${key}`;
    const asked = { workspaceId, actor, toolId: tool.id, input, requestKey, forAgent: agent?.id, endUserId };
    return show(await tools.run({ ...asked, maySend: false }));
  };

  /** In the run whose key it is. What may leave by itself is the agent's to say. */
  const useHeld = async (holder: RunKeyHolder, { id: toolId, schema }: RemoteTool, given: Arguments) => {
    const { idempotencyKey, ...rest } = given;
    const own = Object.hasOwn(schema['properties'] as object, 'idempotencyKey');
    const requestKey = own ? undefined : parse(Key, idempotencyKey, 'idempotencyKey');
    return show(await remote.use(holder, { toolId, input: own ? given : rest, requestKey }));
  };

  /** An agent sees its own calls alone; what it may not see looks like what is not there. */
  const isTheirs = ({ caller, agent }: View, { id, toolId, startedBy }: Run): boolean => {
    if (caller.kind === 'run') return caller.runId === id;
    return (
      agent === undefined || (startedBy.id === caller.actor.id && agent.tools.some((given) => given.toolId === toolId))
    );
  };

  const getRun = async (view: View, given: Arguments): Promise<CallToolResult> => {
    const { runId, offset } = parse(RunQuestion, given, '');
    const run = await runs.get(view.caller.workspaceId, runId);
    if (!isTheirs(view, run)) throw new Fault('not_found', 'There is no such run.');
    const { status, output, warnings, error, waiting: waitsFor } = run;
    const next = waitsFor === undefined ? openNext[status] : untilServed;
    if (status === 'waiting_approval') return answer(waiting(publicUrl, runId, approvalOf(run)));
    if (view.caller.kind === 'run') return answer({ status, runId, ...lastCall(run, offset) });
    const told = status === 'succeeded' ? await runs.told(view.caller.workspaceId, run) : undefined;
    return answer({
      status,
      runId,
      ...(told?.summary === undefined ? {} : { summary: visibleText(told.summary).text }),
      ...(status === 'succeeded' ? fitting(output, runId, offset) : {}),
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(told?.account === undefined ? {} : { account: told.account }),
      ...(error === null ? {} : { error: failureOf(error) }),
      ...(waitsFor === undefined ? {} : { waiting: waitsFor }),
      ...(next === undefined ? {} : { next }),
    });
  };

  /** What a person has to do first, and to which account: whoever calls a tool may never have seen its name. */
  const personsPart = async ({ caller }: View, { code, details }: Fault): Promise<string | undefined> => {
    const id = details?.['accountId'];
    if (typeof id !== 'string' || caller.kind === 'run') return undefined;
    const account = await accounts.get(caller.workspaceId, id).catch(() => undefined);
    // An end user has no page here.
    if (account === undefined || account.endUserId !== undefined) return undefined;
    const page = new URL(`/integrations/${account.integration}`, publicUrl).href;
    if (code === 'reconnect_needed')
      return `Ask the user to connect ${account.name} again at ${page}, then call again.`;
    if (account.state === 'paused') return `Ask the user to resume ${account.name} at ${page}, then call again.`;
    return undefined;
  };

  return async (view, offered, sent) => {
    const { workspaceId } = view.caller;
    const given = chosenIn(offered, sent);
    let tool: Tool | undefined;
    try {
      if (offered.kind === 'get_run') return await getRun(view, given);
      if (offered.kind === 'step') return await runStep(view, offered.step, given);
      if (offered.kind === 'held') return await useHeld(offered.holder, offered.tool, given);
      tool = await tools.get(workspaceId, offered.id);
      return await runTool(view, tool, given);
    } catch (error) {
      const fault = toFault(error, view.requestId);
      const asked = offered.kind === 'step' ? offered.step : tool;
      const fixed = tool === undefined ? {} : fixedFor(view.agent, tool);
      const fields = fault.code === 'invalid_input' ? otherFields(offered, tool, fixed, given) : undefined;
      const candidates =
        asked && (await accountCandidates(accounts, workspaceId, asked, { ...given, ...fixed }, fault));
      // What the builder chose is not for the caller to choose otherwise.
      const open = (candidates ?? []).filter(({ argument }) => !Object.hasOwn(fixed, argument));
      return refusal(fault, open, { others: fields, next: await personsPart(view, fault) });
    }
  };
};
