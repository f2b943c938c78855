import { isDeepStrictEqual } from 'node:util';
import { type Accounts, requireScopes } from '#accounts';
import type { Clock } from '#clock';
import type { Approval, Approvals, Rehearsed } from '#effects';
import { Fault, type Step, wrong } from '#kit';
import type { Actor } from '#store';
import { stopped } from '#workspaces';
import type { Execution, Live, Program } from './execution.ts';
import type { Lanes } from './lanes.ts';
import type { Leases, Orphan } from './leases.ts';
import { type Performed, type Performer } from './perform.ts';
import type { RunList } from './run-list.ts';
import { draftRun, type NewRun, type Run, type RunRecords, type RunRow } from './run-records.ts';
import type { Starter } from './starter.ts';
import { parseInput } from './step-input.ts';
import { faultAgain } from './stored-fault.ts';

export type StepRequest = {
  workspaceId: string;
  actor: Actor;
  stepId: string;
  accountId?: string | undefined;
  /** A stored secret instead of an account. */
  secretId?: string | undefined;
  /** For whom on an embedding platform it runs: accounts of all others do not exist then. */
  endUserId?: string | undefined;
  input: unknown;
  /** Whether what counts as a send may leave without a person's approval. */
  maySend: boolean;
  /** Only show the request that would be sent. */
  dryRun?: boolean | undefined;
  /** Repeating a request with the same key answers with the first one's run. */
  requestKey?: string | undefined;
};

/** What a run answers, or the run that a repeated request made before. */
export type RunAnswer = Performed & { runId: string; replayed: boolean };

/** A run that goes on when somebody has decided. */
export type RunWaiting = { runId: string; approval: Approval };

/** What is told of a step that succeeded. `summary` says in one sentence what came of it. */
export type StepTold = { summary: string; account: { id: string; name: string } };

export type StepResult = RunAnswer & StepTold;

/** What a dry run answers: the request that would have been sent, and nothing was. */
export type DryRun = { dryRun: Rehearsed | undefined; account: { id: string; name: string } };

/** Runs: carried out here and now by the process that accepted them, taken over by another when it dies. */
export type Runs = Pick<RunRecords, 'get'> & {
  list: RunList;
  runStep(request: StepRequest): Promise<StepResult | RunWaiting | DryRun>;
  /** The same of a run of a step that is looked at later: its account, and once it has succeeded what came of it. */
  told(
    workspaceId: string,
    run: Pick<Run, 'stepId' | 'accountId' | 'status' | 'output'>,
  ): Promise<Partial<StepTold> | undefined>;
  /** Carries a new run out while its caller waits. */
  carryOut(run: NewRun, account?: Live['account']): Promise<RunAnswer | RunWaiting>;
  /** Continues a run that is nobody's. */
  advance(orphan: Orphan): Promise<void>;
  /** Waits for the runs under way in this process, then ends their calls. */
  drain(timeoutMs: number): Promise<void>;
};

/** An output that an earlier version stored may lack what the step tells of now. */
const summaryOf = (step: Pick<Step, 'summary' | 'title'>, output: unknown): string => {
  try {
    return step.summary(output);
  } catch {
    return `${step.title}: done.`;
  }
};

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Answers a repeated request from the run that the first one made. */
const answerAgain = ({ id: runId, status, output, warnings, error }: RunRow): RunAnswer => {
  if (status === 'succeeded') return { runId, output, warnings: warnings ?? [], replayed: true };
  const details = { runId, status, replayed: true };
  if (error !== null) throw faultAgain(error, details);
  throw new Fault('conflict', 'The request with this Idempotency-Key is still running; look at its run.', {
    details,
    retryAfterMs: 1_000,
  });
};

const isSame = (before: RunRow, run: RunRow): boolean =>
  before.step_id === run.step_id &&
  before.account_id === run.account_id &&
  before.tool_id === run.tool_id &&
  before.agent_id === run.agent_id &&
  before.may_send === run.may_send &&
  before.end_user_id === run.end_user_id &&
  isDeepStrictEqual(before.input, asJson(run.input));

/** A model over MCP may have been told to name an address, which would carry what it has read to whoever is there. */
const mayLoadFor = ({ via }: Actor) => (via === 'mcp' ? async () => false : undefined);

/** Carries out a run of a single step. */
export const createStepProgram =
  ({ performer, accounts, starter }: { performer: Performer; accounts: Accounts; starter: Starter }): Program =>
  async (live, { note, begin }) => {
    const { run, account, ends } = live;
    const { step_id: stepId, account_id: accountId } = run;
    if (stepId === null || accountId === null) throw new Error('this run is not one of a step');
    const step = performer.stepOf(stepId);
    live.asks = step.integration.name;
    return await performer.perform({
      run,
      position: 0,
      step,
      account: account ?? (await accounts.holder(run.workspace_id, accountId)),
      input: run.input,
      maySend: await starter.maySend(run),
      mayLoad: mayLoadFor(run.started_by),
      ends,
      begin,
      onEdited: (input) => note('edited', { input }),
      onCall: (call) => note('call', call),
    });
  };

