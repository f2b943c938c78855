import { type Selectable, sql } from 'kysely';
import type { Clock } from '#clock';
import type { SendView } from '#kit';
import { type Actor, type Database, newId, type Store, type Tables } from '#store';
import { recordAudit } from '#workspaces';
import type { Asked } from './await-approval.ts';

export type ApprovalRow = Selectable<Tables['approvals']>;

/** What led to it, by names that can be looked up. */
export type Cause = {
  startedBy: Actor;
  stepId: string;
  toolId?: string;
  agentId?: string;
  triggerId?: string;
  eventId?: string;
  /** For whom on an embedding platform. */
  endUserId?: string;
  /** Why a run that may send by itself asks. */
  why?: string;
};

/** Tells those who may decide, in the transaction in which the approval is stored. */
export type TellOfApproval = (
  tx: Database,
  asked: {
    workspaceId: string;
    approvalId: string;
    runId: string;
    accountId: string;
    effect: Asked['effect'];
    endUserId?: string;
    accountName: string;
    subject: string | undefined;
    expiresAt: Date;
  },
) => Promise<void>;

/** How long somebody may take to decide. */
const waitsMs = 7 * 24 * 60 * 60 * 1000;

/** The little that a list shows. */
export type Headline = Pick<SendView, 'kind' | 'to' | 'cc' | 'bcc' | 'subject'> & {
  /** All of them; the lists above are cut. */
  recipients?: number;
  /** Of what has neither subject nor recipients, what tells it from others: its method and path. */
  request?: string | undefined;
  attachments: number;
  warnings: number;
};

const requestIn = ({ kind, subject, fields: { method, path } }: SendView): string | undefined =>
  kind === 'request' && subject === undefined && typeof method === 'string' && typeof path === 'string'
    ? `${method} ${path}`.slice(0, 200).toWellFormed()
    : undefined;

export const headlineOf = (view: SendView): Headline => {
  const { kind, to, cc, bcc, subject } = view;
  // Of several requests in one, each has its own.
  const all = [view, ...(view.parts ?? [])];
  return {
    kind,
    to: to.slice(0, 20),
    cc: cc.slice(0, 20),
    bcc: bcc.slice(0, 20),
    subject: subject?.slice(0, 300).toWellFormed(),
    request: requestIn(view),
    recipients: to.length + cc.length + bcc.length,
    attachments: all.reduce((sum, { attachments }) => sum + attachments.length, 0),
    warnings: all.reduce((sum, { warnings }) => sum + warnings.length, 0),
  };
};

export const composedColumns = ({
  input,
  requests,
  view,
  digest,
  composedBy,
}: Pick<Asked, 'input' | 'requests' | 'view' | 'digest' | 'composedBy'>) => ({
  input: JSON.stringify(input),
  requests: JSON.stringify(requests),
  view: JSON.stringify(view),
  headline: JSON.stringify(headlineOf(view)),
  digest,
  composed_by: composedBy,
});

/** Approvals as runs meet them. */
export type ApprovalRecords = {
  /** Stores what is asked, in the transaction in which the run begins to wait. Answers its id. */
  ask(tx: Database, run: { workspaceId: string; runId: string; cause: Cause }, asked: Asked): Promise<string>;
  /** What was asked between two writes of a run. */
  ofStep(run: { workspaceId: string; runId: string }, from: number, before: number): Promise<Map<number, ApprovalRow>>;
  /** Whether a step has written something in an earlier execution, as far as is known. */
  hasWritten(step: { workspaceId: string; runId: string; ordinalsFrom: number; ordinalsTo: number }): Promise<boolean>;
  /** Ends whatever a cancelled run still asks for, or was allowed and has not come to. */
  cancel(tx: Database, run: { workspaceId: string; runId: string }, actor: Actor): Promise<void>;
  /** An approval that cannot be carried out as it was given. */
  invalidate(row: ApprovalRow, reason: string): Promise<void>;
};

