import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Account, type Accounts, type Caller, type Chosen, requireScopes } from '#accounts';
import type { Clock } from '#clock';
import { type Guard, type Rehearsed, rehearse } from '#effects';
import { type Catalogue, type CatalogueStep, Fault, type StepContext, type Upstream } from '#kit';
import type { Log } from '#log';
import type { Actor } from '#store';
import { stopped } from '#workspaces';
import type { FileStore } from './files.ts';
import type { NewEntry } from './journal.ts';
import type { Leases, Orphan } from './leases.ts';
import type { RunEnd, RunRecords, RunRow } from './run-records.ts';

export type StepRequest = {
  workspaceId: string;
  actor: Actor;
  stepId: string;
  accountId?: string | undefined;
  /** A stored secret instead of an account. */
  secretId?: string | undefined;
  input: unknown;
  /** Whether what counts as a send may leave without a person's approval. */
  maySend: boolean;
  /** Only show the request that would be sent. */
  dryRun?: boolean | undefined;
  /** Repeating a request with the same key answers with the first one's run. */
  requestKey?: string | undefined;
};

export type StepResult = {
  runId: string;
  output: unknown;
  warnings: string[];
  account: { id: string; name: string };
  replayed: boolean;
};

/** What a dry run answers: the request that would have been sent, and nothing was. */
export type DryRun = { dryRun: Rehearsed | undefined; account: { id: string; name: string } };

/** Runs: carried out here and now by the process that accepted them, taken over by another when it dies. */
export type Runs = Pick<RunRecords, 'get' | 'list'> & {
  runStep(request: StepRequest): Promise<StepResult | DryRun>;
  /** Continues a run that is nobody's. */
  advance(orphan: Orphan): Promise<void>;
  /** Waits for the runs under way in this process, then ends their calls. */
  drain(timeoutMs: number): Promise<void>;
};

const maxAttempts = 8;

// Storage away and the emergency stop say nothing about the run itself, so it waits. A resumed run has nobody who
// would try again for it, so it also waits for the service.
const waits = (fault: Fault, attempt: number): boolean =>
  fault.code === 'unavailable' || (attempt > 1 && attempt < maxAttempts && fault.code === 'upstream_unavailable');

const parseInput = (step: CatalogueStep, given: unknown): Record<string, unknown> => {
  const parsed = step.input.safeParse(given);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({ field: ['input', ...path].join('.'), message }));
  const mistakes = fields.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw new Fault('invalid_input', `The input does not fit ${step.id}. ${mistakes}`, { details: { fields } });
};

/** An answer of another shape than the service's is the service's doing; what was written before it may have happened. */
const oddAnswer = (entries: readonly NewEntry[]): Fault => {
  const wrote = entries.some(({ kind, data }) => kind === 'call' && data['effect'] !== 'read');
  return wrote
    ? new Fault('outcome_unknown', 'The service answered in a way we do not know. It may have happened: look first.')
    : new Fault('upstream_unavailable', 'The service answered in a way we do not know; try again later.');
};

/** What the caller of a run that waits is told: repeating it would do it twice. */
const goesOn = ({ code, message, details, retryAfterMs }: Fault, runId: string): Fault =>
  new Fault(
    code,
    details?.['stopped'] === true
      ? message
      : 'This was interrupted on our side. The run goes on by itself: look at it instead of repeating it.',
    { details: { ...details, runId }, retryAfterMs },
  );

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const needsPerson = ({ title }: CatalogueStep) =>
  new Fault(
    'forbidden',
    `${title} lets something leave, so a person must allow it; it runs with permission "autopilot".`,
    {
      details: { effect: 'send' },
    },
  );

/** A run under way here, and whether the database knows it yet. */
type Live = { run: RunRow; begun: boolean; beginning?: Promise<boolean>; account?: Chosen };