export const createRuns = (options: {
  records: RunRecords;
  leases: Leases;
  lanes: Lanes;
  execution: Execution;
  performer: Performer;
  accounts: Accounts;
  approvals: Pick<Approvals, 'get'>;
  clock: Clock;
  list: RunList;
}): Runs => {
  const { records, leases, lanes, execution, performer, accounts, approvals, clock, list } = options;

  const waiting = async (workspaceId: string, runId: string, approvalId: string): Promise<RunWaiting> => ({
    runId,
    approval: await approvals.get(workspaceId, approvalId),
  });

  const carryOut: Runs['carryOut'] = async (draft, account) => {
    const run = draftRun(clock, draft);
    const live: Live = { run, begun: false, ...(account === undefined ? {} : { account }) };
    const { workspaceId, requestKey: key } = draft;
    // A keyed request is stored at once, so that its repetition finds it; others when they first write, or end.
    if (key !== undefined) live.begun = await records.begin(run, leases.owner);
    if (key === undefined || live.begun) {
      const executed = await execution.execute(live);
      if ('approvalId' in executed) return waiting(workspaceId, run.id, executed.approvalId);
      if ('rests' in executed) throw new Error('a run of a step or a tool does not rest');
      return { runId: run.id, ...executed, replayed: false };
    }
    const before = await records.byRequestKey(workspaceId, key);
    if (before === undefined) throw stopped();
    if (isSame(before, run)) {
      const approvalId = before.status === 'waiting_approval' ? await records.waitsFor(before) : undefined;
      return approvalId === undefined ? answerAgain(before) : waiting(workspaceId, before.id, approvalId);
    }
    // Of what ran for somebody else nothing is told.
    const details = before.end_user_id === run.end_user_id ? { runId: before.id, status: before.status } : {};
    throw new Fault('conflict', 'This Idempotency-Key was used for another request; use a new one.', { details });
  };

  return {
    get: records.get,
    list,
    carryOut,

    runStep: async ({
      workspaceId,
      actor,
      stepId,
      accountId: called,
      secretId,
      endUserId,
      input: given,
      maySend,
      requestKey,
      ...rest
    }) => {
      const step = performer.stepOf(stepId);
      const { idempotencyKey, dryRun, ...input } = parseInput(step, given);
      const inputKey = typeof idempotencyKey === 'string' ? `${actor.id} ${idempotencyKey}` : undefined;
      const key = requestKey ?? inputKey;
      // Whichever of two keys were taken, a call repeated under the other would act again.
      if (key !== (inputKey ?? key)) {
        throw wrong('input.idempotencyKey', 'This is another key than the Idempotency-Key; give one of them.');
      }
      const how = { field: 'accountId', integration: step.integration.name, endUserId };
      const accountId = called === undefined ? undefined : await accounts.idOf(workspaceId, called, how);
      const account = await accounts.choose(workspaceId, step, { accountId, secretId, endUserId });
      requireScopes(account, step);
      const { id, name } = account;
      if (dryRun === true || rest.dryRun === true) {
        const played = await performer.rehearse({
          workspaceId,
          endUserId,
          step,
          account,
          input,
          mayLoad: mayLoadFor(actor),
        });
        return { dryRun: 'wrote' in played ? played.wrote : undefined, account: { id, name } };
      }
      const whose = endUserId ?? account.endUserId;
      const run = { workspaceId, actor, stepId, accountId: id, input, maySend, requestKey: key, endUserId: whose };
      const answer = await carryOut(run, account);
      if ('approval' in answer) return answer;
      return { ...answer, summary: summaryOf(step, answer.output), account: { id, name } };
    },

    told: async (workspaceId, { stepId, accountId, status, output }) => {
      if (stepId === undefined || accountId === undefined) return undefined;
      const { id, name } = await accounts.holder(workspaceId, accountId);
      const summary = status === 'succeeded' ? { summary: summaryOf(performer.stepOf(stepId), output) } : {};
      return { ...summary, account: { id, name } };
    },

    advance: async (orphan) => {
      const run = await lanes.take(orphan);
      if (run === undefined) return;
      await execution.execute({ run, begun: true }).catch((error: unknown) => {
        // How it ended is in the run itself.
        if (!(error instanceof Fault)) throw error;
      });
    },

    drain: async (timeoutMs) => {
      const until = performance.now() + timeoutMs;
      while (leases.held() > 0 && performance.now() < until) await clock.sleep(20);
      performer.stop();
      while (leases.held() > 0 && performance.now() < until + 2_000) await clock.sleep(20);
    },
  };
};
