import type { Clock, Intervals } from '#clock';
import { storableJson } from '#kit';
import { column, grouped, type Store } from '#store';
import { type NewEntry, written } from './journal.ts';
import type { Leases, Orphan } from './leases.ts';
import { endColumns, type RunEnd } from './run-end.ts';
import type { RunRow } from './run-records.ts';
import { endedRun, endTogether, type Telling } from './telling.ts';

/** How many more runs this process may carry now. */
export type Room = () => number;

/** Runs of agents: those of one lane go one after the other, over all processes. */
export type Lanes = {
  /** Takes a run that is nobody's, or the one of its lane whose turn it is; `undefined` when there is none to take. */
  take(orphan: Orphan): Promise<RunRow | undefined>;
  /** Ends a run that this process holds and calls the next of its lane; false when it lost it meanwhile. */
  finish(run: RunRow, end: RunEnd, entries: readonly NewEntry[], stored: number): Promise<boolean>;
};

/** What becomes of the next of a lane. */
export type Next = {
  /** Carried out here; the lease is taken. */
  launch(run: RunRow): void;
  /** Left to whoever is free. */
  handOver(orphans: readonly Orphan[]): Promise<void>;
};

type Ended = { run: RunRow; end: RunEnd; entries: readonly NewEntry[]; stored: number };
type Called = { run_id: string; next_workspace: string | null; next_id: string | null; next_taken: boolean | null };

export const endRuns = {
  name: 'end_runs',
  text: 'select * from end_runs($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, make_interval(secs => $11))',
};

// In the order in which everybody locks lanes, so that two processes never wait for each other.
const takeRuns = {
  name: 'take_runs',
  text: `select o.place::integer as place, t.* from (
      select o.place, r.workspace_id, r.id from unnest($1::text[], $2::text[]) with ordinality o (workspace_id, id, place)
        join runs r on r.workspace_id = o.workspace_id and r.id = o.id
      order by lane_lock(r.workspace_id, r.lane), o.place
    ) o, lateral take_run(o.workspace_id, o.id, $3, make_interval(secs => $4)) t`,
};

// Nobody waits for these but the next of a lane; ended together, each costs less.
const sharing = { apartMs: 6 };

export const createLanes = (options: {
  store: Store;
  clock: Clock;
  leases: Leases;
  intervals: Intervals;
  room: Room;
  next: Next;
  telling: Telling;
}): Lanes => {
  const { store, clock, leases, intervals, room, next } = options;

  const callNext = async (called: readonly Called[]): Promise<void> => {
    const orphans = called.flatMap(({ next_workspace: workspaceId, next_id: runId, next_taken: taken }) =>
      workspaceId === null || runId === null ? [] : [{ workspaceId, runId, taken }],
    );
    const taken = orphans.filter((each) => each.taken).map(({ runId }) => runId);
    const left = orphans.filter((each) => !each.taken);
    // Of several workspaces, as the runs that ended.
    const rows =
      taken.length === 0 ? [] : await store.system.selectFrom('runs').selectAll().where('id', 'in', taken).execute();
    for (const row of rows) next.launch(row);
    if (left.length > 0) await next.handOver(left.map(({ runId, workspaceId }) => ({ runId, workspaceId })));
  };

  // Runs of several workspaces at once, hence the house's own view.
  const finishTogether = grouped(async (ended: Ended[]): Promise<boolean[]> => {
    const ends = ended.map(({ end }) => endColumns(end));
    const json = (value: unknown): string | null => (value === null ? null : storableJson(JSON.stringify(value)));
    const values = [
      column(ended.map(({ run }) => run.id)),
      column(ended.map(({ run }) => run.workspace_id)),
      column(ends.map(({ status }) => status)),
      column(ends.map(({ output }) => json(output))),
      column(ends.map(({ warnings }) => json(warnings))),
      column(ends.map(({ error }) => json(error))),
      column(ended.map(({ entries, stored }) => json(entries.map((entry, at) => written(entry, stored + at + 1))))),
      clock.now().toISOString(),
      leases.owner,
      room(),
      intervals.leaseMs / 1_000,
    ];
    const workspaceIds = ended.map(({ run }) => run.workspace_id);
    const ours = (called: readonly Called[]) => {
      const held = new Set(called.map(({ run_id }) => run_id));
      return ended.filter(({ run }) => held.has(run.id)).map(({ run, end }) => endedRun(run, end));
    };
    const called = await endTogether<Called>(options, { statement: endRuns, values }, workspaceIds, ours);
    // What is not launched now is found when its lease has passed.
    await callNext(called).catch(() => {});
    const held = new Set(called.map(({ run_id }) => run_id));
    return ended.map(({ run }) => held.has(run.id));
  }, sharing);

  // Runs of several workspaces at once, too.
  const takeTogether = grouped(
    async (orphans: Orphan[]): Promise<(RunRow | undefined)[]> => {
      const values = [
        orphans.map(({ workspaceId }) => workspaceId),
        orphans.map(({ runId }) => runId),
        leases.owner,
        intervals.leaseMs / 1_000,
      ];
      const taken = await store.planned<RunRow & { place: number }>(takeRuns, values);
      const byPlace = new Map(taken.map(({ place, ...run }) => [place, run]));
      return orphans.map((_, at) => byPlace.get(at + 1));
    },
    { most: 50 },
  );

  return {
    take: async (orphan) => {
      const run = await takeTogether(orphan);
      return run === undefined || (await leases.goesOn(run)) ? undefined : run;
    },
    finish: (run, end, entries, stored) => finishTogether({ run, end, entries, stored }),
  };
};
