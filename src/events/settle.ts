import { sql, type Transaction } from 'kysely';
import type { Clock, Intervals } from '#clock';
import type { Occurrence } from '#kit';
import type { AgentStart, Starts } from '#runs';
import { grouped, newId, type Store, type Tables } from '#store';
import { type EventDraft, envelopeOf } from './draft.ts';

export type NewArrival = {
  workspaceId: string;
  watchId: string;
  key: string;
  occurrence: Occurrence | null;
  delivery: 'live' | 'catchup';
  receivedAt: Date;
  /** Nobody deals with it at once: its account cannot be used now. */
  waits?: boolean;
};

/** What is to be stored in one go: events with the runs they start, and what is judged later. */
export type Settlement = {
  drafts: readonly EventDraft[];
  arrivals?: readonly NewArrival[];
  /** An arrival that is dealt with by this. */
  done?: { workspaceId: string; arrivalId: string; hint: string; watchId: string } | undefined;
};

export type Settled = { arrivalIds: string[] };

export type Settle = {
  /** In the caller's transaction. What it answers is called after the commit: it starts the runs. */
  within(
    tx: Transaction<Tables>,
    settlements: readonly Settlement[],
  ): Promise<{ settled: Settled[]; launch: () => void }>;
  /** In a transaction shared with whoever settles at the same moment. */
  together(settlement: Settlement): Promise<Settled>;
};

export const maxAttempts = 8;
export const hintKey = (hint: string): string => `hint ${hint}`;

type Agent = { id: string; version: number; state: 'enabled' | 'paused' };

const longestWaitMs = 600_000;

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

