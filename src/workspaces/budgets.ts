import { sql } from 'kysely';
import { grouped, removePast, type Store } from '#store';

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

const shareLifeMs = 5_000;
// A small budget is not shared out in advance: what one process kept would be missing in another.
const smallestShared = 100;
const shareOf = ({ burst }: Rate): number => (burst >= smallestShared ? Math.floor(burst / 10) : 1);
/** With this part of its share left, a process draws the next one before anybody must wait for it. */
const low = 1 / 4;
const taken = Promise.resolve(0);

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

// Nobody waits for what is drawn ahead, so many go together.
const ahead = { apartMs: 25 };

type Draw = { workspaceId: string; name: string; rate: Rate; count: number };

/**
 * GCRA: one moment per budget, the time at which it will be full again. By the database's time, so that skewed clocks
 * do not matter. A process takes several at once and spends them from memory, so most calls cost no query.
 */
export const createBudgets = (store: Store): Budgets => {
  const shares = new Map<string, Share>();
  const refills = new Map<string, Promise<number>>();

  const drawTogether = async (draws: Draw[]): Promise<boolean[]> => {
    const rows = await store.planned<{ workspace_id: string; name: string }>(drawAll, [
      draws.map(({ workspaceId }) => workspaceId),
      draws.map(({ name }) => name),
      draws.map(({ rate, count }) => count / rate.perSecond),
      draws.map(({ rate }) => rate.burst / rate.perSecond),
    ]);
    const drawn = new Set(rows.map((row) => `${row.workspace_id} ${row.name}`));
    return draws.map(({ workspaceId, name }) => drawn.has(`${workspaceId} ${name}`));
  };
  const draw = grouped(drawTogether);
  const drawAhead = grouped(drawTogether, ahead);

  const waitMs = async (workspaceId: string, name: string, rate: Rate): Promise<number> => {
    const { rows } = await sql<{ ms: number }>`
      select extract(epoch from full_at - clock_timestamp())::float8 * 1000 as ms
      from budgets where workspace_id = ${workspaceId} and name = ${name}`.execute(store.system);
    const over = (rows[0]?.ms ?? 0) - ((rate.burst - 1) / rate.perSecond) * 1000;
    return Math.max(1, Math.ceil(over));
  };

  /** Answers how much is left then. */
  const spend = (key: string): number | undefined => {
    const share = shares.get(key);
    if (share === undefined || share.left === 0 || share.until < performance.now()) return undefined;
    share.left -= 1;
    return share.left;
  };

  const add = (key: string, count: number): void => {
    if (shares.size > 10_000) shares.clear();
    const until = performance.now() + shareLifeMs;
    const share = shares.get(key);
    if (share === undefined || share.until < performance.now()) shares.set(key, { left: count, until });
    else Object.assign(share, { left: share.left + count, until });
  };

  /** Draws for everyone who is asking now; answers how long to wait when there is nothing. */
  const refill = async (key: string, workspaceId: string, name: string, rate: Rate): Promise<number> => {
    for (const count of new Set([shareOf(rate), 1])) {
      if (!(await draw({ workspaceId, name, rate, count }))) continue;
      add(key, count);
      return 0;
    }
    return waitMs(workspaceId, name, rate);
  };

  /** Before what is held is spent; where the budget cannot give a whole share, whoever comes then asks for less. */
  const refillAhead = async (key: string, workspaceId: string, name: string, rate: Rate): Promise<number> => {
    const count = shareOf(rate);
    if (await drawAhead({ workspaceId, name, rate, count })) add(key, count);
    return 0;
  };

  const once = (key: string, work: () => Promise<number>): Promise<number> => {
    const asked = refills.get(key) ?? work().finally(() => refills.delete(key));
    refills.set(key, asked);
    return asked;
  };

  const drawAndSpend = async (key: string, workspaceId: string, name: string, rate: Rate): Promise<number> => {
    do {
      const wait = await once(key, () => refill(key, workspaceId, name, rate));
      if (wait > 0) return wait;
    } while (spend(key) === undefined);
    return 0;
  };

  return {
    take: (workspaceId, name, rate) => {
      const key = `${workspaceId} ${name}`;
      const left = spend(key);
      if (left === undefined) return drawAndSpend(key, workspaceId, name, rate);
      // Whoever comes when nothing is left hears why it fails.
      if (left > 0 && left === Math.floor(shareOf(rate) * low))
        once(key, () => refillAhead(key, workspaceId, name, rate)).catch(() => {});
      return taken;
    },

    sweep: async () => {
      // Of all workspaces, hence the house's own view. One that is being drawn from is not full.
      await removePast(store.system, 'budgets', sql`full_at < now()`);
    },
  };
};
