import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { expect } from 'vitest';
import { defaultIntervals, systemClock } from '#clock';
import { createApprovalRecords } from '#effects';
import { silentLog } from '#log';
import { newId, openStore, storageFault, type Tables } from '#store';
import { createSeats } from './agents/seats.ts';
import { createCancelling } from './cancelling.ts';
import { createExecution, type Program } from './execution.ts';
import { createLanes } from './lanes.ts';
import { createLeases, type Orphan } from './leases.ts';
import { createRunRecords, type RunRow } from './run-records.ts';
import { type AgentStart, createStarts } from './starts.ts';
import { createVersions } from './versions.ts';

const clock = systemClock();

const someone = { kind: 'member' as const, id: 'per_1', name: 'Ada' };

export const done = { output: null, warnings: [] };

export const nameOf = ({ input }: RunRow): string => (input as { event: { data: { name: string } } }).event.data.name;

/** Notes what runs, and counts when two of one lane do at once. */
export const recording = () => {
  const order: string[] = [];
  const busy = new Set<string>();
  let clashes = 0;
  const program: Program = async ({ run }, logbook) => {
    await logbook.earlier();
    if (run.lane !== null && busy.has(run.lane)) clashes += 1;
    if (run.lane !== null) busy.add(run.lane);
    order.push(nameOf(run));
    await sleep(3);
    busy.delete(run.lane ?? '');
    return done;
  };
  return { order, program, clashes: () => clashes };
};

/** A program that waits in the run of this name until it is let go. */
export const holding = (name: string) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const order: string[] = [];
  const program: Program = async ({ run }) => {
    order.push(nameOf(run));
    if (nameOf(run) === name) await held;
    return done;
  };
  return { order, program, release: () => release() };
};

type Database = AsyncDisposable & { connectionString: string };

/** A workspace with an agent, and processes whose queue, leases and lanes are real; what a run does is the test's own. */
export const runTrack = async (connecting: Promise<Database>, concurrency?: number, leaseMs = 600) => {
  const intervals = { ...defaultIntervals, leaseMs, leaseRenewMs: leaseMs / 3 };
  const database = await connecting;
  const store = openStore({ connectionString: database.connectionString, max: 6, log: silentLog });
  const processes: { stop(): Promise<void> }[] = [];
  const now = clock.now();
  const workspaceId = newId('ws', now);
  const agentId = newId('agt', now);
  const toolId = newId('tool', now);
  const db = store.of(workspaceId);
  await db
    .insertInto('workspaces')
    .values({ workspace_id: workspaceId, name: 'w', created_at: now, stopped_at: null })
    .execute();
  await db
    .insertInto('tools')
    .values({ id: toolId, workspace_id: workspaceId, name: 't', version: 3, created_at: now, updated_at: now })
    .execute();
  const definition = {
    name: 'a',
    instructions: '',
    concurrency,
    tools: [{ toolId }],
    runner: { type: 'tool', toolId, input: {} },
  };
  await db
    .insertInto('agent_versions')
    .values({
      workspace_id: workspaceId,
      agent_id: agentId,
      version: 1,
      definition: JSON.stringify(definition),
      made_by: '{}',
      created_at: now,
    })
    .execute();

  /** A queue shows what it was given after the commit. */
  const visibleAfter = new WeakMap<Orphan, string>();
  const isVisible = async (orphan: Orphan): Promise<boolean> => {
    const xid = visibleAfter.get(orphan);
    if (xid === undefined) return true;
    const { rows } = await sql<{ open: boolean }>`select pg_xact_status(${xid}::xid8) = 'in progress' as open`.execute(
      store.system,
    );
    return rows[0]?.open === false;
  };

  /** One process: its own name, its own room, and a queue that is a list. */
  const newProcess = (program: Program, capacity = 64) => {
    const queue: Orphan[] = [];
    const telling = { wanted: async () => false, tell: async () => {} };
    const approvals = createApprovalRecords({ store, clock, tell: async () => {} });
    const common = { store, clock, intervals, telling, approvals };
    const leases = createLeases({ store, log: silentLog, intervals });
    const records = createRunRecords(common);
    const room = () => Math.max(0, capacity - leases.held());
    const handOver = async (orphans: readonly Orphan[], tx?: Kysely<Tables>) => {
      if (tx !== undefined) {
        const { rows } = await sql<{ xid: string }>`select pg_current_xact_id()::text as xid`.execute(tx);
        for (const orphan of orphans) visibleAfter.set(orphan, rows[0]?.xid ?? '');
      }
      queue.push(...orphans);
    };
    const launch = (run: RunRow) => execution.launch(run);
    const lanes = createLanes({ ...common, leases, room, next: { launch, handOver } });
    const programOf = () => program;
    const versions = createVersions({ store });
    const cancelling = createCancelling({ ...common, leases, handOver });
    const execution = createExecution({
      records,
      lanes,
      leases,
      cancelling,
      giveUp: async () => {},
      seats: createSeats({ store, versions, leases, intervals, handOver }),
      programOf,
      clock,
      log: silentLog,
      storageFault,
    });
    const starts = createStarts({
      versions,
      execution,
      leases,
      intervals,
      clock,
      room,
      handOver,
    });
    const started = {
      queue,
      leases,
      starts,
      records,
      cancel: (runId: string) => cancelling.cancel(workspaceId, runId, someone),
      begin: async (given: readonly AgentStart[]) => {
        const go = await store.system.transaction().execute((tx) => starts.insert(tx, given));
        go();
      },
      advance: async (orphan: Orphan) => {
        while (!(await isVisible(orphan))) await sleep(1);
        const run = await lanes.take(orphan);
        if (run !== undefined) await execution.execute({ run, begun: true }).catch(() => {});
      },
      stop: async () => {
        while (leases.held() > 0) await sleep(5);
        leases.close();
      },
    };
    processes.push(started);
    return started;
  };

  const startOf = (name: string, lane: string | null, order = name): AgentStart => ({
    runId: newId('run', clock.now()),
    workspaceId,
    agentId,
    agentVersion: 1,
    triggerId: 'trg_x',
    eventId: `evt_${name}`,
    event: { data: { name }, at: clock.now() },
    lane,
    laneOrder: order,
  });

  const rows = () => store.of(workspaceId).selectFrom('runs').selectAll().orderBy('lane_order').execute();
  const allEnded = () =>
    expect.poll(async () => (await rows()).every(({ finished_at }) => finished_at !== null)).toBe(true);

  return {
    store,
    workspaceId,
    agentId,
    newProcess,
    startOf,
    rows,
    allEnded,
    /** The processes so far are dead. */
    forget: () => void processes.splice(0),
    stop: (stopped: boolean) =>
      db
        .updateTable('workspaces')
        .set({ stopped_at: stopped ? clock.now() : null })
        .execute(),
    [Symbol.asyncDispose]: async () => {
      for (const each of processes) await each.stop();
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
};
