import type { Clock } from '#clock';
import type { ApprovalRecords, Asked, Cause } from '#effects';
import type { Database, Store } from '#store';
import { appendJournal, type NewEntry } from './journal.ts';
import { agentOf } from './run-agent.ts';
import type { RunRow } from './run-records.ts';

/** Runs that wait for a person: nobody holds them, and nobody looks for them. */
export type Parking = {
  /**
   * Stores what is asked and lets the run wait for it, in one transaction. `undefined`: `owner` lost the run meanwhile.
   * `stopped`: it could not even begin. `cancelled`: it is not to go on.
   */
  park(
    run: RunRow,
    begun: boolean,
    owner: string,
    asked: Asked,
    entries: readonly NewEntry[],
  ): Promise<{ approvalId: string } | 'stopped' | 'cancelled' | undefined>;
  /** The approval that a run waits for. */
  waitsFor(run: Pick<RunRow, 'workspace_id' | 'id'>): Promise<string | undefined>;
};

const causeOf = (run: RunRow, stepId: string): Cause => ({
  startedBy: run.started_by,
  stepId,
  ...(run.tool_id === null ? {} : { toolId: run.tool_id }),
  ...agentOf(run),
  ...(run.trigger_id === null ? {} : { triggerId: run.trigger_id }),
  ...(run.event_id === null ? {} : { eventId: run.event_id }),
  ...(run.end_user_id === null ? {} : { endUserId: run.end_user_id }),
});

const isCancelled = async (tx: Database, { workspace_id: workspaceId, id }: RunRow): Promise<boolean> => {
  const asked = tx.selectFrom('runs').select('id').where('workspace_id', '=', workspaceId).where('id', '=', id);
  return (await asked.where('cancel_asked', 'is not', null).executeTakeFirst()) !== undefined;
};

export const createParking = (options: {
  store: Store;
  clock: Clock;
  approvals: ApprovalRecords;
  insert(tx: Database, run: RunRow, owner: string): Promise<boolean>;
}): Parking => {
  const { store, clock, approvals, insert } = options;
  return {
    park: ({ ...run }, begun, owner, asked, entries) =>
      store
        .of(run.workspace_id)
        .transaction()
        .execute(async (tx) => {
          const { workspace_id: workspaceId, id: runId } = run;
          if (!begun && !(await insert(tx, run, owner))) return 'stopped';
          const held = await tx
            .updateTable('runs')
            // Counted anew: waiting for a person is no failed attempt, and what comes next is a resumption.
            .set({
              status: 'waiting_approval',
              lease_owner: null,
              lease_until: null,
              attempts: 1,
              lapses: 0,
              tries: 0,
              waited_ms: 0,
            })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', runId)
            .where('lease_owner', '=', owner)
            .where('status', '=', 'running')
            .where('cancel_asked', 'is', null)
            .returning('id')
            .executeTakeFirst();
          if (held === undefined) return (await isCancelled(tx, run)) ? 'cancelled' : undefined;
          const cause = causeOf(run, asked.stepId);
          const approvalId = await approvals.ask(tx, { workspaceId, runId, cause }, asked);
          const waiting = { at: clock.now(), kind: 'waiting_approval', data: { approvalId, stepId: asked.stepId } };
          await appendJournal(tx, { workspaceId, runId }, [...entries, waiting]);
          return { approvalId };
        }),

    waitsFor: async ({ workspace_id: workspaceId, id }) => {
      const row = await store
        .of(workspaceId)
        .selectFrom('approvals')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('run_id', '=', id)
        .where('status', '=', 'pending')
        .executeTakeFirst();
      return row?.id;
    },
  };
};
