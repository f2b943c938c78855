import { sql } from 'kysely';
import type { Clock, Intervals } from '#clock';
import type { ApprovalRecords } from '#effects';
import { Fault } from '#kit';
import type { Actor, Database, Store, StoredFault } from '#store';
import { recordAudit } from '#workspaces';
import { appendJournal, type NewEntry, started } from './journal.ts';
import { type Leases, ms, type Orphan } from './leases.ts';
import type { RunRow } from './run-records.ts';
import { endedRun, type Telling } from './telling.ts';

/** Runs that somebody does not want any more. */
export type Cancelling = {
  /**
   * Ends at once what nobody carries out; what is under way stops before its next write or turn of a model. Nothing is
   * taken back. Repeating it changes nothing.
   */
  cancel(workspaceId: string, id: string, actor: Actor): Promise<void>;
  /** Whether somebody has asked it to stop since it was taken. */
  isAsked(run: Pick<RunRow, 'workspace_id' | 'id'>): Promise<boolean>;
  /** Why a run that was asked to stop has stopped. */
  reasonOf(run: Pick<RunRow, 'workspace_id' | 'id'>): Promise<StoredFault>;
  /** Whether it may have written something of which nobody knows yet how it ended. */
  isOpen(run: Pick<RunRow, 'workspace_id' | 'id'>, db?: Database): Promise<boolean>;
  /** Whether something that it wrote may have happened, and nobody will find out. */
  isInDoubt(run: Pick<RunRow, 'workspace_id' | 'id'>): Promise<boolean>;
};

/** Keys are called as people like, also as people are called: they are told apart. */
const cancelledBy = ({ kind, id, name }: Actor): StoredFault => ({
  code: 'conflict',
  message: `Cancelled by ${kind === 'key' && id.startsWith('key_') ? `the API key “${name}”` : name}.`,
});

/**
 * Gives the next of a lane a lease until somebody takes it, unless it has a time of its own, such as one that waits for a
 * service. As take_run() has it: one that has begun goes first, and each
 * is found by its index, not by sorting all that wait.
 */
export const nextInLane = (workspaceId: string, lane: string, leaseMs: number) => sql<{ id: string }>`
  update runs set lease_until = clock_timestamp() + ${ms(leaseMs)}
  where id = coalesce((
    select id from runs where workspace_id = ${workspaceId} and lane = ${lane} and attempts > 0 and finished_at is null
    order by lane_order, id limit 1
  ), (
    select id from runs
    where workspace_id = ${workspaceId} and lane = ${lane} and status in ('queued', 'running', 'waiting_approval')
    order by lane_order, id limit 1
  )) and status = 'queued' and lease_owner is null
    and (lease_until is null or lease_until < statement_timestamp())
  returning id`;

