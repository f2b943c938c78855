import { sql } from 'kysely';
import type { Clock, Intervals } from '#clock';
import { Fault, type Sink } from '#kit';
import type { Actor, Database, Store } from '#store';
import { recordAudit } from '#workspaces';
import { eraseApprovals } from './erase.ts';
import type { Composed } from './plan.ts';
import { type ApprovalRow, composedColumns } from './records.ts';
import { type Approval, type ShownApprovals, showApprovals } from './shown.ts';

export type OpenedEnclosure = {
  name: string;
  contentType?: string | undefined;
  /** Hands the content on piece by piece. */
  read(into: Sink): Promise<void>;
};

type Which = { workspaceId: string; id: string; actor: Actor };

/** What people decide. Each decision is one conditional statement, and the run goes on in the same transaction. */
export type Approvals = ShownApprovals & {
  /** Holds for exactly what has this digest. Repeating it changes nothing. */
  approve(which: Which, digest: string): Promise<Approval>;
  reject(which: Which, reason: string | undefined): Promise<Approval>;
  /** Changes what the step is given, and composes it anew: the old digest approves nothing any more. */
  /** With a digest, only what has it is edited. */
  edit(which: Which, changes: Record<string, unknown>, digest?: string): Promise<Approval>;
  /** The content of what would leave with it, in that place of its view. */
  openEnclosed(which: Which, place: number): Promise<OpenedEnclosure>;
  /** Ends what waits for an account that has gone, and erases what was asked for it. */
  leave(workspaceId: string, accountId: string): Promise<void>;
  sweep(): Promise<void>;
};

const house: Actor = { kind: 'system', id: 'approvals', name: 'Switchboard' };
const swept = 500;
const tooLate = 'Nobody decided in time.';

const undecidable = ({ status, digest, reason }: Approval): Fault => {
  const details = { status, digest, ...(reason === null ? {} : { reason }) };
  if (status === 'pending') {
    return new Fault('conflict', 'This is not what waits for approval now; look at it again.', { details });
  }
  return new Fault('conflict', `This is ${status}; there is nothing left to decide.`, { details });
};

