import { CompiledQuery, type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Clock, Intervals } from '#clock';
import type { Occurrence } from '#kit';
import type { AgentStart, RunRow, Starts } from '#runs';
import { grouped, newId, type Store, type Tables } from '#store';
import { type EventDraft, envelopeOf } from './draft.ts';
import { openPassed } from './passed.ts';
import { pauses } from './pauses.ts';
import { type Candidate, eventRow, type Guess, placeOf, settleEvents, settleValues, type Written } from './settling.ts';
import { unlessGoneOn } from './skipped-in-pause.ts';
import { createStoring } from './storing.ts';
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
  /** The service lists what is told here: whoever was told of it by a hint need not read it any more. */
  isListed?: boolean;
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

export const maxAttempts = 8;
export const hintKey = (hint: string): string => `hint ${hint}`;

type Hint = { workspaceId: string; watchId: string; hint: string };

/** By what the hint names: nothing else leads to these without going through all that has failed. */
export const forgetFailedHints = (hints: readonly Hint[]) => sql`
  delete from events e using unnest(${hints.map(({ workspaceId }) => workspaceId)}::text[],
    ${hints.map(({ watchId }) => watchId)}::text[], ${hints.map(({ hint }) => hint)}::text[],
    ${hints.map(({ hint }) => hintKey(hint))}::text[]) d (workspace_id, watch_id, hint, key)
  where e.workspace_id = d.workspace_id and e.upstream_id = d.hint and e.watch_id = d.watch_id and e.key = d.key
    and e.outcome = 'failed'`;

/** What a hint would have named. */
const listedIn = ({ drafts, isListed = false }: Settlement): Hint[] =>
  isListed
    ? drafts.flatMap(({ trigger, watchId, upstreamId }) =>
        watchId === null ? [] : [{ workspaceId: trigger.workspaceId, watchId, hint: upstreamId }],
      )
    : [];

// In one order everywhere, so that two processes never wait for each other.
const removeArrivals = (which: RawBuilder<unknown>) =>
  sql`delete from arrivals where id in (select a.id from arrivals a ${which} order by a.id for update)`;

const named = (hints: readonly Hint[]) => sql`
  join unnest(${hints.map(({ workspaceId }) => workspaceId)}::text[], ${hints.map(({ watchId }) => watchId)}::text[],
    ${hints.map(({ hint }) => hint)}::text[]) d (workspace_id, watch_id, key) using (workspace_id, watch_id, key)
  where a.occurrence is null`;

type Agent = { id: string; version: number; state: 'enabled' | 'paused' };
type AgentVersions = ReadonlyMap<string, number>;
type Guessed = Candidate & { guess: Guess };
/** One statement cannot meet the same row twice; the same occurrence may have come by two ways. */
const uniqueOf = <Item>(items: readonly Item[], draftOf: (item: Item) => EventDraft): Map<string, Item> =>
  new Map(items.map((item) => [placeOf(draftOf(item)), item]));

const longestWaitMs = 600_000;

const rememberedAgents = 20_000;

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

const firedOf = (
  candidates: readonly Candidate[],
  drafts: readonly EventDraft[],
  written: readonly Written[],
): FiredEvent[] => {
  const started = new Map(written.map(({ run_id, event_id }) => [run_id, event_id]));
  return candidates.flatMap(({ event }, at): FiredEvent[] => {
    const eventId = event.run_id === null ? undefined : started.get(event.run_id);
    const draft = drafts[at];
    if (event.run_id === null || eventId === undefined || draft === undefined) return [];
    return [
      {
        workspaceId: event.workspace_id,
        eventId,
        triggerId: event.trigger_id,
        agentId: draft.trigger.agentId,
        runId: event.run_id,
        type: draft.trigger.type,
        upstreamId: event.upstream_id,
        occurredAt: event.occurred_at.toISOString(),
        delivery: event.delivery,
        ...(draft.account.endUserId === null ? {} : { endUserId: draft.account.endUserId }),
      },
    ];
  });
};

