import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { defaultIntervals, systemClock } from '#clock';
import { Fault } from '#kit';
import { silentLog } from '#log';
import { newId, openStore, type Store, storageFault } from '#store';
import { freshDatabase } from '../../test/database.ts';
import { createExecution, type Program } from './execution.ts';
import { createLanes } from './lanes.ts';
import { createLeases, type Orphan } from './leases.ts';
import { createRunRecords, type RunRow } from './run-records.ts';
import { type AgentStart, createStarts } from './starts.ts';
import { createVersions } from './versions.ts';

// The queue, the leases and the lanes are real; what a run does is the test's own.
const clock = systemClock();
const intervals = { ...defaultIntervals, leaseMs: 600, leaseRenewMs: 200 };

let database: Awaited<ReturnType<typeof freshDatabase>>;
let store: Store;
let workspaceId: string;
let agentId: string;
const processes: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  store = openStore({ connectionString: database.connectionString, max: 6, log: silentLog });
});
afterAll(async () => {
  await store.close();
  await database[Symbol.asyncDispose]();
});

beforeEach(async () => {
  const now = clock.now();
  workspaceId = newId('ws', now);
  agentId = newId('agt', now);
  const toolId = newId('tool', now);
  const db = store.of(workspaceId);
  await db
    .insertInto('workspaces')
    .values({ workspace_id: workspaceId, name: 'w', created_at: now, stopped_at: null })
    .execute();
  const made = { created_at: now, updated_at: now };
  await db
    .insertInto('tools')
    .values({ id: toolId, workspace_id: workspaceId, name: 't', version: 3, ...made })
    .execute();
  const definition = { name: 'a', instructions: '', tools: [{ toolId }], runner: { type: 'tool', toolId, input: {} } };
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
});
afterEach(async () => {
  for (const each of processes.splice(0)) await each.stop();
});

