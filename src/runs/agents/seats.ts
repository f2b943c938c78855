import { sql } from 'kysely';
import type { Intervals } from '#clock';
import type { Database, Store } from '#store';
import { type Leases, ms, type Orphan } from '../leases.ts';
import type { RunRow } from '../run-records.ts';
import type { Versions } from '../versions.ts';

/** How many runs of an agent are carried out at once, over all processes, where the agent says so. */
export type Seats = {
  /** `undefined`: the agent sets no bound. False: there is no free place, and the run is given back until there is. */
  take(run: RunRow): Promise<boolean | undefined>;
  /** Calls whoever has waited longest, once a run that had a place has ended or waits. */
  callNext(run: RunRow): Promise<void>;
};

// Whoever leaves calls the next; this is for when nobody could.
const patienceMs = 30_000;

const lock = (tx: Database, agentId: string | null) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${`seats ${agentId}`}, 0))`.execute(tx);

export const createSeats = (options: {
  store: Store;
  versions: Pick<Versions, 'agent'>;
  leases: Pick<Leases, 'owner'>;
  intervals: Pick<Intervals, 'leaseMs'>;
  handOver: (orphans: readonly Orphan[], tx?: Database) => Promise<void>;
}): Seats => {
  const { store, versions, leases, intervals, handOver } = options;

  const sit = ({ workspace_id: workspaceId, agent_id: agentId, id }: RunRow, most: number) =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        await lock(tx, agentId);
        const { rows } = await sql<{ taken: number }>`
          select count(*)::integer as taken from runs
          where workspace_id = ${workspaceId} and status = 'running' and agent_id = ${agentId} and seated
            and id <> ${id}`.execute(tx);
        const isFree = (rows[0]?.taken ?? 0) < most;
        const mine = sql`workspace_id = ${workspaceId} and id = ${id} and lease_owner = ${leases.owner}`;
        if (isFree) await sql`update runs set seated = true where ${mine}`.execute(tx);
        else {
          // As if it had never been taken.
          await sql`
            update runs set seated = false, waits_for = null, status = 'queued', attempts = attempts - 1, lease_owner = null,
              lease_until = clock_timestamp() + ${ms(patienceMs)}
            where ${mine}`.execute(tx);
        }
        return isFree;
      });

  return {
    take: async (run) => {
      const { workspace_id: workspaceId, agent_id: id, agent_version: version } = run;
      if (id === null || version === null) return undefined;
      const { concurrency } = await versions.agent({ workspaceId, id, version });
      return concurrency === undefined || concurrency === null ? undefined : sit(run, concurrency);
    },

    callNext: async ({ workspace_id: workspaceId, agent_id: agentId }) => {
      await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          // One that just found no place is seen here, or sees the place. Whoever had one waits for something else.
          await lock(tx, agentId);
          const { rows } = await sql<{ id: string }>`
            update runs set lease_until = clock_timestamp() + ${ms(3 * intervals.leaseMs)}
            where id = (
              select id from runs
              where workspace_id = ${workspaceId} and status = 'queued' and agent_id = ${agentId}
                and lease_owner is null and lease_until is not null and not seated
              order by id limit 1 for update skip locked
            )
            returning id`.execute(tx);
          const next = rows.map(({ id: runId }) => ({ workspaceId, runId }));
          if (next.length > 0) await handOver(next, tx);
        });
    },
  };
};