export const createSettle = (options: { store: Store; starts: Starts; clock: Clock; intervals: Intervals }): Settle => {
  const { store, starts, clock, intervals } = options;

  const readAgents = async (tx: Transaction<Tables>, drafts: readonly EventDraft[]): Promise<Map<string, Agent>> => {
    const ids = [...new Set(drafts.map(({ trigger }) => trigger.agentId))];
    if (ids.length === 0) return new Map();
    const { rows } = await sql<Agent>`select id, version, state from agents where id = any(${ids}::text[])`.execute(tx);
    return new Map(rows.map((row) => [row.id, row]));
  };

  const toRow = (draft: EventDraft, at: Date) => {
    const { outcome } = draft;
    return {
      id: newId('evt', at),
      workspace_id: draft.trigger.workspaceId,
      trigger_id: draft.trigger.id,
      watch_id: draft.watchId,
      key: draft.key,
      upstream_id: draft.upstreamId,
      outcome: outcome.outcome,
      clause: outcome.outcome === 'filtered' ? outcome.clause : null,
      reason: outcome.outcome === 'skipped' || outcome.outcome === 'failed' ? outcome.reason : null,
      wait_ms: outcome.outcome === 'failed' ? outcome.retryAfterMs : 0,
      occurred_at: draft.occurredAt,
      received_at: draft.receivedAt,
      delivery: draft.delivery,
      run_id: outcome.outcome === 'fired' ? newId('run', at) : null,
      subject: draft.subject,
      upstream_order: draft.order,
      summary: draft.summary,
      actor: draft.actor,
      data: draft.data,
      occurrence: draft.occurrence,
    };
  };

  /**
   * An occurrence that was judged before stays as it is, unless judging had failed. Of those, only what changes from
   * then on counts: tries are counted, and after the last one it rests.
   */
  const insert = async (tx: Transaction<Tables>, rows: readonly ReturnType<typeof toRow>[]) => {
    const { rows: written } = await sql<{ id: string; trigger_id: string; key: string; run_id: string | null }>`
      insert into events as e (id, workspace_id, trigger_id, watch_id, key, upstream_id, outcome, clause, reason, retry,
        next_try_at, occurred_at, received_at, delivery, run_id, subject, upstream_order, summary, actor, data, occurrence)
      select g.id, g.workspace_id, g.trigger_id, g.watch_id, g.key, g.upstream_id, g.outcome, g.clause, g.reason,
        case when g.outcome = 'failed' then 'retrying' end,
        case when g.outcome = 'failed'
          then clock_timestamp() + greatest(g.wait_ms, ${intervals.retryMs}::float) * interval '1 ms' end,
        g.occurred_at, g.received_at, g.delivery, g.run_id, g.subject, g.upstream_order, g.summary, g.actor, g.data,
        g.occurrence
      from json_to_recordset(${JSON.stringify(rows)}::json) as g (id text, workspace_id text, trigger_id text,
        watch_id text, key text, upstream_id text, outcome text, clause text, reason text, wait_ms float,
        occurred_at timestamptz, received_at timestamptz, delivery text, run_id text, subject text, upstream_order text,
        summary text, actor json, data json, occurrence json)
      -- A trigger that was deleted meanwhile has no more events.
      where exists (select from triggers t where t.workspace_id = g.workspace_id and t.id = g.trigger_id)
      order by g.trigger_id, g.key
      on conflict (trigger_id, key) do update set
        outcome = excluded.outcome, clause = excluded.clause, reason = excluded.reason,
        retry = case when excluded.outcome = 'failed'
          then case when e.attempts + 1 >= ${maxAttempts} then 'dead' else 'retrying' end end,
        attempts = e.attempts + 1,
        next_try_at = case when excluded.outcome = 'failed' and e.attempts + 1 < ${maxAttempts}
          then clock_timestamp() + least(${intervals.retryMs}::float * 2 ^ e.attempts, ${longestWaitMs}) * interval '1 ms' end,
        run_id = excluded.run_id, summary = excluded.summary, actor = excluded.actor, data = excluded.data,
        occurrence = excluded.occurrence
      where e.outcome = 'failed'
      returning e.id, e.trigger_id, e.key, e.run_id`.execute(tx);
    return written;
  };

  const insertArrivals = async (tx: Transaction<Tables>, arrivals: readonly NewArrival[]): Promise<string[]> => {
    if (arrivals.length === 0) return [];
    const rows = arrivals.map((each) => ({
      id: newId('arr', clock.now()),
      workspace_id: each.workspaceId,
      watch_id: each.watchId,
      key: each.key,
      occurrence: json(each.occurrence),
      delivery: each.delivery,
      received_at: each.receivedAt,
      // Whoever stores it deals with it at once; others look after this while.
      next_try_at: each.waits ? sql<Date>`clock_timestamp()` : sql<Date>`clock_timestamp() + interval '20 s'`,
    }));
    const stored = await tx
      .insertInto('arrivals')
      .values(rows)
      .onConflict((conflict) => conflict.columns(['workspace_id', 'watch_id', 'key']).doNothing())
      .returning('id')
      .execute();
    return stored.map(({ id }) => id);
  };

  const removeDone = async (tx: Transaction<Tables>, settlements: readonly Settlement[]): Promise<void> => {
    const done = settlements.flatMap((each) => each.done ?? []);
    if (done.length === 0) return;
    await sql`delete from arrivals where id = any(${done.map(({ arrivalId }) => arrivalId)}::text[])`.execute(tx);
    // While a hint could not be read, an event told so under the hint's own name.
    await sql`delete from events where (watch_id, key) in (
      select * from unnest(${done.map(({ watchId }) => watchId)}::text[], ${done.map(({ hint }) => hintKey(hint))}::text[])
    ) and outcome = 'failed'`.execute(tx);
  };

  const within: Settle['within'] = async (tx, settlements) => {
    const at = clock.now();
    const given = settlements.flatMap(({ drafts }) => drafts);
    const agents = await readAgents(
      tx,
      given.filter(({ outcome }) => outcome.outcome === 'fired'),
    );
    const drafts = given.map((draft): EventDraft => {
      if (draft.outcome.outcome !== 'fired' || agents.get(draft.trigger.agentId)?.state === 'enabled') return draft;
      return { ...draft, outcome: { outcome: 'skipped', reason: 'the agent was paused' }, data: null };
    });
    // One statement cannot meet the same row twice; the same occurrence may have come by two ways.
    const unique = [...new Map(drafts.map((draft) => [`${draft.trigger.id} ${draft.key}`, draft])).entries()];
    const written =
      unique.length === 0
        ? []
        : await insert(
            tx,
            unique.map(([, draft]) => toRow(draft, at)),
          );
    const byPlace = new Map(unique);
    const toStart = written.flatMap(({ id, trigger_id, key, run_id }): AgentStart[] => {
      const draft = byPlace.get(`${trigger_id} ${key}`);
      const agent = draft === undefined ? undefined : agents.get(draft.trigger.agentId);
      if (run_id === null || draft === undefined || agent === undefined) return [];
      return [
        {
          runId: run_id,
          workspaceId: draft.trigger.workspaceId,
          agentId: agent.id,
          agentVersion: agent.version,
          triggerId: trigger_id,
          eventId: id,
          event: envelopeOf(draft),
          lane: draft.subject === null ? null : `${trigger_id} ${draft.subject}`,
          laneOrder: draft.order,
        },
      ];
    });
    const launch = toStart.length === 0 ? () => {} : await starts.insert(tx, toStart);
    const settled: Settled[] = [];
    for (const { arrivals = [] } of settlements) settled.push({ arrivalIds: await insertArrivals(tx, arrivals) });
    await removeDone(tx, settlements);
    return { settled, launch };
  };

  // Occurrences of all workspaces share a transaction; each row names its own.
  const together = grouped(async (settlements: Settlement[]) => {
    const { settled, launch } = await store.system.transaction().execute((tx) => within(tx, settlements));
    launch();
    return settled;
  }, 200);

  return { within, together };
};