/** One process: its own name, its own room, and a queue that is a list. */
const newProcess = (program: Program, capacity = 64) => {
  const queue: Orphan[] = [];
  const telling = { wanted: async () => false, tell: async () => {} };
  const common = { store, clock, intervals, telling };
  const leases = createLeases({ store, log: silentLog, intervals });
  const telling = { wanted: async () => false, tell: async () => {} };
  const records = createRunRecords({ store, clock, intervals, telling });
  const room = () => Math.max(0, capacity - leases.held());
  const handOver = async (orphans: readonly Orphan[]) => void queue.push(...orphans);
  const launch = (run: RunRow) => execution.launch(run);
  const lanes = createLanes({ store, clock, leases, intervals, room, next: { launch, handOver }, telling });
  const programOf = () => program;
  const execution = createExecution({ records, lanes, leases, programOf, clock, log: silentLog, storageFault });
  const starts = createStarts({
    versions: createVersions({ store }),
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
    begin: async (given: readonly AgentStart[]) => {
      const go = await store.system.transaction().execute((tx) => starts.insert(tx, given));
      go();
    },
    advance: async (orphan: Orphan) => {
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

const nameOf = ({ input }: RunRow): string => (input as { event: { data: { name: string } } }).event.data.name;
const rows = () => store.of(workspaceId).selectFrom('runs').selectAll().orderBy('lane_order').execute();
const allEnded = () =>
  expect
    .poll(async () => (await rows()).every(({ finished_at }) => finished_at !== null), { timeout: 10_000 })
    .toBe(true);
const done = { output: null, warnings: [] };

/** Notes what runs, and fails the test when two of one lane do at once. */
const recording = () => {
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

test('runs are stored in one go and carried out at once, with the present version of the tool', async () => {
  const { program, order } = recording();
  const one = newProcess(program);
  await one.begin([startOf('a', null), startOf('b', 'card 1'), startOf('c', null)]);
  await allEnded();
  expect(order.toSorted()).toEqual(['a', 'b', 'c']);
  expect(one.queue).toEqual([]);
  const [first] = await rows();
  expect(first).toMatchObject({ status: 'succeeded', agent_id: agentId, agent_version: 1, tool_version: 3 });
  expect(first?.started_by).toMatchObject({ kind: 'system', id: 'trg_x' });
  // Dates became text, as whoever takes the run over would read them.
  expect(first?.input).toMatchObject({ event: { at: expect.any(String) } });
});

test('what was rolled back never starts, and takes up no room', async () => {
  const { program, order } = recording();
  const one = newProcess(program, 1);
  const rolledBack = store.system.transaction().execute(async (tx) => {
    await one.starts.insert(tx, [startOf('never', 'l')]);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await rows()).toEqual([]);
  await one.begin([startOf('a', 'l')]);
  await allEnded();
  expect(order).toEqual(['a']);
});

describe('a lane', () => {
  test('goes one after the other in its own order, whatever order they came in', async () => {
    const { program, order, clashes } = recording();
    const one = newProcess(program);
    await one.begin(['3', '1', '2'].map((name) => startOf(name, 'card 1')));
    await one.begin([startOf('5', 'card 1'), startOf('4', 'card 1')]);
    await allEnded();
    expect([order, clashes()]).toEqual([['1', '2', '3', '4', '5'], 0]);
  });

  test('compares its order as plain text', async () => {
    const { program, order } = recording();
    await newProcess(program).begin(['b', 'B', 'a', '_', '10', '9'].map((name) => startOf(name, 'l')));
    await allEnded();
    expect(order).toEqual(['10', '9', 'B', '_', 'a', 'b']);
  });

  test('does not hold up other lanes', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const order: string[] = [];
    const one = newProcess(async ({ run }) => {
      if (nameOf(run) === 'slow') await held;
      order.push(nameOf(run));
      return done;
    });
    await one.begin([startOf('slow', 'x'), startOf('behind', 'x', 'z'), startOf('other', 'y')]);
    await expect.poll(() => order).toEqual(['other']);
    release();
    await allEnded();
    expect(order).toEqual(['other', 'slow', 'behind']);
  });

  test('keeps its order over two processes that start, end and take from it at the same time', async () => {
    const { program, order, clashes } = recording();
    const both = [newProcess(program, 3), newProcess(program, 3)] as const;
    const lanes = ['l1', 'l2', 'l3'];
    let turn = true;
    const draining = (async () => {
      while (turn || both.some(({ queue }) => queue.length > 0)) {
        // The queue gives work to anybody.
        const work = both.flatMap(({ queue }) => queue.splice(0));
        await Promise.all(work.map(async (orphan, at) => both[at % 2]?.advance(orphan)));
        await sleep(2);
      }
    })();
    for (let group = 0; group < 12; group++) {
      const name = (at: number) => `${String(group).padStart(2, '0')}${at}`;
      const batch = (lane: string) => [1, 0].map((at) => startOf(`${lane} ${name(at)}`, lane, name(at)));
      await Promise.all([both[0].begin(lanes.flatMap(batch)), sleep(4)]);
      await both[1].begin([startOf(`free ${group}`, null)]);
    }
    await allEnded();
    turn = false;
    await draining;
    for (const lane of lanes) {
      const ran = order.filter((name) => name.startsWith(lane));
      expect(ran).toHaveLength(24);
      // A later one may only come first when an earlier one was not there yet; groups came one by one.
      expect(ran).toEqual(ran.toSorted());
    }
    expect(clashes()).toBe(0);
  });

  test('a run that comes before one that has begun waits for it, and goes before the others', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const order: string[] = [];
    const one = newProcess(async ({ run }) => {
      order.push(nameOf(run));
      if (nameOf(run) === '5') await held;
      return done;
    });
    await one.begin([startOf('5', 'l')]);
    await one.begin([startOf('7', 'l'), startOf('3', 'l')]);
    release();
    await allEnded();
    expect(order).toEqual(['5', '3', '7']);
  });

  test('goes on after a run that failed', async () => {
    const one = newProcess(async ({ run }) => {
      if (nameOf(run) === '1') throw new Fault('upstream_rejected', 'no');
      return done;
    });
    await one.begin([startOf('1', 'l'), startOf('2', 'l')]);
    await allEnded();
    expect((await rows()).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
  });

  test('waits behind a run that waits for the service, also with one that should have come before', async () => {
    const order: string[] = [];
    const one = newProcess(async ({ run }) => {
      order.push(`${nameOf(run)} ${run.attempts}`);
      if (run.attempts === 1 && nameOf(run) === '2') throw new Fault('upstream_unavailable', 'away');
      return done;
    });
    await one.begin([startOf('2', 'l')]);
    await expect.poll(async () => (await rows())[0]?.status).toBe('queued');
    const late = startOf('1', 'l');
    await one.begin([late]);
    // Asked for out of turn, the one that has begun is taken.
    await one.advance({ runId: late.runId, workspaceId });
    await allEnded();
    expect(order).toEqual(['2 1', '2 2', '1 1']);
  });

  test('is not entered twice by two transactions that do not see each other', async () => {
    const { program, order, clashes } = recording();
    const [one, other] = [newProcess(program), newProcess(program)];
    let entering = Promise.resolve();
    const go = await store.system.transaction().execute(async (tx) => {
      const launch = await one.starts.insert(tx, [startOf('1', 'l')]);
      entering = other.begin([startOf('2', 'l')]);
      await sleep(100);
      return launch;
    });
    expect(order).toEqual([]);
    go();
    await entering;
    await allEnded();
    expect([order, clashes()]).toEqual([['1', '2'], 0]);
  });

  test('forgets nobody who enters while the last one leaves', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const order: string[] = [];
    const one = newProcess(async ({ run }) => {
      order.push(nameOf(run));
      if (nameOf(run) === '1') await held;
      return done;
    });
    await one.begin([startOf('1', 'l')]);
    await store.system.transaction().execute(async (tx) => {
      await one.starts.insert(tx, [startOf('2', 'l')]);
      release();
      await sleep(100);
    });
    await allEnded();
    expect(order).toEqual(['1', '2']);
  });

  test('is taken over with its order when its process dies', async () => {
    const dying = newProcess(() => new Promise(() => {}));
    const [first, second] = [startOf('1', 'l'), startOf('2', 'l')];
    await dying.begin([second, first]);
    dying.leases.close();
    processes.splice(0);
    const { program, order } = recording();
    const heir = newProcess(program);
    await heir.advance({ runId: second.runId, workspaceId });
    expect(order).toEqual([]);
    const found: Orphan[] = [];
    const collect = () => heir.leases.collectOrphans(async (_, orphans) => void found.push(...orphans));
    await expect.poll(async () => collect().then(() => found.length), { timeout: 5_000 }).toBe(1);
    expect(found).toEqual([{ runId: first.runId, workspaceId }]);
    for (const orphan of found) await heir.advance(orphan);
    await allEnded();
    expect(order).toEqual(['1', '2']);
  });
});

describe('a process', () => {
  test('carries as many as it has room for; the others are left to the queue and run there once', async () => {
    const { program, order } = recording();
    const one = newProcess(program, 2);
    await one.begin(['a', 'b', 'c', 'd', 'e'].map((name) => startOf(name, null)));
    expect(one.queue).toHaveLength(3);
    for (const orphan of [...one.queue, ...one.queue]) await one.advance(orphan);
    await allEnded();
    expect(order.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('without room leaves the first of each lane to the queue, and the next when it ends', async () => {
    const { program, order } = recording();
    const api = newProcess(program, 0);
    await api.begin([startOf('1', 'l'), startOf('2', 'l'), startOf('x', 'm')]);
    expect([api.queue.length, order]).toEqual([2, []]);
    while (api.queue.length > 0) for (const orphan of api.queue.splice(0)) await api.advance(orphan);
    await allEnded();
    expect(order.filter((name) => name !== 'x')).toEqual(['1', '2']);
  });
});

test('while the workspace is stopped nothing starts and nothing is lost', async () => {
  const { program, order } = recording();
  const one = newProcess(program);
  const stop = (at: Date | null) => store.of(workspaceId).updateTable('workspaces').set({ stopped_at: at }).execute();
  await stop(clock.now());
  const given = [startOf('1', 'l'), startOf('2', 'l'), startOf('x', null)];
  await one.begin(given);
  const collect = async (): Promise<Orphan[]> => {
    const found: Orphan[] = [];
    await one.leases.collectOrphans(async (_, orphans) => void found.push(...orphans));
    return found;
  };
  for (const { runId } of given) await one.advance({ runId, workspaceId });
  expect([one.queue, await collect(), order]).toEqual([[], [], []]);
  await stop(null);
  const found = await collect();
  expect(found).toHaveLength(2);
  for (const orphan of found) await one.advance(orphan);
  await allEnded();
  expect(order.toSorted()).toEqual(['1', '2', 'x']);
});
