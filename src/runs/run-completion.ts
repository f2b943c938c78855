import type { Clock } from '#clock';
import { storableJson } from '#kit';
import { grouped, type Store } from '#store';
import { between, type NewEntry } from './journal.ts';
import { endColumns, type RunEnd } from './run-end.ts';
import type { RunRow } from './run-records.ts';
import { endedRun, endTogether, type Telling } from './telling.ts';

// Runs of several workspaces at once, hence the house's own view.
const complete = {
  name: 'complete_runs',
  text: `insert into runs (id, workspace_id, step_id, account_id, tool_id, tool_version, status, started_by, input,
      may_send, output, warnings, error, journal, attempts, created_at, finished_at, for_agent, end_user_id)
    select id, workspace_id, step_id, account_id, tool_id, tool_version, status, started_by, input, may_send, output,
      warnings, error, journal, attempts, created_at, finished_at, for_agent, end_user_id
    from json_populate_recordset(null::runs, $1)`,
};

// Under load a caller waits this much longer, and its record costs half as much.
const sharing = { apartMs: 4 };

type Ended = { run: RunRow; end: RunEnd; entries: readonly NewEntry[] };

/** The columns that a run which ends at once has something in: the database reads every name that it is given. */
const completed = ({ run, end, entries }: Ended, finishedAt: string) => {
  const { status, output, warnings, error } = endColumns(end);
  return {
    id: run.id,
    workspace_id: run.workspace_id,
    step_id: run.step_id ?? undefined,
    account_id: run.account_id ?? undefined,
    tool_id: run.tool_id ?? undefined,
    tool_version: run.tool_version ?? undefined,
    status,
    started_by: run.started_by,
    input: run.input,
    may_send: run.may_send,
    output: output ?? undefined,
    warnings: warnings ?? undefined,
    error: error ?? undefined,
    journal: between(entries),
    attempts: run.attempts,
    created_at: run.created_at.toISOString(),
    finished_at: finishedAt,
    for_agent: run.for_agent ?? undefined,
    end_user_id: run.end_user_id ?? undefined,
  };
};

/** Stores runs that were never begun, with how they ended: one statement for all that end at the same moment. */
export const createCompletion = (options: { store: Store; clock: Clock; telling: Telling }) =>
  grouped(async (ended: Ended[]) => {
    const finishedAt = options.clock.now().toISOString();
    const runs = ended.map((each) => completed(each, finishedAt));
    const workspaceIds = ended.map(({ run }) => run.workspace_id);
    await endTogether(
      options,
      { statement: complete, values: [storableJson(JSON.stringify(runs))] },
      workspaceIds,
      () => ended.map(({ run, end }) => endedRun(run, end)),
    );
    return ended.map(() => undefined);
  }, sharing);
