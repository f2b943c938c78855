import { type Selectable, sql } from 'kysely';
import type { Clock, Intervals } from '#clock';
import type { ApprovalRecords } from '#effects';
import { Fault, storableJson } from '#kit';
import { type Actor, type Database, newId, type Store, type Tables } from '#store';
import { appendJournal, type JournalEntry, type NewEntry, readJournal, started, wholeJournal } from './journal.ts';
import { ms } from './leases.ts';
import { createParking, type Parking } from './parking.ts';
import { createCompletion } from './run-completion.ts';
import { endColumns, type RunEnd } from './run-end.ts';
import { type RunSummary, summarize } from './run-summary.ts';
import { mayBeTriedAgain } from './stored-fault.ts';
import { endedRun, type Telling } from './telling.ts';

export type RunRow = Selectable<Tables['runs']>;

export type Run = RunSummary & { input: unknown; output: unknown; warnings: string[]; journal: JournalEntry[] };

export type NewRun = {
  workspaceId: string;
  actor: Actor;
  stepId?: string;
  accountId?: string;
  toolId?: string;
  toolVersion?: number;
  input: Record<string, unknown>;
  maySend: boolean;
  requestKey?: string | undefined;
  /** The run that it tries again. */
  retryOf?: string;
  /** The agent in whose view a tool was called. */
  forAgent?: string | undefined;
  /** For whom on an embedding platform it runs. */
  endUserId?: string | undefined;
};

/** A run that is not stored yet: one that only reads is written down when it ends, in one go with others. */
export const draftRun = (clock: Clock, run: NewRun): RunRow => {
  const createdAt = clock.now();
  const { stepId = null, accountId = null, toolId = null, toolVersion = null, requestKey = null, retryOf = null } = run;
  return {
    id: newId('run', createdAt),
    workspace_id: run.workspaceId,
    step_id: stepId,
    account_id: accountId,
    status: 'running',
    started_by: run.actor,
    input: run.input,
    may_send: run.maySend,
    output: null,
    warnings: null,
    error: null,
    journal: null,
    attempts: 1,
    lapses: 0,
    tries: 0,
    waited_ms: 0,
    waits_for: null,
    created_at: createdAt,
    finished_at: null,
    request_key: requestKey,
    lease_owner: null,
    lease_until: null,
    agent_id: null,
    agent_version: null,
    tool_id: toolId,
    tool_version: toolVersion,
    event_id: null,
    trigger_id: null,
    lane: null,
    lane_order: null,
    cancel_asked: null,
    retry_of: retryOf,
    seated: false,
    for_agent: run.forAgent ?? null,
    end_user_id: run.endUserId ?? null,
  };
};

/** Runs as the database keeps them. */
export type RunRecords = {
  /** Stores a run that `owner` holds from its first moment. False: its key is taken, or the workspace is stopped. */
  begin(run: RunRow, owner: string): Promise<boolean>;
  /** The same in the caller's transaction. */
  insert(tx: Database, run: RunRow, owner: string): Promise<boolean>;
  /** Stores a run that was never begun, with how it ended. */
  complete(run: RunRow, end: RunEnd, entries: readonly NewEntry[]): Promise<void>;
  /** Writes down what a run that `owner` still holds has done so far; false when it lost it meanwhile. */
  append(run: RunRow, owner: string, entries: readonly NewEntry[]): Promise<boolean>;
  park: Parking['park'];
  waitsFor: Parking['waitsFor'];
  /** Ends a run that `owner` still holds; false when it lost it meanwhile. */
  finish(run: RunRow, owner: string, end: RunEnd, entries: readonly NewEntry[]): Promise<boolean>;
  journal(run: Pick<RunRow, 'workspace_id' | 'id'>): Promise<JournalEntry[]>;
  byRequestKey(workspaceId: string, requestKey: string): Promise<RunRow | undefined>;
  row(workspaceId: string, id: string): Promise<RunRow>;
  get(workspaceId: string, id: string): Promise<Run>;
};

