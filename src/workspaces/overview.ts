import { sql } from 'kysely';
import type { Clock } from '#clock';
import {
  accountsShownAs,
  areNow,
  firstIdAt,
  replaysOfEvent,
  type Sealer,
  type Store,
  sealedByLostKey,
  triggersNow,
} from '#store';
import { type Counts, createSpanCounts, outcomes, statuses } from './span-counts.ts';
import { type Bucket, spanStarts } from './span-starts.ts';
import { createWaiting } from './waiting.ts';

/** How many there were, by outcome or status, in the time that begins at `at`. */
export type Counted = { at: Date; counts: Record<string, number> };

export type WorkspaceOverview = {
  bucket: Bucket;
  /** Whose days and hours these are. */
  timeZone: string;
  events: Counted[];
  runs: Counted[];
  pendingApprovals: number;
  /** Of these days, and not replayed since. */
  eventsGivenUp: number;
  accountsToReconnect: { id: string; name: string; integration: string; reason: string | null }[];
  brokenTriggers: { id: string; name: string; agentId: string; reason: string | null }[];
  /** How many more there are than are named. */
  more: { accountsToReconnect: number; brokenTriggers: number };
  /** What a new workspace has made already. */
  firstSteps: { account: boolean; tool: boolean; agent: boolean; trigger: boolean; run: boolean };
};

/** How a workspace is doing. */
export type Overview = (
  workspaceId: string,
  wanted: { days: number; bucket: Bucket; timeZone: string },
) => Promise<WorkspaceOverview>;

const mostNamed = 20;

const inAll = sql<number>`(count(*) over ())::integer`.as('inAll');

type Named<Item> = { named: Item[]; more: number };

const nameThem = <Row extends { inAll: number }, Item>(
  rows: readonly Row[],
  show: (row: Row) => Item,
): Named<Item> => ({
  named: rows.map(show),
  more: (rows[0]?.inAll ?? 0) - rows.length,
});

export const createOverview = (options: { store: Store; clock: Clock; sealer: Sealer }): Overview => {
  const { store, clock, sealer } = options;
  const spans = createSpanCounts({ store, clock });
  const waiting = createWaiting(store);

  const spread = (starts: readonly Date[], whats: readonly string[], found: readonly Counts[]): Counted[] =>
    starts.map((at, nth) => ({
      at,
      counts: Object.fromEntries(whats.map((what) => [what, found[nth]?.[what] ?? 0])),
    }));

  /** Accounts that do not work: the service refuses them, or the key to their credential is gone. */
  const toReconnect = async (workspaceId: string): Promise<Named<WorkspaceOverview['accountsToReconnect'][number]>> => {
    const rows = await store
      .of(workspaceId)
      .selectFrom('accounts')
      .select(['id', 'name', 'integration', 'reason', 'state', inAll])
      .where('workspace_id', '=', workspaceId)
      .where('kind', '=', 'account')
      .where(await accountsShownAs({ store, sealer }, workspaceId, 'needs_reconnect'))
      .orderBy('id', 'desc')
      .limit(mostNamed)
      .execute();
    return nameThem(rows, ({ id, name, integration, reason, state }) => ({
      id,
      name,
      integration,
      reason: state === 'connected' ? sealedByLostKey : reason,
    }));
  };

  /** Triggers that cannot fire. Of those whose account must be connected again, the account is named. */
  const broken = async (workspaceId: string): Promise<Named<WorkspaceOverview['brokenTriggers'][number]>> => {
    type Row = { id: string; name: string; agent_id: string; reason_now: string | null; account_state: string };
    const { rows } = await sql<Row & { inAll: number }>`
      select t.id, t.name, t.agent_id, t.reason_now, t.account_state, ${inAll}
      from ${triggersNow(workspaceId)} t where ${areNow(workspaceId, 'broken')}
      order by t.account_state = 'needs_reconnect', t.id desc limit ${mostNamed}`.execute(store.of(workspaceId));
    const named = rows.filter(({ account_state }) => account_state !== 'needs_reconnect');
    return {
      named: named.map(({ id, name, agent_id: agentId, reason_now: reason }) => ({ id, name, agentId, reason })),
      more: (rows[0]?.inAll ?? 0) - named.length,
    };
  };

  /** Those of accounts that have left cannot be judged again. */
  const givenUp = async (workspaceId: string, since: Date): Promise<number> => {
    const { rows } = await sql<{ count: number }>`
      select count(*)::integer as count from events e
      join triggers t on t.workspace_id = e.workspace_id and t.id = e.trigger_id
      join accounts a on a.workspace_id = t.workspace_id and a.id = t.account_id and a.state <> 'disconnected'
      where e.workspace_id = ${workspaceId} and e.id >= ${firstIdAt('evt', since)}
        and e.outcome = 'failed' and e.retry = 'dead'
        and not exists (select from ${replaysOfEvent})`.execute(store.of(workspaceId));
    return rows[0]?.count ?? 0;
  };

  return async (workspaceId, { days, bucket, timeZone }) => {
    const db = store.of(workspaceId);
    const starts = spanStarts({ now: clock.now(), days, bucket, timeZone });
    const facts = sql<WorkspaceOverview['firstSteps']>`
      select
        exists (select from accounts where workspace_id = ${workspaceId} and kind = 'account' and state <> 'disconnected')
          as account,
        exists (select from tools where workspace_id = ${workspaceId}) as tool,
        exists (select from agents where workspace_id = ${workspaceId}) as agent,
        exists (select from triggers where workspace_id = ${workspaceId}) as trigger,
        exists (select from runs where workspace_id = ${workspaceId}) as run`.execute(db);
    const [{ pendingApprovals }, events, runs, { rows }, accounts, brokenOnes, eventsGivenUp] = await Promise.all([
      waiting(workspaceId),
      spans.events(workspaceId, starts),
      spans.runs(workspaceId, starts),
      facts,
      toReconnect(workspaceId),
      broken(workspaceId),
      givenUp(workspaceId, starts[0] ?? clock.now()),
    ]);
    const { account = false, tool = false, agent = false, trigger = false, run: hasRun = false } = rows[0] ?? {};
    return {
      bucket,
      timeZone,
      events: spread(starts, outcomes, events),
      runs: spread(starts, statuses, runs),
      pendingApprovals,
      eventsGivenUp,
      accountsToReconnect: accounts.named,
      brokenTriggers: brokenOnes.named,
      more: { accountsToReconnect: accounts.more, brokenTriggers: brokenOnes.more },
      firstSteps: { account, tool, agent, trigger, run: hasRun },
    };
  };
};
