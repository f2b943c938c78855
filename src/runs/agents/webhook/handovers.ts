import { sql } from 'kysely';
import type { Clock } from '#clock';
import { RunCancelled } from '#effects';
import type { Database, Store, StoredEnding } from '#store';
import { hashToken } from '#workspaces';
import { appendJournal, type NewEntry } from '../../journal.ts';
import type { RunRow } from '../../run-records.ts';

/** How a run stands that another platform's agent carries out. All times are the database's. */
export type Handover = {
  tries: number;
  delivered: boolean;
  deadline: Date;
  late: boolean;
  ending: StoredEnding | null;
};

/** What became of one try to reach the platform. */
export type Attempt = { try: number; ms: number } & ({ status: number } | { error: string });

export type Handovers = {
  /** Stored when the run first comes here; its deadline counts from then. */
  open(run: RunRow, deadlineSeconds: number): Promise<Handover>;
  /** Waiting for a person does not count: the time begins anew. */
  extend(run: RunRow, deadlineSeconds: number): Promise<void>;
  /** Gives the run up until its time, or until somebody calls back. `key`: a try begins, and this one calls back. */
  rest(
    run: RunRow,
    owner: string,
    entries: readonly NewEntry[],
    key?: { token: string; withinMs: number },
  ): Promise<boolean>;
  /** Notes what a try came to. `waitMs`: when to try again; `ending`: it is over. */
  settle(run: RunRow, next: { waitMs: number } | { ending: StoredEnding } | undefined): Promise<void>;
  /** Writes a try down, once nobody is at work on the run; of one that has ended nothing more is told. */
  journal(run: RunRow, kind: 'delivered' | 'not_delivered', attempt: Attempt): Promise<void>;
  /** Who calls back was reached. */
  reached(run: Named): Promise<void>;
  /** How the agent says that it ended; false when it said so before. The run ends with its next execution. */
  end(run: Named, ending: StoredEnding): Promise<boolean>;
};

type Named = { workspaceId: string; runId: string };

/** A hundred a tenth of a second apart: a call that takes longer leaves the try untold. */
const mostLooks = 100;

const seconds = (n: number) => sql`make_interval(secs => ${n})`;

const nameOf = ({ workspace_id: workspaceId, id: runId }: RunRow): Named => ({ workspaceId, runId });

