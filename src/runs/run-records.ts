import { type Selectable, sql } from 'kysely';
import type { Clock, Intervals } from '#clock';
import { afterId, Fault, type Page, type PageRequest, toPage } from '#kit';
import { type Actor, newId, type RunStatus, type Store, type StoredFault, type Tables } from '#store';
import { appendJournal, type JournalEntry, type NewEntry, readJournal } from './journal.ts';
import { ms } from './leases.ts';

export type RunRow = Selectable<Tables['runs']>;

export type RunSummary = {
  id: string;
  stepId: string;
  accountId: string;
  status: RunStatus;
  startedBy: Actor;
  createdAt: Date;
  finishedAt: Date | null;
  error: StoredFault | null;
};

export type Run = RunSummary & { input: unknown; output: unknown; warnings: string[]; journal: JournalEntry[] };

export type NewRun = {
  workspaceId: string;
  actor: Actor;
  stepId: string;
  accountId: string;
  input: Record<string, unknown>;
  maySend: boolean;
  requestKey: string | undefined;
};

/** Runs as the database keeps them. */
export type RunRecords = {
  /** Inserts a run that `owner` holds from its first moment. `undefined`: its key is taken, or the workspace is stopped. */
  begin(run: NewRun, owner: string): Promise<RunRow | undefined>;
  /** Ends a run that `owner` still holds; false when it lost it meanwhile. */
  finish(
    run: RunRow,
    owner: string,
    end: { output: unknown; warnings: readonly string[] } | { error: StoredFault },
    entries: readonly NewEntry[],
  ): Promise<boolean>;
  row(workspaceId: string, id: string): Promise<RunRow>;
  byRequestKey(workspaceId: string, requestKey: string): Promise<RunRow | undefined>;
  get(workspaceId: string, id: string): Promise<Run>;
  list(workspaceId: string, filter: { status?: RunStatus | undefined }, page: PageRequest): Promise<Page<RunSummary>>;
};

const summarize = (row: RunRow): RunSummary => ({
  id: row.id,
  stepId: row.step_id,
  accountId: row.account_id,
  status: row.status,
  startedBy: row.started_by,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
  error: row.error,
});

export const createRunRecords = (options: { store: Store; clock: Clock; intervals: Intervals }): RunRecords => {
  const { store, clock, intervals } = options;

  const find = (workspaceId: string) =>
    store.of(workspaceId).selectFrom('runs').selectAll().where('workspace_id', '=', workspaceId);

  const row = async (workspaceId: string, id: string): Promise<RunRow> => {
    const found = await find(workspaceId).where('id', '=', id).executeTakeFirst();
    if (found === undefined) throw new Fault('not_found', 'There is no such run.');
    return found;
  };

  return {
    row,
    byRequestKey: (workspaceId, requestKey) =>
      find(workspaceId).where('request_key', '=', requestKey).executeTakeFirst(),

    begin: ({ workspaceId, actor, stepId, accountId, input, maySend, requestKey }, owner) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const createdAt = clock.now();
          const id = newId('run', createdAt);
          const { rows } = await sql<RunRow>`
            insert into runs (id, workspace_id, step_id, account_id, status, started_by, input, may_send, attempts, created_at,
              request_key, lease_owner, lease_until)
            select ${id}, ${workspaceId}, ${stepId}, ${accountId}, 'running', ${JSON.stringify(actor)},
              ${JSON.stringify(input)}, ${maySend}, 1, ${createdAt}, ${requestKey ?? null}, ${owner},
              clock_timestamp() + ${ms(intervals.leaseMs)}
            from workspaces where workspace_id = ${workspaceId} and stopped_at is null
            on conflict (workspace_id, request_key) where request_key is not null do nothing
            returning *`.execute(tx);
          const [run] = rows;
          if (run === undefined) return undefined;
          const entry = { at: createdAt, kind: 'started', data: { stepId, accountId } };
          await appendJournal(tx, { workspaceId, runId: id }, [entry]);
          return run;
        }),

    finish: (run, owner, end, entries) =>
      store
        .of(run.workspace_id)
        .transaction()
        .execute(async (tx) => {
          const failed = 'error' in end;
          const held = await tx
            .updateTable('runs')
            .set({
              status: failed ? 'failed' : 'succeeded',
              output: failed ? null : JSON.stringify(end.output ?? null),
              warnings: failed || end.warnings.length === 0 ? null : JSON.stringify(end.warnings),
              error: failed ? JSON.stringify(end.error) : null,
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
          return true;
        }),

    get: async (workspaceId, id) => {
      const found = await row(workspaceId, id);
      const journal = await readJournal(store.of(workspaceId), { workspaceId, runId: id });
      return { ...summarize(found), input: found.input, output: found.output, warnings: found.warnings ?? [], journal };
    },

    list: async (workspaceId, { status }, page) => {
      const after = afterId(page);
      const rows = await find(workspaceId)
        .$if(status !== undefined, (query) => query.where('status', '=', status as RunStatus))
        .$if(after !== undefined, (query) => query.where('id', '<', after as string))
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, summarize);
    },
  };
};
