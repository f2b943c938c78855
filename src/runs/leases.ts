import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { Intervals } from '#clock';
import { RunCancelled } from '#effects';
import type { Log } from '#log';
import type { Database, Store, WaitsFor } from '#store';
import { lapsesApart, mostLapses } from './lapses.ts';
import type { Waited } from './patience.ts';

/** A run that is nobody's: its process died, or it waits for one. */
export type Orphan = { runId: string; workspaceId: string };

/** Most runs never ask for it. */
export type Cancelled = Pick<AbortController, 'signal'>;

/** A run and the how-manyth execution of it. */
type Held = { id: string; attempts: number };

/** Who works on which run. All times are the database's, so that skewed clocks do not matter. */
export type Leases = {
  /** This process's name. A run is inserted with it, so that it is leased from its first moment. */
  owner: string;
  /** Keeps the lease alive while `work` runs. The signal, made when it is asked for, is raised when the run is to be cancelled. */
  holding<T>(run: Held, work: (cancelling: Cancelled) => Promise<T>): Promise<T>;
  /**
   * Of a run just taken: whether it is under way here already, because its lease ran out while this process was busy. Then it
   * goes on, unless somebody else had it in between.
   */
  goesOn(run: Held & { workspace_id: string }): Promise<boolean>;
  /** What is under way here is about to give the run up: from then on it may be taken again, here too. */
  letsGo(runId: string): void;
  /** Raises it at once, if the run is under way here; otherwise whoever holds it learns it by the next sign of life. */
  cancel(runId: string): void;
  /**
   * Gives a run back, to be taken again after `delayMs`, or at once when it was asked to stop meanwhile. `waited`: what it has
   * waited for a service by then, and `waitsFor` which. `onlyLooks`: it was asked to stop before, and only what it wrote is still looked for.
   */
  giveBack(
    orphan: Orphan,
    delayMs: number,
    how?: { waited: Waited; waitsFor: WaitsFor | null; onlyLooks: boolean },
  ): Promise<void>;
  /** Hands over the runs whose lease has passed, each to one caller only. */
  collectOrphans(handOver: (tx: Database, orphans: Orphan[]) => Promise<void>): Promise<void>;
  held(): number;
  /** What is under way here has gone on: that processes died before is over. */
  forgive(runIds?: readonly string[]): Promise<void>;
  close(): void;
};

export const ms = (n: number) => sql`make_interval(secs => ${n / 1000})`;

// Of the time at which the statement began an index can be asked, unlike of clock_timestamp(), which may change from row to
// row: all runs that wait would be gone through.
export const orphaned = sql`select r.id from runs r join workspaces w using (workspace_id)
  where r.status in ('queued', 'running') and r.lease_until < statement_timestamp() and w.stopped_at is null
  order by r.lease_until`;

export const createLeases = (options: { store: Store; log: Log; intervals: Intervals }): Leases => {
  const { store, log, intervals } = options;
  const owner = `${hostname()}:${process.pid}:${randomBytes(4).toString('hex')}`;
  const active = new Map<string, { stop: AbortController; attempts: number; leaves: boolean }>();
  const cancel = (runId: string) => active.get(runId)?.stop.abort(new RunCancelled());

  const renew = async (): Promise<void> => {
    if (active.size === 0) return;
    // Runs of all workspaces that this process holds.
    // In one order everywhere, so that it never waits for those who end runs and they for it.
    const { rows } = await sql<{ id: string; cancelled: boolean }>`
      update runs set lease_until = clock_timestamp() + ${ms(intervals.leaseMs)}
      where id in (
        select id from runs where id = any(${[...active.keys()]}) and lease_owner = ${owner} order by id for update
      )
      returning id, cancel_asked is not null as cancelled`.execute(store.system);
    for (const { id, cancelled } of rows) if (cancelled) cancel(id);
  };
  const giveBack: Leases['giveBack'] = async ({ runId, workspaceId }, delayMs, how) => {
    const { waited, waitsFor = null, onlyLooks = false } = how ?? {};
    await sql`
      update runs set lease_owner = null, status = 'queued', lease_until = clock_timestamp()
        + case when cancel_asked is null or ${onlyLooks}::boolean then ${ms(delayMs)} else interval '0' end,
        lapses = case when ${waited !== undefined} and lapses < ${mostLapses}::integer then 0 else lapses end,
        tries = coalesce(${waited?.tries ?? null}::integer, tries),
        waited_ms = coalesce(${waited?.waited_ms ?? null}::integer, waited_ms),
        waits_for = ${waitsFor === null ? null : JSON.stringify(waitsFor)}::json
      where workspace_id = ${workspaceId} and id = ${runId} and lease_owner = ${owner}
        and status in ('queued', 'running')`.execute(store.of(workspaceId));
  };
  const timer = setInterval(() => {
    renew().catch((error: unknown) => log.warn({ err: error }, 'leases could not be renewed'));
  }, intervals.leaseRenewMs);
  timer.unref();

  return {
    owner,
    held: () => active.size,
    forgive: async (runIds = [...active.keys()]) => {
      if (runIds.length === 0) return;
      await sql`update runs set lapses = 0 where id in (
        select id from runs where id = any(${[...runIds]}) and lease_owner = ${owner} and lapses between 1 and ${mostLapses - 1}
        order by id for update)`.execute(store.system);
    },
    close: () => clearInterval(timer),

    cancel,

    holding: async ({ id, attempts }, work) => {
      const held = { stop: new AbortController(), attempts, leaves: false };
      active.set(id, held);
      try {
        return await work(held.stop);
      } finally {
        if (active.get(id) === held) active.delete(id);
      }
    },

    goesOn: async ({ id: runId, workspace_id: workspaceId, attempts }) => {
      const held = active.get(runId);
      if (held === undefined || held.leaves) return false;
      // What somebody else did meanwhile is not known to the execution under way: it is left to end first.
      if (attempts !== held.attempts + 1) await giveBack({ runId, workspaceId }, intervals.leaseMs);
      else {
        held.attempts = attempts;
        // Nobody died.
        await sql`update runs set lapses = greatest(lapses - 1, 0)
          where workspace_id = ${workspaceId} and id = ${runId} and lease_owner = ${owner}`.execute(
          store.of(workspaceId),
        );
      }
      return true;
    },

    letsGo: (runId) => {
      const held = active.get(runId);
      if (held !== undefined) held.leaves = true;
    },

    giveBack,

    collectOrphans: (handOver) =>
      // Across workspaces by nature: whoever's process died.
      store.system.transaction().execute(async (tx) => {
        const { rows } = await sql<{ id: string; workspace_id: string; waits: boolean }>`
          with due as (
            select id, lease_owner is not null as lapsed, lease_owner is not null and lapses >= ${lapsesApart} as waits
            from runs where id in (${orphaned} limit 200 for update of r skip locked)
          )
          update runs r set lapses = r.lapses + lapsed::integer, lease_owner = null, lease_until = clock_timestamp()
            + case when waits then random() * ${ms(intervals.leaseMs * 2)} else ${ms(intervals.leaseMs * 3)} end
          from due where r.id = due.id
          returning r.id, r.workspace_id, waits`.execute(tx);
        const found = rows.filter(({ waits }) => !waits);
        const orphans = found.map((row) => ({ runId: row.id, workspaceId: row.workspace_id }));
        if (orphans.length > 0) await handOver(tx, orphans);
      }),
  };
};
