import { isDeepStrictEqual } from 'node:util';
import type { Accounts } from '#accounts';
import type { Clock } from '#clock';
import { type Guard, stopped } from '#effects';
import { type Catalogue, type CatalogueStep, Fault } from '#kit';
import type { Log } from '#log';
import type { Actor } from '#store';
import type { NewEntry } from './journal.ts';
import type { Leases, Orphan } from './leases.ts';
import type { RunRecords, RunRow } from './run-records.ts';

export type StepRequest = {
  workspaceId: string;
  actor: Actor;
  stepId: string;
  accountId?: string | undefined;
  input: unknown;
  /** Whether what counts as a send may leave without a person's approval. */
  maySend: boolean;
  /** Repeating a request with the same key answers with the first one's run. */
  requestKey?: string | undefined;
};

export type StepResult = { runId: string; output: unknown; account: { id: string; name: string }; replayed: boolean };

/** Runs: carried out here and now by the process that accepted them, taken over by another when it dies. */
export type Runs = Pick<RunRecords, 'get' | 'list'> & {
  runStep(request: StepRequest): Promise<StepResult>;
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
  const parsed = step.input.strict().safeParse(given);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map(({ path, message }) => ({ field: ['input', ...path].join('.'), message }));
  const mistakes = fields.map(({ field, message }) => `${field}: ${message}`).join('; ');
  throw new Fault('invalid_input', `The input does not fit ${step.id}. ${mistakes}`, { details: { fields } });
};

const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

export const createRuns = (options: {
  records: RunRecords;
  leases: Leases;
  catalogue: Catalogue;
  accounts: Accounts;
  guard: Guard;
  clock: Clock;
  log: Log;
  storageFault: (error: unknown) => Fault | undefined;
}): Runs => {
  const { records, leases, catalogue, accounts, guard, clock, log, storageFault } = options;
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

  const fail = async (run: RunRow, fault: Fault, entries: readonly NewEntry[]): Promise<void> => {
    const { code, message, details, retryAfterMs } = fault;
    const error = { code, message, ...(details === undefined ? {} : { details }), retryAfterMs };
    const end = { at: clock.now(), kind: 'failed', data: { error } };
    await records.finish(run, leases.owner, { error }, [...entries, end]);
  };

  const carryOut = async (run: RunRow, entries: NewEntry[]): Promise<unknown> => {
    const step = stepOf(run.step_id);
    const note = (kind: string, data: Record<string, unknown>) => entries.push({ at: clock.now(), kind, data });
    const upstream = guard.upstreamFor(
      {
        workspaceId: run.workspace_id,
        runId: run.id,
        accountId: run.account_id,
        actor: run.started_by,
        step,
        input: run.input,
        maySend: run.may_send,
        resumed: run.attempts > 1,
      },
      (call) => note('call', call),
      stopping.signal,
    );
    const output: unknown = step.output.parse(await step.run(run.input, { upstream }));
    note('finished', {});
    if (await records.finish(run, leases.owner, { output }, entries)) return output;
    throw new Fault('conflict', 'Another process took this run over; look at the run.', { details: { runId: run.id } });
  };

  const execute = (run: RunRow): Promise<unknown> =>
    leases.holding(run.id, async () => {
      const entries: NewEntry[] = [];
      try {
        return await carryOut(run, entries);
      } catch (error) {
        const fault = toFault(error, run.id);
        const orphan = { runId: run.id, workspaceId: run.workspace_id };
        if (waits(fault, run.attempts)) {
          await leases
            .giveBack(orphan, 1_000 * run.attempts)
            // Then the lease runs out by itself.
            .catch((cause: unknown) => log.warn({ err: cause, runId: run.id }, 'a run could not be given back'));
        } else await fail(run, fault, entries);
        throw fault;
      }
    });

  /** Answers a repeated request from the run that the first one made. */
  const answerAgain = (before: RunRow, account: StepResult['account']): StepResult => {
    if (before.status === 'succeeded') return { runId: before.id, output: before.output, account, replayed: true };
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

    runStep: async ({ workspaceId, actor, stepId, accountId, input: given, maySend, requestKey }) => {
      const step = stepOf(stepId);
      const input = parseInput(step, given);
      const { id, name } = await accounts.choose(workspaceId, step.integration.name, accountId);
      const run = await records.begin(
        { workspaceId, actor, stepId, accountId: id, input, maySend, requestKey },
        leases.owner,
      );
      if (run !== undefined)
        return { runId: run.id, output: await execute(run), account: { id, name }, replayed: false };

      const before = requestKey === undefined ? undefined : await records.byRequestKey(workspaceId, requestKey);
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
      await execute(run).catch((error: unknown) => {
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
