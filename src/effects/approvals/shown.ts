import { sql } from 'kysely';
import {
  Fault,
  type Identity,
  lookThrough,
  type Page,
  type PageRequest,
  type SendView,
  type Stretch,
  searching,
  toPage,
} from '#kit';
import {
  type Actor,
  type ApprovalStatus,
  type Database,
  holdsWords,
  lastOfStretch,
  readableJson,
  type Store,
} from '#store';
import type { ShownRequest } from './digest.ts';
import { type ApprovalOrder, orders } from './orders.ts';
import type { ApprovalRow, Cause, Headline } from './records.ts';

export type ApprovalSummary = {
  id: string;
  status: ApprovalStatus;
  digest: string;
  runId: string;
  stepId: string;
  effect: 'send' | 'destroy';
  account: { id: string; name: string; integration: string; address?: string; username?: string };
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
  /** Its words, each in the subject or in whom it would reach. */
  query?: string | undefined;
};

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
    ...(row.identity.username === undefined ? {} : { username: row.identity.username }),
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

/** Cut, it would be longer than this; what it was made from is whole, and is read for such alone. */
const wholeHeadline = sql`case when octet_length(headline::text) > 390 then view else headline end`;

/** What people remember of it. */
const told = sql<string>`(
  select concat_ws(' ', whole ->> 'subject', (
    select string_agg(concat_ws(' ', p ->> 'name', p ->> 'address'), ' ')
    from unnest(array[whole -> 'to', whole -> 'cc', whole -> 'bcc']) people, json_array_elements(people) p
  )) from (select ${readableJson(wholeHeadline)} as whole offset 0) h)`;

const amongThem = (db: Database, workspaceId: string, filter: Omit<ApprovalFilter, 'query'>) => {
  const { status, agentId, accountId, endUserId } = filter;
  return joined(db, workspaceId)
    .$if(status !== undefined, (query) => query.where('approvals.status', '=', status as ApprovalStatus))
    .$if(agentId !== undefined, (query) => query.where('approvals.agent_id', '=', agentId as string))
    .$if(accountId !== undefined, (query) => query.where('approvals.account_id', '=', accountId as string))
    .$if(endUserId !== undefined, (query) => query.where('approvals.end_user_id', '=', endUserId as string));
};

export const showApprovals = (store: Store, { stretch, patienceMs } = searching): ShownApprovals => ({
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

  list: async (workspaceId, { order = 'newest', query: words, ...filter }, page) => {
    const among = amongThem(store.of(workspaceId), workspaceId, filter);
    const { placeAfter, placeOf, between, cursorOf } = orders[order];
    const after = placeAfter(page);
    const find = async (within: Stretch, most: number) => {
      const rows = await between(among, within)
        .select(listed)
        .$if(words !== undefined, (query) => query.where(holdsWords(told, words as string)))
        .limit(most)
        .execute();
      return rows.map((row) => ({ ...row, approvalId: row.id, id: placeOf(row) }));
    };
    const show = ({ approvalId, ...row }: Listed & { approvalId: string }) => summarize({ ...row, id: approvalId });
    if (words === undefined) {
      return toPage(await find({ first: undefined, after }, page.limit + 1), page, show, cursorOf);
    }
    const endOf = async (end: string | undefined) => {
      const rest = between(among, { first: undefined, after: end }).select(['approvals.id', 'expires_at']);
      const last = await lastOfStretch(rest, stretch);
      return last && placeOf(last);
    };
    return lookThrough(page, { after, endOf, find, patienceMs, cursorOf }, show);
  },
});
