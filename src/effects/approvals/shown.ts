import { sql } from 'kysely';
import { afterId, Fault, type Identity, type Page, type PageRequest, type SendView, toPage } from '#kit';
import type { Actor, ApprovalStatus, Database, Store } from '#store';
import type { ShownRequest } from './digest.ts';
import type { ApprovalRow, Cause, Headline } from './records.ts';

export type ApprovalSummary = {
  id: string;
  status: ApprovalStatus;
  digest: string;
  runId: string;
  stepId: string;
  effect: 'send' | 'destroy';
  account: { id: string; name: string; integration: string; address?: string };
  headline: Headline;
  cause: Cause;
  createdAt: Date;
  expiresAt: Date;
  decidedAt: Date | null;
  decidedBy: Actor | null;
  reason: string | null;
};

export type Approval = ApprovalSummary & {
  request: ShownRequest;
  /** What follows it, the send last. */
  following: ShownRequest[];
  view: SendView;
  /** What the step is given: what an edit may change. */
  input: Record<string, unknown>;
};

export type ApprovalFilter = { status?: ApprovalStatus | undefined; endUserId?: string | undefined };

/** Approvals as people see them. */
export type ShownApprovals = {
  list(workspaceId: string, filter: ApprovalFilter, page: PageRequest): Promise<Page<ApprovalSummary>>;
  get(workspaceId: string, id: string): Promise<Approval>;
};

type Listed = Omit<ApprovalRow, 'requests' | 'view' | 'input' | 'composed_by'> & {
  account_name: string;
  integration: string;
  identity: Identity;
};

const listed = [
  'approvals.id',
  'approvals.workspace_id',
  'run_id',
  'ordinal',
  'account_id',
  'step_id',
  'approvals.effect',
  'headline',
  'cause',
  'digest',
  'status',
  'approvals.reason',
  'composed_at',
  'approvals.created_at',
  'expires_at',
  'decided_at',
  'decided_by',
  'accounts.name as account_name',
  'accounts.integration',
  'accounts.identity',
] as const;

const summarize = (row: Listed): ApprovalSummary => ({
  id: row.id,
  status: row.status,
  digest: row.digest.toString('hex'),
  runId: row.run_id,
  stepId: row.step_id,
  effect: row.effect,
  account: {
    id: row.account_id,
    name: row.account_name,
    integration: row.integration,
    ...(row.identity.address === undefined ? {} : { address: row.identity.address }),
  },
  headline: row.headline as Headline,
  cause: row.cause as Cause,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  decidedAt: row.decided_at,
  decidedBy: row.decided_by,
  reason: row.reason,
});

const joined = (db: Database, workspaceId: string) =>
  db
    .selectFrom('approvals')
    .innerJoin('accounts', (join) =>
      join
        .onRef('accounts.workspace_id', '=', 'approvals.workspace_id')
        .onRef('accounts.id', '=', 'approvals.account_id'),
    )
    .where('approvals.workspace_id', '=', workspaceId);

export const showApprovals = (store: Store): ShownApprovals => ({
  get: async (workspaceId, id) => {
    const row = await joined(store.of(workspaceId), workspaceId)
      .select([...listed, 'requests', 'view', 'input'])
      .where('approvals.id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw new Fault('not_found', 'There is no such approval.');
    const [request, ...following] = row.requests as unknown as ShownRequest[];
    return {
      ...summarize(row),
      request: request as ShownRequest,
      following,
      view: row.view as SendView,
      input: row.input,
    };
  },

  list: async (workspaceId, { status, endUserId }, page) => {
    const after = afterId('apr', page);
    const rows = await joined(store.of(workspaceId), workspaceId)
      .select(listed)
      .$if(status !== undefined, (query) => query.where('approvals.status', '=', status as ApprovalStatus))
      .$if(endUserId !== undefined, (query) =>
        query.where(sql<string>`approvals.cause ->> 'endUserId'`, '=', endUserId as string),
      )
      .$if(after !== undefined, (query) => query.where('approvals.id', '<', after as string))
      .orderBy('approvals.id', 'desc')
      .limit(page.limit + 1)
      .execute();
    return toPage(rows, page, summarize);
  },
});
