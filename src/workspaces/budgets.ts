import { type RawBuilder, sql } from 'kysely';
import type { Store } from '#store';

/** A steady rate with room for a burst. */
export type Rate = { perSecond: number; burst: number };

/** Rate budgets that all processes share. */
export type Budgets = {
  /** Takes one; answers 0, or how long to wait when there is none. */
  take(workspaceId: string, name: string, rate: Rate): Promise<number>;
};

type Share = { left: number; until: number };

const chunk = 10;
const shareLifeMs = 500;

const seconds = (n: number): RawBuilder<unknown> => sql`make_interval(secs => ${n})`;

/**
 * GCRA: one moment per budget, the time at which it will be full again. By the database's time, so that skewed clocks
 * do not matter. A process takes several at once and spends them from memory, so most calls cost no query.
 */
export const createBudgets = (store: Store): Budgets => {
  const shares = new Map<string, Share>();
  const refills = new Map<string, Promise<number>>();

  const draw = async (workspaceId: string, name: string, rate: Rate, count: number): Promise<boolean> => {
    const cost = seconds(count / rate.perSecond);
    const room = seconds(rate.burst / rate.perSecond);
    const { rows } = await sql`
      insert into budgets as b (workspace_id, name, full_at) values (${workspaceId}, ${name}, clock_timestamp() + ${cost})
      on conflict (workspace_id, name) do update
        set full_at = greatest(b.full_at, clock_timestamp()) + ${cost}
        where greatest(b.full_at, clock_timestamp()) + ${cost} <= clock_timestamp() + ${room}
      returning 1`.execute(store.system);
    return rows.length > 0;
  };

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
      if (!(await draw(workspaceId, name, rate, count))) continue;
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
  };
};