export const createRunRecords = (options: {
  store: Store;
  clock: Clock;
  intervals: Intervals;
  telling: Telling;
  approvals: ApprovalRecords;
}): RunRecords => {
  const { store, clock, intervals, telling, approvals } = options;

  const find = (workspaceId: string) =>
    store.of(workspaceId).selectFrom('runs').selectAll().where('workspace_id', '=', workspaceId);

  const row = async (workspaceId: string, id: string): Promise<RunRow> => {
    const found = await find(workspaceId).where('id', '=', id).executeTakeFirst();
    if (found === undefined) throw new Fault('not_found', 'There is no such run.');
    return found;
  };

  const complete = createCompletion(options);

  /** False: its key is taken, or the workspace is stopped. */
  const insert = async (tx: Database, run: RunRow, owner: string): Promise<boolean> => {
    const { rows } = await sql`
      insert into runs (id, workspace_id, step_id, account_id, tool_id, tool_version, status, started_by, input,
        may_send, attempts, created_at, request_key, retry_of, for_agent, end_user_id, lease_owner, lease_until)
      select ${run.id}, ${run.workspace_id}, ${run.step_id}, ${run.account_id}, ${run.tool_id},
        ${run.tool_version}, 'running', ${JSON.stringify(run.started_by)}, ${JSON.stringify(run.input)}, ${run.may_send}, 1, ${run.created_at},
        ${run.request_key}, ${run.retry_of}, ${run.for_agent}, ${run.end_user_id}, ${owner}, clock_timestamp() + ${ms(intervals.leaseMs)}
      from workspaces where workspace_id = ${run.workspace_id} and stopped_at is null
      on conflict (workspace_id, request_key) where request_key is not null do nothing
      returning 1`.execute(tx);
    if (rows.length === 0) return false;
    await appendJournal(tx, { workspaceId: run.workspace_id, runId: run.id }, [started(run)]);
    return true;
  };

  const journal: RunRecords['journal'] = ({ workspace_id: workspaceId, id: runId }) =>
    readJournal(store.of(workspaceId), { workspaceId, runId });

  return {
    journal,
    insert,
    row,
    byRequestKey: (workspaceId, requestKey) =>
      find(workspaceId).where('request_key', '=', requestKey).executeTakeFirst(),

    ...createParking({ store, clock, approvals, insert }),

    begin: (run, owner) =>
      store
        .of(run.workspace_id)
        .transaction()
        .execute((tx) => insert(tx, run, owner)),

    complete: (run, end, entries) => complete({ run, end, entries }),

    append: async (run, owner, entries) => {
      const rows = entries.map((entry, at) => ({ ...entry, seq: at + 1 }));
      const { numAffectedRows } = await sql`
        insert into journal (workspace_id, run_id, seq, at, kind, data)
        select r.workspace_id, r.id, e.seq + coalesce((
            select max(j.seq) from journal j where j.workspace_id = r.workspace_id and j.run_id = r.id
          ), 0), e.at, e.kind, e.data
        from (
          select workspace_id, id from runs
          where workspace_id = ${run.workspace_id} and id = ${run.id} and lease_owner = ${owner} for update
        ) r, json_populate_recordset(null::journal, ${storableJson(JSON.stringify(rows))}::json) e`.execute(
        store.of(run.workspace_id),
      );
      return numAffectedRows !== 0n;
    },

    finish: (run, owner, end, entries) =>
      store
        .of(run.workspace_id)
        .transaction()
        .execute(async (tx) => {
          const { status, output, warnings, error } = endColumns(end);
          const text = (value: unknown) => (value === null ? null : JSON.stringify(value));
          const held = await tx
            .updateTable('runs')
            .set({
              status,
              output: text(output),
              warnings: text(warnings),
              error: text(error),
              ...(error !== null && mayBeTriedAgain(error) ? { request_key: null } : {}),
              finished_at: clock.now(),
              lease_owner: null,
              lease_until: null,
            })
            .where('workspace_id', '=', run.workspace_id)
            .where('id', '=', run.id)
            .where('lease_owner', '=', owner)
            .returning('id')
            .executeTakeFirst();
          if (held === undefined) return false;
          await appendJournal(tx, { workspaceId: run.workspace_id, runId: run.id }, entries);
          if (await telling.wanted([run.workspace_id])) await telling.tell(tx, [endedRun(run, end)]);
          return true;
        }),

    get: async (workspaceId, id) => {
      const found = await row(workspaceId, id);
      const { input, output, warnings } = found;
      const entries = wholeJournal(found, await journal(found));
      return { ...summarize(found), input, output, warnings: warnings ?? [], journal: entries };
    },
  };
};