export const createHandovers = ({ store, clock }: { store: Store; clock: Clock }): Handovers => {
  /** The run's row is held until the transaction ends, so that nobody takes or ends it meanwhile. */
  const holding = <T>(
    { workspaceId, runId }: Named,
    work: (tx: Database, run: Pick<RunRow, 'status' | 'lease_owner' | 'cancel_asked'>) => Promise<T>,
  ): Promise<T> =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        const run = await tx
          .selectFrom('runs')
          .select(['status', 'lease_owner', 'cancel_asked'])
          .where('workspace_id', '=', workspaceId)
          .where('id', '=', runId)
          .forUpdate()
          .executeTakeFirstOrThrow();
        return work(tx, run);
      });

  /** A run that nobody holds is looked at when its handover says so. */
  const wakeAtNext = async (tx: Database, { workspaceId, runId }: Named): Promise<void> => {
    await sql`update runs r set lease_until = h.next_at from handovers h
      where r.workspace_id = ${workspaceId} and r.id = ${runId} and r.status in ('queued', 'running')
        and r.lease_owner is null and h.workspace_id = r.workspace_id and h.run_id = r.id`.execute(tx);
  };

  return {
    open: async (run, deadlineSeconds) => {
      const { workspaceId, runId } = nameOf(run);
      const { rows } = await sql<Handover>`
        insert into handovers as h (workspace_id, run_id, next_at, deadline)
        values (${workspaceId}, ${runId}, clock_timestamp(), clock_timestamp() + ${seconds(deadlineSeconds)})
        on conflict (workspace_id, run_id) do update set tries = h.tries
        returning tries, delivered_at is not null as delivered, deadline, deadline <= clock_timestamp() as late, ending
      `.execute(store.of(workspaceId));
      return rows[0] as Handover;
    },

    extend: async (run, deadlineSeconds) => {
      const { workspaceId, runId } = nameOf(run);
      await sql`update handovers set deadline = clock_timestamp() + ${seconds(deadlineSeconds)},
          next_at = case when delivered_at is null then next_at else clock_timestamp() + ${seconds(deadlineSeconds)} end
        where workspace_id = ${workspaceId} and run_id = ${runId}`.execute(store.of(workspaceId));
    },

    rest: (run, owner, entries, key) =>
      holding(nameOf(run), async (tx, { status, lease_owner: held, cancel_asked: cancelled }) => {
        const { workspaceId, runId } = nameOf(run);
        if (held !== owner || status !== 'running') return false;
        if (cancelled !== null) throw new RunCancelled();
        if (key !== undefined) {
          await tx
            .insertInto('run_keys')
            .values({ hash: hashToken(key.token), workspace_id: workspaceId, run_id: runId, created_at: clock.now() })
            .execute();
          await sql`update handovers set tries = tries + 1, next_at = clock_timestamp() + ${seconds(key.withinMs / 1_000)}
            where workspace_id = ${workspaceId} and run_id = ${runId}`.execute(tx);
        }
        // Counted anew: waiting for the platform is no failed attempt, and what comes next is a resumption.
        await sql`update runs set lease_owner = null, attempts = 1, lapses = 0, tries = 0, waited_ms = 0
          where workspace_id = ${workspaceId} and id = ${runId}`.execute(tx);
        await wakeAtNext(tx, { workspaceId, runId });
        await appendJournal(tx, { workspaceId, runId }, entries);
        return true;
      }),

    settle: (run, next) =>
      holding(nameOf(run), async (tx, { status }) => {
        const { workspaceId, runId } = nameOf(run);
        if (status !== 'queued' && status !== 'running' && status !== 'waiting_approval') return;
        const ended = next !== undefined && 'ending' in next ? JSON.stringify(next.ending) : null;
        const wait = next !== undefined && 'waitMs' in next ? next.waitMs / 1_000 : undefined;
        await sql`update handovers set
            delivered_at = ${next === undefined ? sql`clock_timestamp()` : sql`delivered_at`},
            ending = coalesce(ending, ${ended}::json),
            next_at = case
              when ending is not null or ${ended !== null} then clock_timestamp()
              when ${wait === undefined} then deadline
              else least(deadline, clock_timestamp() + ${seconds(wait ?? 0)}) end
          where workspace_id = ${workspaceId} and run_id = ${runId} and delivered_at is null`.execute(tx);
        await wakeAtNext(tx, { workspaceId, runId });
      }),

    journal: async (run, kind, attempt) => {
      const entry = { at: clock.now(), kind, data: attempt };
      for (let n = 0; n < mostLooks; n++) {
        const isDone = await holding(nameOf(run), async (tx, { status, lease_owner: held }) => {
          if (held !== null) return false;
          if (status === 'running' || status === 'waiting_approval') await appendJournal(tx, nameOf(run), [entry]);
          return true;
        });
        if (isDone) return;
        await clock.sleep(100);
      }
    },

    reached: async ({ workspaceId, runId }) => {
      await sql`update handovers set delivered_at = clock_timestamp(), next_at = deadline
        where workspace_id = ${workspaceId} and run_id = ${runId} and delivered_at is null`.execute(
        store.of(workspaceId),
      );
    },

    end: (run, ending) =>
      holding(run, async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('handovers')
          .set({ ending: JSON.stringify(ending), next_at: sql<Date>`clock_timestamp()` })
          .where('workspace_id', '=', run.workspaceId)
          .where('run_id', '=', run.runId)
          .where('ending', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await wakeAtNext(tx, run);
        return true;
      }),
  };
};
