import { type Kysely, sql, type Transaction } from 'kysely';
import type { Clock, Intervals } from '#clock';
import type { Actor, Database, Tables } from '#store';
import type { Execution, Prepared } from './execution.ts';
import type { Room } from './lanes.ts';
import { type Leases, ms, type Orphan } from './leases.ts';
import { draftRun, type RunRow } from './run-records.ts';
import type { Versions } from './versions.ts';

export type AgentStart = {
  runId: string;
  workspaceId: string;
  agentId: string;
  agentVersion: number;
  triggerId: string;
  eventId: string;
  /** The event envelope, what {{event…}} sees. */
  event: Record<string, unknown>;
  /** Runs of one lane go one after the other, in laneOrder. */
  lane: string | null;
  laneOrder: string;
  /** Whose account it happened in, on an embedding platform. */
  endUserId?: string | undefined;
};

/** A start by hand. */
export type HandStart = {
  workspaceId: string;
  agentId: string;
  agentVersion: number;
  input: Record<string, unknown>;
  actor: Actor;
  requestKey: string | undefined;
  /** For whom on an embedding platform it runs. */
  endUserId?: string | undefined;
};

/** What became of a run that was stored. */
export type StoredRun = {
  run_id: string;
  version: number | null;
  taken: boolean;
  ready: boolean;
  /** When its first write was intended, where that was stored with it. */
  intended_at?: Date | null;
};

/** A run just stored: carried out here, left to whoever is free, or behind another of its lane or an emergency stop. */
export type Started = { run: RunRow; taken: boolean; ready: boolean };

export type Starts = {
  /**
   * In the caller's transaction, which may span workspaces. Takes as many runs as this process has room for and whose
   * lane is free; the others are left to the queue, in the same transaction. The function it answers is called after the
   * commit and carries out what was taken.
   */
  insert(tx: Transaction<Tables>, starts: readonly AgentStart[]): Promise<() => void>;
  /** Runs as start_runs() stores them, for a statement of the caller's that stores more besides. */
  draft(db: Kysely<Tables>, starts: readonly AgentStart[]): Promise<RunRow[]>;
  /** Whom start_runs() takes runs for, how many, and for how many seconds. */
  terms(): { taker: string; room: number; seconds: number };
  /** Carries a run of a tool out as far as it goes before it is stored. `undefined` where that cannot be. */
  prepare(draft: RunRow): Promise<Prepared | undefined>;
  /** After the commit: carries out what was taken, or goes on with what was prepared, and leaves the others to the queue. */
  begin(
    drafts: readonly RunRow[],
    stored: readonly (StoredRun & { event_id: string })[],
    prepared?: ReadonlyMap<string, Prepared>,
  ): void;
  byHand(tx: Transaction<Tables>, start: HandStart): Promise<{ started: Started; launch: () => void }>;
  /** A run that ended before, once more, by the agent as it is now. */
  again(
    tx: Transaction<Tables>,
    before: RunRow,
    now: { agentVersion: number; actor: Actor },
  ): Promise<{ started: Started; launch: () => void }>;
};

const rememberedTools = 20_000;

const startedOf = (drafts: readonly RunRow[], rows: readonly StoredRun[]): Started[] => {
  const stored = new Map(rows.map((row) => [row.run_id, row]));
  return drafts.flatMap((draft) => {
    const row = stored.get(draft.id);
    if (row === undefined) return [];
    const { version, taken, ready } = row;
    return [{ run: { ...draft, tool_version: version, status: 'running' as const, attempts: 1 }, taken, ready }];
  });
};

const leftOf = (started: readonly Started[]): Orphan[] =>
  started
    .filter(({ taken, ready }) => ready && !taken)
    .map(({ run }) => ({ runId: run.id, workspaceId: run.workspace_id }));

