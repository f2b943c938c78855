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

export const readJournal = (db: Database, run: { workspaceId: string; runId: string }): Promise<JournalEntry[]> =>
  db
    .selectFrom('journal')
    .select(['seq', 'at', 'kind', 'data'])
    .where('workspace_id', '=', run.workspaceId)
    .where('run_id', '=', run.runId)
    .orderBy('seq')
    .execute();
