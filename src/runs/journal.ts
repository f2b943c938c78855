import { sql } from 'kysely';
import type { Database } from '#store';

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