export const createStarts = (options: {
  versions: Versions;
  execution: Execution;
  leases: Leases;
  intervals: Intervals;
  clock: Clock;
  room: Room;
  handOver: (orphans: readonly Orphan[], tx?: Database) => Promise<void>;
}): Starts => {
  const { versions, execution, leases, intervals, clock, room, handOver } = options;
  /** The versions that tools had when a run of theirs was last stored. */
  const toolVersions = new Map<string, number>();

  const noteVersions = (started: readonly Started[]): void => {
    if (toolVersions.size > rememberedTools) toolVersions.clear();
    for (const { run } of started) {
      if (run.tool_id !== null && run.tool_version !== null) toolVersions.set(run.tool_id, run.tool_version);
    }
  };

  /** Whether it may be carried out before it is stored: it takes no place that others wait for, and its tool is known. */
  const isPreparable = async ({ workspace_id: workspaceId, agent_id: id, agent_version: version }: RunRow) => {
    if (id === null || version === null || room() === 0) return false;
    const { concurrency } = await versions.agent({ workspaceId, id, version });
    return concurrency === undefined || concurrency === null;
  };

  const store = async (tx: Transaction<Tables>, drafts: readonly RunRow[]): Promise<Started[]> => {
    const { rows } = await sql<StoredRun>`
      select * from start_runs(
        array(select t from json_populate_recordset(null::starting, ${JSON.stringify(drafts)}) t),
        ${leases.owner}, ${room()}, ${ms(intervals.leaseMs)}
      )`.execute(tx);
    const started = startedOf(drafts, rows);
    noteVersions(started);
    const left = leftOf(started);
    if (left.length > 0) await handOver(left, tx);
    return started;
  };

  const launch = (started: readonly Started[]): void => {
    for (const { run, taken } of started) if (taken) execution.launch(run);
  };

  const storeOne = async (tx: Transaction<Tables>, draft: RunRow) => {
    const { workspace_id: workspaceId, agent_id: id, agent_version: version } = draft;
    if (id === null || version === null) throw new Error('this run is not one of an agent');
    const [agent] = await versions.agents(tx, [{ workspaceId, id, version }]);
    const [started] = await store(tx, [{ ...draft, tool_id: agent?.runner.toolId ?? null }]);
    if (started === undefined) throw new Error('the run was not stored');
    return { started, launch: () => launch([started]) };
  };

  const draft: Starts['draft'] = async (db, starts) => {
    const agents = await versions.agents(
      db,
      starts.map(({ workspaceId, agentId: id, agentVersion: version }) => ({ workspaceId, id, version })),
    );
    return starts.map((start, at): RunRow => {
      const actor = { kind: 'system' as const, id: start.triggerId, name: 'Trigger' };
      // As it will be read again: no dates, nothing undefined.
      const event: unknown = JSON.parse(JSON.stringify(start.event));
      const { workspaceId, endUserId } = start;
      const plain = draftRun(clock, { workspaceId, actor, input: { event }, maySend: true, endUserId });
      return {
        ...plain,
        id: start.runId,
        agent_id: start.agentId,
        agent_version: start.agentVersion,
        tool_id: agents[at]?.runner.toolId ?? null,
        event_id: start.eventId,
        trigger_id: start.triggerId,
        lane: start.lane,
        lane_order: start.laneOrder,
      };
    });
  };

  return {
    draft,
    terms: () => ({ taker: leases.owner, room: room(), seconds: intervals.leaseMs / 1_000 }),

    prepare: async (draft) => {
      const version = draft.tool_id === null ? undefined : toolVersions.get(draft.tool_id);
      if (version === undefined || !(await isPreparable(draft))) return undefined;
      return execution.prepare({ ...draft, tool_version: version });
    },

    begin: (drafts, stored, prepared = new Map()) => {
      const rows = new Map(stored.map((row) => [row.run_id, row]));
      const started = startedOf(drafts, stored);
      noteVersions(started);
      for (const { run, taken } of started) {
        if (!taken) continue;
        const { event_id: eventId = null, intended_at: at = null } = rows.get(run.id) ?? {};
        const begun = prepared.get(run.id);
        const fits = begun?.run.tool_version === run.tool_version && begun.run.event_id === eventId;
        if (fits) begun.launch(at === null ? undefined : { intended_at: at, attempts: 1 });
        else execution.launch({ ...run, event_id: eventId });
      }
      const left = leftOf(started);
      // What cannot be handed over now is found when its lease has passed.
      if (left.length > 0) handOver(left).catch(() => {});
    },

    insert: async (tx, starts) => {
      if (starts.length === 0) return () => {};
      const started = await store(tx, await draft(tx, starts));
      return () => launch(started);
    },

    byHand: async (tx, { workspaceId, agentId, agentVersion, input, actor, requestKey, endUserId }) => {
      const draft = draftRun(clock, { workspaceId, actor, input: { input }, maySend: true, requestKey, endUserId });
      return storeOne(tx, { ...draft, agent_id: agentId, agent_version: agentVersion });
    },

    again: async (tx, before, { agentVersion, actor }) => {
      const { workspace_id: workspaceId, input, may_send: maySend, agent_id, event_id, trigger_id, lane } = before;
      const endUserId = before.end_user_id ?? undefined;
      const draft = draftRun(clock, { workspaceId, actor, input, maySend, retryOf: before.id, endUserId });
      const same = { agent_id, event_id, trigger_id, lane, lane_order: before.lane_order };
      const made = await storeOne(tx, { ...draft, ...same, agent_version: agentVersion });
      await tx
        .updateTable('runs')
        .set({ retry_of: before.id })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', draft.id)
        .execute();
      return made;
    },
  };
};