const runsOf = (candidates: readonly Candidate[]): RunRow[] => candidates.flatMap(({ run }) => run ?? []);

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

  const startOf = (draft: EventDraft, event: Candidate['event'], agents: AgentVersions): AgentStart | undefined => {
    const agentVersion = agents.get(draft.trigger.agentId);
    if (event.run_id === null || agentVersion === undefined) return undefined;
    return {
      runId: event.run_id,
      workspaceId: event.workspace_id,
      agentId: draft.trigger.agentId,
      agentVersion,
      triggerId: event.trigger_id,
      eventId: event.id,
      event: envelopeOf(draft),
      lane: draft.subject === null ? null : `${event.trigger_id} ${draft.subject}`,
      laneOrder: draft.order,
      endUserId: draft.account.endUserId ?? undefined,
    };
  };

  /** Events as they are stored, with the runs of those that fired. */
  const candidatesOf = async (
    db: Kysely<Tables>,
    drafts: readonly EventDraft[],
    agents: AgentVersions,
  ): Promise<Candidate[]> => {
    const at = clock.now();
    const events = drafts.map((draft) => eventRow(draft, at));
    const begun = drafts.flatMap((draft, n) => startOf(draft, events[n] as Candidate['event'], agents) ?? []);
    const runs = new Map((await starts.draft(db, begun)).map((run) => [run.id, run]));
    return events.map((event) => ({ event, run: runs.get(event.run_id ?? '') }));
  };

  const valuesOf = (candidates: readonly Candidate[]): unknown[] =>
    settleValues(candidates, starts.terms(), { retryMs: intervals.retryMs, most: maxAttempts, longestWaitMs });

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
    const listed = settlements.flatMap(listedIn);
    const ids = done.map(({ arrivalId }) => arrivalId);
    if (ids.length > 0) await removeArrivals(sql`where a.id = any(${ids}::text[])`).execute(tx);
    if (listed.length > 0) await removeArrivals(named(listed)).execute(tx);
    // While a hint could not be read, an event told so under the hint's own name.
    if (done.length + listed.length > 0) await forgetFailedHints([...done, ...listed]).execute(tx);
  };

  const write = async (
    tx: Transaction<Tables>,
    drafts: readonly EventDraft[],
    agents: ReadonlyMap<string, Agent>,
  ): Promise<() => void> => {
    const versions = new Map([...agents.values()].map(({ id, version }) => [id, version]));
    const candidates = await candidatesOf(tx, drafts, versions);
    const { rows: written } = await tx.executeQuery<Written>(
      CompiledQuery.raw(settleEvents.text, valuesOf(candidates)),
    );
    // Whether anybody wants to know is found out here, too: whoever holds a transaction asks for no other connection.
    const fired = firedOf(candidates, drafts, written);
    if (fired.length > 0) await telling.fired(tx, fired);
    return () => starts.begin(runsOf(candidates), written);
  };

  const within: Settle['within'] = async (tx, settlements) => {
    const given = await unlessGoneOn(
      tx,
      settlements.flatMap(({ drafts }) => drafts),
    );
    const agents = await readAgents(
      tx,
      given.filter(({ outcome }) => outcome.outcome === 'fired'),
    );
    const drafts = given.map((draft): EventDraft => {
      if (draft.outcome.outcome !== 'fired' || agents.get(draft.trigger.agentId)?.state === 'enabled') return draft;
      // What it would have been told is kept for a replay: not all of it can be read again.
      return { ...draft, outcome: { outcome: 'skipped', reason: pauses.agent } };
    });
    const unique = [...uniqueOf(drafts, (draft) => draft).values()];
    await openPassed(tx, unique);
    const launch = unique.length === 0 ? () => {} : await write(tx, unique, agents);
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

  /** With the runs, which are carried out as far as they go before they are stored. */
  const prepare = async (guesses: readonly Guess[]): Promise<Guessed[]> => {
    const drafts = guesses.map(({ draft }) => draft);
    const candidates = await candidatesOf(store.system, drafts, known);
    return Promise.all(
      candidates.map(async (candidate, at) => ({
        ...candidate,
        guess: guesses[at] as Guess,
        // What cannot be carried out in advance is carried out afterwards.
        prepared: candidate.run && (await starts.prepare(candidate.run).catch(() => undefined)),
      })),
    );
  };

  const storePrepared = createStoring({ store, starts, valuesOf });

  const writePrepared = async (guessed: readonly Guessed[]): Promise<readonly Written[]> => {
    try {
      const prepared = new Map(
        guessed.flatMap(({ prepared: each }) => (each === undefined ? [] : [[each.run.id, each]])),
      );
      return await storePrepared(guessed, (written) =>
        starts.begin(
          runsOf(guessed),
          written.filter(({ place }) => place === null),
          prepared,
        ),
      );
    } finally {
      // Those that go on are not touched by this.
      for (const { prepared } of guessed) prepared?.drop();
    }
  };

  const writeIfUnchanged = grouped(
    async (asked: (readonly Guess[])[]): Promise<boolean[]> => {
      const unique = [...uniqueOf(asked.flat(), ({ draft }) => draft).values()];
      const written = await writePrepared(await prepare(unique));
      const open = new Set(
        written.flatMap(({ place }) => {
          const guess = place === null ? undefined : unique[place];
          return guess === undefined ? [] : [placeOf(guess.draft)];
        }),
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
