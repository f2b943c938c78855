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

  return {
    take: async (workspaceId, name, rate) => {
      const key = `${workspaceId} ${name}`;
      const share = shares.get(key);
      if (share !== undefined && share.left > 0 && share.until > performance.now()) {
        share.left -= 1;
        return 0;
      }
      // A small budget is not shared out in advance: what one process kept would be missing in another.
      const count = rate.burst >= 10 * chunk ? chunk : 1;
      if (await draw(workspaceId, name, rate, count)) {
        if (shares.size > 10_000) shares.clear();
        shares.set(key, { left: count - 1, until: performance.now() + shareLifeMs });
        return 0;
      }
      if (count > 1 && (await draw(workspaceId, name, rate, 1))) return 0;
      return waitMs(workspaceId, name, rate);
    },
  };
};