export const createRuns = (options: {
  records: RunRecords;
  leases: Leases;
  catalogue: Catalogue;
  accounts: Accounts;
  caller: Caller;
  guard: Guard;
  files: FileStore;
  clock: Clock;
  log: Log;
  storageFault: (error: unknown) => Fault | undefined;
}): Runs => {
  const { records, leases, catalogue, accounts, caller, guard, files, clock, log, storageFault } = options;
  const stopping = new AbortController();

  const stepOf = (id: string): CatalogueStep => {
    const step = catalogue.step(id);
    if (step === undefined) throw new Fault('not_found', `There is no step "${id}".`);
    return step;
  };

  const toFault = (error: unknown, runId: string): Fault => {
    if (error instanceof Fault) return error;
    const known = storageFault(error);
    if (known !== undefined) return known;
    log.error({ err: error, runId }, 'a run met a defect');
    return new Fault('internal', `Something went wrong on our side; quote ${runId}.`, { cause: error });
  };

  /** Writes down how a run ended; false when another process took it over meanwhile. */
  const end = async ({ run, begun }: Live, how: RunEnd, entries: readonly NewEntry[]): Promise<boolean> => {
    if (begun) return records.finish(run, leases.owner, how, entries);
    await records.complete(run, how, entries);
    return true;
  };

  const fail = async (live: Live, fault: Fault, entries: readonly NewEntry[]): Promise<void> => {
    const { code, message, details, retryAfterMs } = fault;
    const error = { code, message, ...(details === undefined ? {} : { details }), retryAfterMs };
    await end(live, { error }, [...entries, { at: clock.now(), kind: 'failed', data: { error } }]);
  };

  const contextOf = async (
    run: { id: string; workspace_id: string; account_id: string },
    warnings: string[],
    account?: Account,
  ): Promise<Omit<StepContext, 'upstream'>> => {
    const { id, name, identity, scopes } = account ?? (await accounts.holder(run.workspace_id, run.account_id));
    return {
      account: { id, name, identity, scopes },
      files: files.of(run.workspace_id),
      now: clock.now(),
      warn: (text) => void warnings.push(text),
      mark: (n) => `${run.id}-${n}`,
    };
  };

  const begin = async (live: Live): Promise<void> => {
    // Two writes at once begin it together.
    live.beginning ??= live.begun ? Promise.resolve(true) : records.begin(live.run, leases.owner);
    if (!(await live.beginning)) throw stopped();
    live.begun = true;
  };

  const carryOut = async (live: Live, entries: NewEntry[]): Promise<{ output: unknown; warnings: string[] }> => {
    const { run } = live;
    const { step_id: stepId, account_id: accountId } = run;
    if (stepId === null || accountId === null) throw new Error('this run is not one of a step');
    const step = stepOf(stepId);
    const warnings: string[] = [];
    const note = (kind: string, data: Record<string, unknown>) => entries.push({ at: clock.now(), kind, data });
    const context = await contextOf({ ...run, account_id: accountId }, warnings, live.account);
    const upstream = guard.upstreamFor(
      {
        workspaceId: run.workspace_id,
        runId: run.id,
        accountId,
        actor: run.started_by,
        step,
        input: run.input,
        context,
        begin: () => begin(live),
        maySend: run.may_send,
        resumed: run.attempts > 1,
        lastTry: run.attempts >= maxAttempts,
        seen: live.account?.seen(),
      },
      (call) => note('call', call),
      stopping.signal,
    );
    const output: unknown = await step
      .run(run.input, { ...context, upstream })
      .then((answer) => step.output.parse(answer))
      .catch((error: unknown) => {
        if (!(error instanceof z.ZodError)) throw error;
        log.warn({ err: error, runId: run.id }, 'the service answered in another shape than expected');
        throw oddAnswer(entries);
      });
    note('finished', {});
    const result = { output, warnings };
    if (await end(live, result, entries)) return result;
    throw new Fault('conflict', 'Another process took this run over; look at the run.', { details: { runId: run.id } });
  };

  const execute = (live: Live): Promise<{ output: unknown; warnings: string[] }> =>
    leases.holding(live.run.id, async () => {
      const { run } = live;
      const entries: NewEntry[] = [];
      try {
        return await carryOut(live, entries);
      } catch (error) {
        const fault = toFault(error, run.id);
        const orphan = { runId: run.id, workspaceId: run.workspace_id };
        if (waits(fault, run.attempts)) {
          if (!live.begun) throw fault;
          await leases
            .giveBack(orphan, 1_000 * run.attempts)
            // Then the lease runs out by itself.
            .catch((cause: unknown) => log.warn({ err: cause, runId: run.id }, 'a run could not be given back'));
          throw goesOn(fault, run.id);
        }
        await fail(live, fault, entries);
        throw fault;
      }
    });

  /** Answers a repeated request from the run that the first one made. */
  const answerAgain = (before: RunRow, account: StepResult['account']): StepResult => {
    if (before.status === 'succeeded') {
      const { id: runId, output, warnings } = before;
      return { runId, output, warnings: warnings ?? [], account, replayed: true };
    }
    const details = { runId: before.id, status: before.status, replayed: true };
    if (before.error !== null) throw new Fault(before.error.code as Fault['code'], before.error.message, { details });
    throw new Fault('conflict', 'The request with this Idempotency-Key is still running; look at its run.', {
      details,
      retryAfterMs: 1_000,
    });
  };

  return {
    get: records.get,
    list: records.list,

    runStep: async ({
      workspaceId,
      actor,
      stepId,
      accountId,
      secretId,
      input: given,
      maySend,
      requestKey,
      dryRun: rehearsal = false,
    }) => {
      const step = stepOf(stepId);
      const { idempotencyKey, dryRun, ...input } = parseInput(step, given);
      const key = requestKey ?? (typeof idempotencyKey === 'string' ? `${actor.id} ${idempotencyKey}` : undefined);
      const account = await accounts.choose(workspaceId, step, { accountId, secretId });
      requireScopes(account, step);
      const { id, name } = account;
      if (dryRun === true || rehearsal) {
        const context = await contextOf({ id: 'dry-run', workspace_id: workspaceId, account_id: id }, [], account);
        const play = (upstream: Upstream) => step.run(input, { ...context, upstream });
        return { dryRun: await rehearse(caller, { workspaceId, accountId: id, step }, play), account: { id, name } };
      }
      // Before anything is written: not even a draft stands there while nobody has allowed the send.
      if (!maySend && step.sends?.(input)) throw needsPerson(step);
      const live = {
        run: records.draft({ workspaceId, actor, stepId, accountId: id, input, maySend, requestKey: key }),
        begun: false,
        account,
      };
      // A keyed request is stored at once, so that its repetition finds it; others when they first write, or end.
      if (key !== undefined) live.begun = await records.begin(live.run, leases.owner);
      if (key === undefined || live.begun) {
        return { runId: live.run.id, ...(await execute(live)), account: { id, name }, replayed: false };
      }

      const before = key === undefined ? undefined : await records.byRequestKey(workspaceId, key);
      if (before === undefined) throw stopped();
      const same = before.step_id === stepId && before.account_id === id;
      if (!same || !isDeepStrictEqual(before.input, asJson(input))) {
        throw new Fault('conflict', 'This Idempotency-Key was used for another request; use a new one.');
      }
      return answerAgain(before, { id, name });
    },

    advance: async (orphan) => {
      if (!(await leases.take(orphan))) return;
      const run = await records.row(orphan.workspaceId, orphan.runId);
      await execute({ run, begun: true }).catch((error: unknown) => {
        // How it ended is in the run itself.
        if (!(error instanceof Fault)) throw error;
      });
    },

    drain: async (timeoutMs) => {
      const until = performance.now() + timeoutMs;
      while (leases.held() > 0 && performance.now() < until) await clock.sleep(20);
      stopping.abort();
      while (leases.held() > 0 && performance.now() < until + 2_000) await clock.sleep(20);
    },
  };
};
