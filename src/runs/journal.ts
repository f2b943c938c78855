import { sql } from 'kysely';
import type { Database } from '#store';
import type { RunRow } from './run-records.ts';

export type JournalEntry = { seq: number; at: Date; kind: string; data: Record<string, unknown> };

export type NewEntry = Omit<JournalEntry, 'seq'>;

/** Appends in order, in the caller's own transaction. The run's row must be held or be new. */
export const appendJournal = async (
  db: Database,
  run: { workspaceId: string; runId: string },
  entries: readonly NewEntry[],
): Promise<void> => {
  if (entries.length === 0) return;
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(seq), 0) as last from journal
    where workspace_id = ${run.workspaceId} and run_id = ${run.runId}`.execute(db);
  const last = rows[0]?.last ?? 0;
  await db
    .insertInto('journal')
    .values(
      entries.map(({ at, kind, data }, index) => ({
        workspace_id: run.workspaceId,
        run_id: run.runId,
        seq: last + index + 1,
        at,
        kind,
        data: JSON.stringify(data),
      })),
    )
    .execute();
};

export const readJournal = async (
  db: Database,
  run: { workspaceId: string; runId: string },
): Promise<JournalEntry[]> => {
  const { rows } = await sql<JournalEntry>`
    select seq, at, kind, data from journal where workspace_id = ${run.workspaceId} and run_id = ${run.runId}
    union all
    select entry.* from runs, json_to_recordset(journal) as entry (seq integer, at timestamptz, kind text, data json)
    where workspace_id = ${run.workspaceId} and id = ${run.runId}
    order by seq`.execute(db);
  return rows;
};

/** That a run has started. */
export const started = (run: RunRow): NewEntry => {
  const { step_id: stepId, account_id: accountId, tool_id: toolId, tool_version: toolVersion } = run;
  const { agent_id: agentId, agent_version: agentVersion, event_id: eventId } = run;
  const named = { agentId, agentVersion, eventId, toolId, toolVersion, stepId, accountId };
  const data = Object.fromEntries(Object.entries(named).filter(([, each]) => each !== null));
  return { at: run.created_at, kind: 'started', data };
};

/** An entry as JSON has it. A date among the values makes writing all of them more than twice as slow. */
export type WrittenEntry = Omit<JournalEntry, 'at'> & { at: string };

export const written = ({ at, kind, data }: NewEntry, seq: number): WrittenEntry => ({
  seq,
  at: at.toISOString(),
  kind,
  data,
});

const endings: Readonly<Record<string, string>> = { succeeded: 'finished', failed: 'failed', cancelled: 'cancelled' };

/** What lies between the beginning and the end of a run that is stored when it has ended: those are in the run itself. */
export const between = (entries: readonly NewEntry[]): WrittenEntry[] => {
  const last = entries.at(-1)?.kind ?? '';
  const told = Object.values(endings).includes(last) ? entries.slice(0, -1) : entries;
  return told.map((entry, place) => written(entry, place + 2));
};

/** The journal with a beginning and an end that only the run itself tells. */
export const wholeJournal = (run: RunRow, stored: readonly JournalEntry[]): JournalEntry[] => {
  if (stored[0]?.seq === 1 || run.attempts === 0) return [...stored];
  const begun = [{ seq: 1, ...started(run) }, ...stored];
  const kind = endings[run.status];
  if (kind === undefined || run.finished_at === null) return begun;
  const data = run.error === null ? {} : { error: run.error };
  return [...begun, { seq: begun.length + 1, at: run.finished_at, kind, data }];
};