export const createApprovals = (options: {
  store: Store;
  clock: Clock;
  intervals: Pick<Intervals, 'leaseMs'>;
  /** Lets a run go on, in the transaction of the decision. */
  queue(tx: Database, run: { workspaceId: string; runId: string }): Promise<void>;
  /** What would leave if its step were given this instead. */
  recompose(row: ApprovalRow, changes: Record<string, unknown>): Promise<Composed & { input: Record<string, unknown> }>;
  openEnclosed(row: ApprovalRow, place: number): Promise<OpenedEnclosure>;
}): Approvals => {
  const { store, clock, intervals, queue, recompose, openEnclosed } = options;

  const { get, list } = showApprovals(store);

  /** The run meets the decision where it stopped. While the workspace is stopped it is found when that ends. */
  const release = async (tx: Database, workspaceId: string, runId: string): Promise<void> => {
    const { rows } = await sql`
      update runs r set status = 'queued', lease_owner = null, lease_until = clock_timestamp()
        + case when w.stopped_at is null then make_interval(secs => ${(3 * intervals.leaseMs) / 1_000}) else interval '0' end
      from workspaces w
      where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.status = 'waiting_approval'
        and w.workspace_id = r.workspace_id
      returning 1`.execute(tx);
    if (rows.length > 0) await queue(tx, { workspaceId, runId });
  };

  /** What could not leave is not approved: the decision would be spent, and nothing sent. */
  const requireUsable = async (tx: Database, workspaceId: string, accountId: string): Promise<void> => {
    const account = await tx
      .selectFrom('accounts')
      .select(['state', 'name'])
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', accountId)
      .executeTakeFirst();
    if (account?.state === 'paused')
      throw new Fault('conflict', `The account “${account.name}” is paused; resume it, then approve.`);
    if (account?.state === 'needs_reconnect')
      throw new Fault('reconnect_needed', `The account “${account.name}” must be connected again first; then approve.`);
  };

  /** The one statement that decides, and what follows from it; false when it was not for this decision any more. */
  const decide = (
    { workspaceId, id, actor }: Which,
    how: { status: 'approved' | 'rejected' | 'void'; reason?: string | undefined; digest?: Buffer },
  ): Promise<boolean> =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        const { status, reason, digest } = how;
        const row = await tx
          .updateTable('approvals')
          .set({ status, reason: reason ?? null, decided_at: clock.now(), decided_by: JSON.stringify(actor) })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .where('status', '=', 'pending')
          .where('expires_at', '>', clock.now())
          .$if(digest !== undefined, (query) => query.where('digest', '=', digest as Buffer))
          .returning(['run_id', 'account_id', 'digest'])
          .executeTakeFirst();
        if (row === undefined) return false;
        if (status === 'approved') await requireUsable(tx, workspaceId, row.account_id);
        await release(tx, workspaceId, row.run_id);
        const details = { runId: row.run_id, digest: row.digest.toString('hex'), ...(reason && { reason }) };
        await recordAudit(tx, clock, { workspaceId, actor, action: `approval.${status}`, target: id, details });
        return true;
      });

  /** Ends approvals that nobody decided about any more. */
  const end = (
    tx: Database,
    rows: readonly { id: string; workspace_id: string; run_id: string }[],
    status: 'expired' | 'void',
    reason: string,
  ) =>
    rows.reduce(async (before, { id, workspace_id: workspaceId, run_id: runId }) => {
      await before;
      await release(tx, workspaceId, runId);
      const details = { runId, reason };
      await recordAudit(tx, clock, { workspaceId, actor: house, action: `approval.${status}`, target: id, details });
    }, Promise.resolve());

  /** Ends one whose time is over, without waiting for the sweep: whoever comes too late is told so. */
  const expire = ({ workspaceId, id }: Which): Promise<void> =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        const rows = await tx
          .updateTable('approvals')
          .set({ status: 'expired', reason: tooLate, decided_at: clock.now() })
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', id)
          .where('status', '=', 'pending')
          .where('expires_at', '<=', clock.now())
          .returning(['id', 'workspace_id', 'run_id'])
          .execute();
        await end(tx, rows, 'expired', tooLate);
      });

  /** As it stands after a decision that was not taken. */
  const left = async (which: Which) => {
    await expire(which);
    return get(which.workspaceId, which.id);
  };

  /** One that still waits. */
  const open = async (which: Which): Promise<ApprovalRow> => {
    const { workspaceId, id } = which;
    const row = await store
      .of(workspaceId)
      .selectFrom('approvals')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
    const isOpen = row?.status === 'pending' && row.expires_at > clock.now();
    if (row === undefined || !isOpen) throw undecidable(await left(which));
    return row;
  };

  return {
    get,
    list,

    approve: async (which, digest) => {
      const decided = await decide(which, { status: 'approved', digest: Buffer.from(digest, 'hex') });
      const approval = decided ? await get(which.workspaceId, which.id) : await left(which);
      if (decided || (approval.status === 'approved' && approval.digest === digest)) return approval;
      throw undecidable(approval);
    },

    reject: async (which, reason) => {
      const decided = await decide(which, { status: 'rejected', reason });
      const approval = decided ? await get(which.workspaceId, which.id) : await left(which);
      if (decided || approval.status === 'rejected') return approval;
      throw undecidable(approval);
    },

    edit: async (which, changes, digest) => {
      const { workspaceId, id, actor } = which;
      const row = await open(which);
      if (digest !== undefined && digest !== row.digest.toString('hex')) throw undecidable(await get(workspaceId, id));
      if (row.effect === 'destroy') throw new Fault('conflict', 'A removal is approved or rejected as it is.');
      const composed = await recompose(row, changes);
      const changed = await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const { numUpdatedRows } = await tx
            .updateTable('approvals')
            .set(composedColumns(composed))
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .where('status', '=', 'pending')
            .where('digest', '=', row.digest)
            .executeTakeFirst();
          if (numUpdatedRows === 0n) return false;
          const [from, to] = [row.digest, composed.digest].map((each) => each.toString('hex'));
          const details = { runId: row.run_id, fields: Object.keys(changes), from, digest: to };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'approval.edited', target: id, details });
          return true;
        });
      const approval = await get(workspaceId, id);
      if (changed) return approval;
      throw undecidable(approval);
    },

    openEnclosed: async (which, place) => openEnclosed(await open(which), place),

    leave: async (workspaceId, accountId) => {
      const db = store.of(workspaceId);
      await db.transaction().execute(async (tx) => {
        const reason = 'The account was disconnected.';
        const rows = await tx
          .updateTable('approvals')
          .set({ status: 'void', reason, decided_at: clock.now() })
          .where('workspace_id', '=', workspaceId)
          .where('account_id', '=', accountId)
          .where('status', '=', 'pending')
          .returning(['id', 'workspace_id', 'run_id'])
          .execute();
        await end(tx, rows, 'void', reason);
      });
      await eraseApprovals(db, { workspaceId, accountId });
    },

    sweep: async () => {
      let ended = swept;
      while (ended === swept) {
        // Of all workspaces, hence the house's own view.
        ended = await store.system.transaction().execute(async (tx) => {
          const { rows } = await sql<{ id: string; workspace_id: string; run_id: string }>`
            update approvals set status = 'expired', reason = ${tooLate}, decided_at = ${clock.now()}
            where id in (
              select id from approvals where status = 'pending' and expires_at <= ${clock.now()}
              order by expires_at limit ${swept} for update skip locked
            )
            returning id, workspace_id, run_id`.execute(tx);
          await end(tx, rows, 'expired', tooLate);
          return rows.length;
        });
      }
    },
  };
};
