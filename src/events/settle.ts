import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock, Intervals } from '#clock';
import type { Occurrence } from '#kit';
import type { AgentStart, RunRow, Starts, StoredRun } from '#runs';
import { derivedId, grouped, newId, type Store, type Tables } from '#store';
import { type EventDraft, envelopeOf } from './draft.ts';
import type { OwnQuestion } from './own.ts';
import type { FiredEvent, Telling } from './telling.ts';

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
  /**
   * Stores events that were judged by what was remembered of their watch, in one statement shared with whoever does so at
   * the same moment. False: something has changed meanwhile or must be thought over, and they are to be judged anew.
   */
  ifUnchanged(guesses: readonly Guess[]): Promise<boolean>;
};

/** An event, and what was taken for granted when it was judged. */
export type Guess = {
  draft: EventDraft;
  roster: number;
  accountSeen: string;
  /** What tells whether a write of ours caused it; `undefined` where that does not matter. */
  own: OwnQuestion | undefined;
};

export const maxAttempts = 8;
export const hintKey = (hint: string): string => `hint ${hint}`;

type Agent = { id: string; version: number; state: 'enabled' | 'paused' };
type AgentVersions = ReadonlyMap<string, number>;
type Written = StoredRun & { place: number | null; event_id: string };

// Events of several workspaces at once, hence the house's own view.
const settleEvents = {
  name: 'settle_events',
  text: 'select * from settle_events($1, $2, $3, $4, make_interval(secs => $5), $6, $7, $8)',
};

/** One statement cannot meet the same row twice; the same occurrence may have come by two ways. */
const uniqueOf = <Item>(items: readonly Item[], draftOf: (item: Item) => EventDraft): Map<string, Item> =>
  new Map(items.map((item) => [placeOf(draftOf(item)), item]));
const placeOf = ({ trigger, key }: EventDraft): string => `${trigger.id} ${key}`;

const longestWaitMs = 600_000;

const rememberedAgents = 20_000;

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const toRow = (draft: EventDraft, at: Date, place: number) => {
  const { outcome } = draft;
  return {
    place,
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
    run_id: outcome.outcome === 'fired' ? derivedId('run', at, placeOf(draft)) : null,
    subject: draft.subject,
    upstream_order: draft.order,
    summary: draft.summary,
    actor: draft.actor,
    data: draft.data,
    occurrence: draft.occurrence,
  };
};
type Row = ReturnType<typeof toRow>;

const firedOf = (rows: readonly Row[], drafts: readonly EventDraft[], written: readonly Written[]): FiredEvent[] => {
  const started = new Map(written.map(({ run_id, event_id }) => [run_id, event_id]));
  return rows.flatMap((row, at): FiredEvent[] => {
    const eventId = row.run_id === null ? undefined : started.get(row.run_id);
    const draft = drafts[at];
    if (row.run_id === null || eventId === undefined || draft === undefined) return [];
    return [
      {
        workspaceId: row.workspace_id,
        eventId,
        triggerId: row.trigger_id,
        agentId: draft.trigger.agentId,
        runId: row.run_id,
        type: draft.trigger.type,
        upstreamId: row.upstream_id,
        occurredAt: row.occurred_at.toISOString(),
      },
    ];
  });
};

const workspacesOf = (drafts: readonly EventDraft[]): string[] => [
  ...new Set(drafts.flatMap(({ outcome, trigger }) => (outcome.outcome === 'fired' ? [trigger.workspaceId] : []))),
];