export const createApprovalRecords = (options: {
  store: Store;
  clock: Clock;
  tell: TellOfApproval;
}): ApprovalRecords => {
  const { store, clock, tell } = options;
  const house: Actor = { kind: 'system', id: 'approvals', name: 'Switchboard' };

  const places = (db: Database, { workspaceId, runId }: { workspaceId: string; runId: string }, ordinal: number) =>
    db
      .selectFrom('approvals')
      .select('id')
      .where('workspace_id', '=', workspaceId)
      .where('run_id', '=', runId)
      .where('ordinal', '=', ordinal);

  /** Asks once more in the place of what was approved otherwise: that approves nothing any more. */
  const askAgain = async (
    tx: Database,
    run: { workspaceId: string; runId: string },
    asked: Asked & { instead: Buffer },
    again: { cause: string; expires_at: Date },
  ): Promise<string | undefined> => {
    const { instead, digest, why: reason } = asked;
    const row = await tx
      .updateTable('approvals')
      .set({ ...composedColumns(asked), ...again, status: 'pending', reason: null, decided_at: null, decided_by: null })
      .where('id', 'in', places(tx, run, asked.ordinal))
      .where('status', '=', 'approved')
      .where('digest', '=', instead)
      .returning('id')
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { workspaceId, runId } = run;
    const details = { runId, reason, from: instead.toString('hex'), digest: digest.toString('hex') };
    const record = { workspaceId, actor: house, action: 'approval.asked_again' as const, target: row.id, details };
    await recordAudit(tx, clock, record);
    return row.id;
  };

  return {
    ask: async (tx, { workspaceId, runId, cause }, { instead, ...asked }) => {
      const run = { workspaceId, runId };
      const createdAt = clock.now();
      const expiresAt = new Date(createdAt.getTime() + waitsMs);
      const { accountId } = asked;
      const open = { cause: JSON.stringify({ ...cause, why: asked.why }), expires_at: expiresAt };
      const askAnew = () =>
        tx
          .insertInto('approvals')
          .values({
            id: newId('apr', createdAt),
            workspace_id: workspaceId,
            run_id: runId,
            ordinal: asked.ordinal,
            account_id: accountId,
            step_id: asked.stepId,
            effect: asked.effect,
            ...composedColumns(asked),
            ...open,
            status: 'pending',
            composed_at: asked.composedAt,
            created_at: createdAt,
          })
          .onConflict((conflict) => conflict.columns(['workspace_id', 'run_id', 'ordinal']).doNothing())
          .returning('id')
          .executeTakeFirst();
      const id = instead === undefined ? (await askAnew())?.id : await askAgain(tx, run, { ...asked, instead }, open);
      if (id === undefined) return (await places(tx, run, asked.ordinal).executeTakeFirstOrThrow()).id;
      const account = await tx
        .selectFrom('accounts')
        .select('name')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', accountId)
        .executeTakeFirstOrThrow();
      const { effect, view } = asked;
      const { subject } = view;
      const whose = cause.endUserId === undefined ? {} : { endUserId: cause.endUserId };
      await tell(tx, {
        ...run,
        approvalId: id,
        accountId,
        effect,
        ...whose,
        accountName: account.name,
        subject,
        expiresAt,
      });
      return id;
    },

    ofStep: async ({ workspaceId, runId }, from, before) => {
      const rows = await store
        .of(workspaceId)
        .selectFrom('approvals')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('run_id', '=', runId)
        .where('ordinal', '>=', from)
        .where('ordinal', '<', before)
        .execute();
      return new Map(rows.map((row) => [row.ordinal, row]));
    },

    hasWritten: async ({ workspaceId, runId, ordinalsFrom, ordinalsTo }) => {
      const found = await store
        .of(workspaceId)
        .selectFrom('effects')
        .select('id')
        .where('workspace_id', '=', workspaceId)
        .where('run_id', '=', runId)
        .where('ordinal', '>=', ordinalsFrom)
        .where('ordinal', '<', ordinalsTo)
        .where('state', '<>', 'not_sent')
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },

    cancel: async (tx, { workspaceId, runId }, actor) => {
      const reason = 'The run was cancelled.';
      const { rows } = await sql<{ id: string }>`
        update approvals a set status = 'void', reason = ${reason}, decided_at = coalesce(decided_at, ${clock.now()})
        where workspace_id = ${workspaceId} and run_id = ${runId} and (status = 'pending' or (
          status = 'approved' and not exists (
            select from effects e where e.workspace_id = a.workspace_id and e.run_id = a.run_id and e.ordinal >= a.ordinal
          )
        ))
        returning id`.execute(tx);
      for (const { id } of rows) {
        const details = { runId, reason };
        await recordAudit(tx, clock, { workspaceId, actor, action: 'approval.void', target: id, details });
      }
    },

    invalidate: ({ workspace_id: workspaceId, id, run_id: runId }, reason) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const { numUpdatedRows } = await tx
            .updateTable('approvals')
            .set({ status: 'void', reason })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .where('status', '=', 'approved')
            .executeTakeFirst();
          if (numUpdatedRows === 0n) return;
          const details = { runId, reason };
          await recordAudit(tx, clock, { workspaceId, actor: house, action: 'approval.void', target: id, details });
        }),
  };
};