export const createCancelling = (options: {
  store: Store;
  clock: Clock;
  intervals: Pick<Intervals, 'leaseMs'>;
  leases: Pick<Leases, 'cancel'>;
  approvals: Pick<ApprovalRecords, 'cancel'>;
  telling: Telling;
  handOver: (orphans: readonly Orphan[], tx?: Database) => Promise<void>;
}): Cancelling => {
  const { store, clock, intervals, leases, approvals, telling, handOver } = options;

  const effectsIn = async (db: Database, workspaceId: string, runId: string, state: string): Promise<boolean> => {
    const { rows } = await sql`
      select from effects where workspace_id = ${workspaceId} and run_id = ${runId} and state = ${state} limit 1`.execute(
      db,
    );
    return rows.length > 0;
  };

  const isOpen: Cancelling['isOpen'] = ({ workspace_id: workspaceId, id }, db = store.of(workspaceId)) =>
    effectsIn(db, workspaceId, id, 'intended');

  /** The run, held until the end of the transaction, after its lane: in the order of those who end runs. */
  const hold = async (tx: Database, workspaceId: string, id: string): Promise<RunRow> => {
    const find = tx.selectFrom('runs').where('workspace_id', '=', workspaceId).where('id', '=', id);
    const known = await find.select('lane').executeTakeFirst();
    // Decisions hold the approval before its run.
    await sql`select from approvals where workspace_id = ${workspaceId} and run_id = ${id} order by id for update`.execute(
      tx,
    );
    if (known?.lane) await sql`select pg_advisory_xact_lock(lane_lock(${workspaceId}, ${known.lane}))`.execute(tx);
    const run = await find.selectAll().forUpdate().executeTakeFirst();
    if (run === undefined) throw new Fault('not_found', 'There is no such run.');
    return run;
  };

  /** Whoever waited behind it in its lane goes on. */
  const callNext = async (tx: Database, { workspace_id: workspaceId, lane }: RunRow): Promise<void> => {
    if (lane === null) return;
    const { rows } = await nextInLane(workspaceId, lane, 3 * intervals.leaseMs).execute(tx);
    const next = rows.map(({ id: runId }) => ({ workspaceId, runId }));
    if (next.length > 0) await handOver(next, tx);
  };

  const end = async (tx: Database, run: RunRow, actor: Actor): Promise<void> => {
    const { workspace_id: workspaceId, id: runId, attempts } = run;
    const cancelled = cancelledBy(actor);
    await tx
      .updateTable('runs')
      .set({
        status: 'cancelled',
        error: JSON.stringify(cancelled),
        cancel_asked: JSON.stringify(actor),
        finished_at: clock.now(),
        lease_owner: null,
        lease_until: null,
      })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', runId)
      .execute();
    const entry: NewEntry = { at: clock.now(), kind: 'cancelled', data: { by: actor } };
    await appendJournal(tx, { workspaceId, runId }, attempts === 0 ? [started(run), entry] : [entry]);
    await callNext(tx, run);
    if (await telling.wanted([workspaceId])) await telling.tell(tx, [endedRun(run, { cancelled })]);
  };

  /** Nobody holds it, but something it wrote is in doubt: whoever takes it finds out, and goes no further. */
  const wake = (tx: Database, { workspace_id: workspaceId, id }: RunRow) =>
    sql`
    update runs set status = 'queued', lease_until = clock_timestamp()
    where workspace_id = ${workspaceId} and id = ${id} and (status <> 'running' or lease_owner is null)`.execute(tx);

  const askedBy = async ({ workspace_id: workspaceId, id }: Pick<RunRow, 'workspace_id' | 'id'>) => {
    const row = await store
      .of(workspaceId)
      .selectFrom('runs')
      .select('cancel_asked')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
    return row?.cancel_asked ?? undefined;
  };

  return {
    isOpen,
    isInDoubt: ({ workspace_id: workspaceId, id }) => effectsIn(store.of(workspaceId), workspaceId, id, 'unknown'),
    isAsked: async (run) => (await askedBy(run)) !== undefined,

    reasonOf: async (run) => {
      const { workspace_id: workspaceId, id } = run;
      const db = store.of(workspaceId);
      const { code, message } = cancelledBy(
        (await askedBy(run)) ?? { kind: 'system', id: 'runs', name: 'Switchboard' },
      );
      if (!(await effectsIn(db, workspaceId, id, 'unknown'))) return { code, message };
      const doubt = 'Something it wrote outside may have happened: look before it is repeated.';
      return { code: 'outcome_unknown', message: `${message} ${doubt}` };
    },

    cancel: async (workspaceId, id, actor) => {
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const run = await hold(tx, workspaceId, id);
          const { status } = run;
          if (status === 'cancelled' || run.cancel_asked !== null) return;
          if (status === 'succeeded' || status === 'failed') {
            throw new Fault('conflict', `This run has ${status}; there is nothing left to cancel.`, {
              details: { status },
            });
          }
          await approvals.cancel(tx, { workspaceId, runId: id }, actor);
          const isHeld = status === 'running' && run.lease_owner !== null;
          if (!isHeld && !(await isOpen(run, tx))) await end(tx, run, actor);
          else {
            const asked = { cancel_asked: JSON.stringify(actor) };
            await tx
              .updateTable('runs')
              .set(asked)
              .where('workspace_id', '=', workspaceId)
              .where('id', '=', id)
              .execute();
            await wake(tx, run);
          }
          await recordAudit(tx, clock, {
            workspaceId,
            actor,
            action: 'run.cancelled',
            target: id,
            details: { status },
          });
        });
      leases.cancel(id);
    },
  };
};
