import { sql } from 'kysely';
import type { Clock } from '#clock';
import { firstIdAt, type IdPrefix, type Sealer, type Store, sealedByLostKey } from '#store';
import { type Bucket, spanStarts } from './span-starts.ts';

/** How many there were, by outcome or status, in the time that begins at `at`. */
export type Counted = { at: Date; counts: Record<string, number> };

export type WorkspaceOverview = {
  bucket: Bucket;
  /** Whose days and hours these are. */
  timeZone: string;
  events: Counted[];
  runs: Counted[];
  pendingApprovals: number;
  accountsToReconnect: { id: string; name: string; integration: string; reason: string | null }[];
  brokenTriggers: { id: string; name: string; agentId: string; reason: string | null }[];
  /** What a new workspace has made already. */
  firstSteps: { account: boolean; tool: boolean; agent: boolean; trigger: boolean; run: boolean };
};

/** How a workspace is doing. */
export type Overview = (
  workspaceId: string,
  wanted: { days: number; bucket: Bucket; timeZone: string },
) => Promise<WorkspaceOverview>;

const outcomes = ['fired', 'filtered', 'skipped', 'failed'];
const statuses = ['queued', 'running', 'waiting_approval', 'succeeded', 'failed', 'cancelled'];
const mostNamed = 20;

type Row = { place: number; what: string; n: number };

export const createOverview = (options: { store: Store; clock: Clock; sealer: Sealer }): Overview => {
  const { store, clock, sealer } = options;
  /** Ids begin with the time, so that one index tells when and how it ended. */
  const firstIds = (prefix: IdPrefix, starts: readonly Date[]) => starts.map((at) => firstIdAt(prefix, at));

  const spread = (starts: readonly Date[], whats: readonly string[], rows: readonly Row[]): Counted[] =>
    starts.map((at, index) => {
      const here = rows.filter(({ place }) => place === index + 1);
      return {
        at,
        counts: Object.fromEntries(whats.map((each) => [each, here.find((row) => row.what === each)?.n ?? 0])),
      };
    });

  /** Accounts that do not work: the service refuses them, or the key to their credential is gone. */
  const toReconnect = async (workspaceId: string): Promise<WorkspaceOverview['accountsToReconnect']> => {
    const accounts = store
      .of(workspaceId)
      .selectFrom('accounts')
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', 'account');
    // It begins with the number of its key.
    const head = sql<Buffer>`substring(credential from 1 for 5)`;
    const connected = accounts.where('state', '=', 'connected').where('credential', 'is not', null);
    const keys = await connected.select(head.as('head')).distinct().execute();
    const lost = keys.map((key) => key.head).filter((key) => !sealer.hasKeyOf(key));
    const rows = await accounts
      .select(['id', 'name', 'integration', 'reason', 'state'])
      .where(({ or, eb }) =>
        or([eb('state', '=', 'needs_reconnect'), eb('state', '=', 'connected').and(head, 'in', [null, ...lost])]),
      )
      .orderBy('id', 'desc')
      .limit(mostNamed)
      .execute();
    return rows.map(({ state, reason, ...row }) => ({
      ...row,
      reason: state === 'connected' ? sealedByLostKey : reason,
    }));
  };

  return async (workspaceId, { days, bucket, timeZone }) => {
    const db = store.of(workspaceId);
    const starts = spanStarts({ now: clock.now(), days, bucket, timeZone });
    const [evt, run] = [firstIds('evt', starts), firstIds('run', starts)];

    const events = sql<Row>`
      select width_bucket(id, ${evt}::text[]) as place, outcome as what, count(*)::integer as n
      from events where workspace_id = ${workspaceId} and id >= ${evt[0]} group by 1, 2`.execute(db);
    const runs = sql<Row>`
      select c.place, s.status as what, c.n from unnest(${statuses}::text[]) s (status), lateral (
        select width_bucket(id, ${run}::text[]) as place, count(*)::integer as n
        from runs where workspace_id = ${workspaceId} and status = s.status and id >= ${run[0]} group by 1
      ) c`.execute(db);
    const facts = sql<Record<'pending', number> & WorkspaceOverview['firstSteps']>`
      select
        (select count(*)::integer from approvals where workspace_id = ${workspaceId} and status = 'pending') as pending,
        exists (select from accounts where workspace_id = ${workspaceId} and kind = 'account' and state <> 'disconnected')
          as account,
        exists (select from tools where workspace_id = ${workspaceId}) as tool,
        exists (select from agents where workspace_id = ${workspaceId}) as agent,
        exists (select from triggers where workspace_id = ${workspaceId}) as trigger,
        exists (select from runs where workspace_id = ${workspaceId}) as run`.execute(db);
    const triggers = db
      .selectFrom('triggers')
      .select(['id', 'name', 'agent_id as agentId', 'reason'])
      .where('workspace_id', '=', workspaceId)
      .where('state', '=', 'broken')
      .orderBy('id', 'desc')
      .limit(mostNamed)
      .execute();

    const [counted, ran, { rows }, accountsToReconnect, brokenTriggers] = await Promise.all([
      events,
      runs,
      facts,
      toReconnect(workspaceId),
      triggers,
    ]);
    const {
      pending = 0,
      account = false,
      tool = false,
      agent = false,
      trigger = false,
      run: hasRun = false,
    } = rows[0] ?? {};
    return {
      bucket,
      timeZone,
      events: spread(starts, outcomes, counted.rows),
      runs: spread(starts, statuses, ran.rows),
      pendingApprovals: pending,
      accountsToReconnect,
      brokenTriggers,
      firstSteps: { account, tool, agent, trigger, run: hasRun },
    };
  };
};