export const createSettle = (options: {
  store: Store;
  starts: Starts;
  clock: Clock;
  intervals: Intervals;
  telling: Telling;
}): Settle => {
  const { store, starts, clock, intervals, telling } = options;
  /** The versions that agents had when they were last read, of those that were enabled. */
  const known = new Map<string, number>();

  const readAgents = async (tx: Transaction<Tables>, drafts: readonly EventDraft[]): Promise<Map<string, Agent>> => {
    const ids = [...new Set(drafts.map(({ trigger }) => trigger.agentId))];
    if (ids.length === 0) return new Map();
    const { rows } = await sql<Agent>`select id, version, state from agents where id = any(${ids}::text[])`.execute(tx);
    if (known.size > rememberedAgents) known.clear();
    for (const { id, version, state } of rows) if (state === 'enabled') known.set(id, version);
    return new Map(rows.map((row) => [row.id, row]));
  };

  /** Runs for those that fired. */
  const draftRuns = (db: Kysely<Tables>, rows: readonly Row[], drafts: readonly EventDraft[], agents: AgentVersions) =>
    starts.draft(
      db,
      rows.flatMap((row, at): AgentStart[] => {
        const draft = drafts[at];
        const agentVersion = draft === undefined ? undefined : agents.get(draft.trigger.agentId);
        if (row.run_id === null || draft === undefined || agentVersion === undefined) return [];
        return [
          {
            runId: row.run_id,
            workspaceId: row.workspace_id,
            agentId: draft.trigger.agentId,
            agentVersion,
            triggerId: row.trigger_id,
            eventId: row.id,
            event: envelopeOf(draft),
            lane: draft.subject === null ? null : `${row.trigger_id} ${draft.subject}`,
            laneOrder: draft.order,
          },
        ];
      }),
    );

  const valuesOf = (rows: readonly Row[], runs: readonly RunRow[]): unknown[] => {
    const { taker, room, seconds } = starts.terms();
    return [
      JSON.stringify(rows),
      JSON.stringify(runs),
      taker,
      room,
      seconds,
      intervals.retryMs,
      maxAttempts,
      longestWaitMs,
    ];
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

  const write = async (
    tx: Transaction<Tables>,
    drafts: readonly EventDraft[],
    agents: ReadonlyMap<string, Agent>,
    at: Date,
  ): Promise<() => void> => {
    const rows = drafts.map((draft, place) => toRow(draft, at, place));
    const versions = new Map([...agents.values()].map(({ id, version }) => [id, version]));
    const runs = await draftRuns(tx, rows, drafts, versions);
    const [given, begun, taker, room, seconds, ...rest] = valuesOf(rows, runs);
    const { rows: written } = await sql<Written>`select * from settle_events(${given}, ${begun}, ${taker}, ${room},
      make_interval(secs => ${seconds}), ${sql.join(rest)})`.execute(tx);
    // Whether anybody wants to know is found out here, too: whoever holds a transaction asks for no other connection.
    const fired = firedOf(rows, drafts, written);
    if (fired.length > 0) await telling.fired(tx, fired);
    return () => starts.begin(runs, written);
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
    const unique = [...uniqueOf(drafts, (draft) => draft).values()];
    const launch = unique.length === 0 ? () => {} : await write(tx, unique, agents, at);
    const settled: Settled[] = [];
    for (const { arrivals = [] } of settlements) settled.push({ arrivalIds: await insertArrivals(tx, arrivals) });
    await removeDone(tx, settlements);
    return { settled, launch };
  };

  // Occurrences of all workspaces share a transaction; each row names its own.
  const together = grouped(
    async (settlements: Settlement[]) => {
      const { settled, launch } = await store.system.transaction().execute((tx) => within(tx, settlements));
      launch();
      return settled;
    },
    { most: 200 },
  );

  const writeIfUnchanged = grouped(
    async (asked: (readonly Guess[])[]): Promise<boolean[]> => {
      const at = clock.now();
      const unique = [...uniqueOf(asked.flat(), ({ draft }) => draft).values()];
      const drafts = unique.map(({ draft }) => draft);
      const rows = unique.map(({ draft, roster, accountSeen, own }, place) => ({
        ...toRow(draft, at, place),
        roster,
        account_seen: accountSeen,
        account_id: draft.account.id,
        ...(draft.outcome.outcome === 'fired'
          ? { agent_id: draft.trigger.agentId, agent_version: known.get(draft.trigger.agentId) ?? 0 }
          : {}),
        traces: own?.traces ?? [],
        suspect: own?.suspect ?? false,
      }));
      const runs = await draftRuns(store.system, rows, drafts, known);
      const written = await store.planned<Written>(settleEvents, valuesOf(rows, runs));
      starts.begin(
        runs,
        written.filter(({ place }) => place === null),
      );
      const open = new Set(
        written.flatMap(({ place }) => (place === null || drafts[place] === undefined ? [] : [placeOf(drafts[place])])),
      );
      return asked.map((guesses) => !guesses.some(({ draft }) => open.has(placeOf(draft))));
    },
    { most: 200 },
  );

  // Whose agent was not read before is not asked about.
  const isKnown = ({ draft: { outcome, trigger } }: Guess) => outcome.outcome !== 'fired' || known.has(trigger.agentId);

  return {
    within,
    together,
    ifUnchanged: async (guesses) => {
      if (!guesses.every(isKnown)) return false;
      const workspaces = workspacesOf(guesses.map(({ draft }) => draft));
      // Who wants to know is told in the same transaction, which one statement is not.
      if (workspaces.length > 0 && (await telling.wantFired(workspaces))) return false;
      return writeIfUnchanged(guesses);
    },
  };
};
