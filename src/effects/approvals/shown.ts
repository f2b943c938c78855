import {
  afterId,
  Fault,
  fromListCursor,
  type Identity,
  type Page,
  type PageRequest,
  type SendView,
  toListCursor,
  toPage,
  wrong,
} from '#kit';
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

export type ApprovalFilter = {
  status?: ApprovalStatus | undefined;
  agentId?: string | undefined;
  accountId?: string | undefined;
  endUserId?: string | undefined;
};

/** Newest first, or, of those that wait, what expires soonest first. */
export type ApprovalOrder = 'newest' | 'expiring';

/** Approvals as people see them. */
export type ShownApprovals = {
  list(
    workspaceId: string,
    filter: ApprovalFilter & { order?: ApprovalOrder | undefined },
    page: PageRequest,
  ): Promise<Page<ApprovalSummary>>;
  get(workspaceId: string, id: string): Promise<Approval>;
};

type Listed = Omit<ApprovalRow, 'requests' | 'view' | 'input' | 'composed_by' | 'agent_id' | 'end_user_id'> & {
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

const amongThem = (db: Database, workspaceId: string, filter: ApprovalFilter) => {
  const { status, agentId, accountId, endUserId } = filter;
  return joined(db, workspaceId)
    .select(listed)
    .$if(status !== undefined, (query) => query.where('approvals.status', '=', status as ApprovalStatus))
    .$if(agentId !== undefined, (query) => query.where('approvals.agent_id', '=', agentId as string))
    .$if(accountId !== undefined, (query) => query.where('approvals.account_id', '=', accountId as string))
    .$if(endUserId !== undefined, (query) => query.where('approvals.end_user_id', '=', endUserId as string));
};

const expiring = 'approvals, expiring';

/** The time belongs to its place: what waits is asked for again with more time, and then stands elsewhere. */
const placeOf = ({ expires_at, id }: Listed): string => `${expires_at.getTime()}.${id}`;

const placeAfter = (cursor: string) => {
  const [, ms, id] = /^(\d{1,15})\.(apr_[0-9a-z]{26})$/.exec(fromListCursor(expiring, cursor)) ?? [];
  if (ms === undefined || id === undefined)
    throw wrong('cursor', 'This cursor is not one of this list; use the nextCursor of its last answer.');
  return { at: new Date(Number(ms)), id };
};

const listExpiring = async (
  among: ReturnType<typeof amongThem>,
  { limit, cursor }: PageRequest,
): Promise<Page<ApprovalSummary>> => {
  const after = cursor === undefined ? undefined : placeAfter(cursor);
  const rows = await among
    .$if(after !== undefined, (query) =>
      query.where(({ eb, refTuple, tuple }) =>
        eb(refTuple('approvals.expires_at', 'approvals.id'), '>', tuple(after?.at as Date, after?.id as string)),
      ),
    )
    .orderBy('approvals.expires_at')
    .orderBy('approvals.id')
    .limit(limit + 1)
    .execute();
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const items = shown.map(summarize);
  return last === undefined ? { items } : { items, nextCursor: toListCursor(expiring, placeOf(last)) };
};

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

  list: async (workspaceId, { order, ...filter }, page) => {
    const among = amongThem(store.of(workspaceId), workspaceId, filter);
    if (order === 'expiring') return listExpiring(among, page);
    const after = afterId('apr', page);
    const rows = await among
      .$if(after !== undefined, (query) => query.where('approvals.id', '<', after as string))
      .orderBy('approvals.id', 'desc')
      .limit(page.limit + 1)
      .execute();
    return toPage(rows, page, summarize);
  },
});
