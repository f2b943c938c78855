import { sql } from 'kysely';
import { grouped, type Store } from '#store';

/** A steady rate with room for a burst. */
export type Rate = { perSecond: number; burst: number };

/** Rate budgets that all processes share. */
export type Budgets = {
  /** Takes one; answers 0, or how long to wait when there is none. */
  take(workspaceId: string, name: string, rate: Rate): Promise<number>;
  /** Forgets budgets that are full again: one that is not there is full, too. */
  sweep(): Promise<void>;
};

type Share = { left: number; until: number };

const chunk = 10;
const shareLifeMs = 5_000;
const atOnce = 5_000;

// In one order everywhere, so that two processes never wait for each other.
const drawAll = {
  name: 'draw_budgets',
  text: `with asked as materialized (
      select * from unnest($1::text[], $2::text[], $3::float8[], $4::float8[]) a (workspace, title, cost, room)
    )
    insert into budgets as b (workspace_id, name, full_at)
    select workspace, title, statement_timestamp() + make_interval(secs => cost) from asked order by 1, 2
    on conflict (workspace_id, name) do update
      set full_at = greatest(b.full_at, statement_timestamp()) + (excluded.full_at - statement_timestamp())
      where greatest(b.full_at, statement_timestamp()) + (excluded.full_at - statement_timestamp())
        <= statement_timestamp()
          + (select make_interval(secs => room) from asked where workspace = b.workspace_id and title = b.name)
    returning workspace_id, name`,
};

type Draw = { workspaceId: string; name: string; rate: Rate; count: number };

/**
 * GCRA: one moment per budget, the time at which it will be full again. By the database's time, so that skewed clocks
 * do not matter. A process takes several at once and spends them from memory, so most calls cost no query.
 */
export const createBudgets = (store: Store): Budgets => {
  const shares = new Map<string, Share>();
  const refills = new Map<string, Promise<number>>();

  const draw = grouped(async (draws: Draw[]) => {
    const rows = await store.planned<{ workspace_id: string; name: string }>(drawAll, [
      draws.map(({ workspaceId }) => workspaceId),
      draws.map(({ name }) => name),
      draws.map(({ rate, count }) => count / rate.perSecond),
      draws.map(({ rate }) => rate.burst / rate.perSecond),
    ]);
    const drawn = new Set(rows.map((row) => `${row.workspace_id} ${row.name}`));
    return draws.map(({ workspaceId, name }) => drawn.has(`${workspaceId} ${name}`));
  });

  const waitMs = async (workspaceId: string, name: string, rate: Rate): Promise<number> => {
    const { rows } = await sql<{ ms: number }>`
      select extract(epoch from full_at - clock_timestamp())::float8 * 1000 as ms
      from budgets where workspace_id = ${workspaceId} and name = ${name}`.execute(store.system);
    const over = (rows[0]?.ms ?? 0) - ((rate.burst - 1) / rate.perSecond) * 1000;
    return Math.max(1, Math.ceil(over));
  };

  const spend = (key: string): boolean => {
    const share = shares.get(key);
    if (share === undefined || share.left === 0 || share.until < performance.now()) return false;
    share.left -= 1;
    return true;
  };

  /** Draws for everyone who is asking now; answers how long to wait when there is nothing. */
  const refill = async (key: string, workspaceId: string, name: string, rate: Rate): Promise<number> => {
    // A small budget is not shared out in advance: what one process kept would be missing in another.
    const most = rate.burst >= 10 * chunk ? chunk : 1;
    for (const count of most === 1 ? [1] : [most, 1]) {
      if (!(await draw({ workspaceId, name, rate, count }))) continue;
      if (shares.size > 10_000) shares.clear();
      shares.set(key, { left: count, until: performance.now() + shareLifeMs });
      return 0;
    }
    return waitMs(workspaceId, name, rate);
  };

  return {
    take: async (workspaceId, name, rate) => {
      const key = `${workspaceId} ${name}`;
      while (!spend(key)) {
        const asked = refills.get(key) ?? refill(key, workspaceId, name, rate).finally(() => refills.delete(key));
        refills.set(key, asked);
        const wait = await asked;
        if (wait > 0) return wait;
      }
      return 0;
    },

    sweep: async () => {
      for (let removed = atOnce; removed === atOnce; ) {
        // Of all workspaces, hence the house's own view. One that is being drawn from is not full.
        const { rows } = await sql`
          delete from budgets where (workspace_id, name) in (
            select workspace_id, name from budgets where full_at < clock_timestamp()
            order by workspace_id, name limit ${atOnce} for update skip locked
          ) returning 1`.execute(store.system);
        removed = rows.length;
      }
    },
  };
};
