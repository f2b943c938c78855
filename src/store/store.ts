import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import type { Log } from '#log';
import { withDeadline } from './deadline.ts';
import { createPulse, type Pulse } from './pulse.ts';
import { createFamiliar, type Familiar } from './restoration.ts';
import { isFullDisk, isOnlyReading, isOutdatedPlan } from './storage-fault.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** The text of one name never changes. */
export type Statement = { name: string; text: string };

/** The database, seen through one workspace at a time. */
export type Store = {
  /** The house itself: sign-in, queues, sweeps. Sees every workspace, so each use states why it must. */
  system: Database;
  /** One workspace; row-level security hides all others. */
  of(workspaceId: string): Database;
  /** A statement that many calls share, in the house's own view; each connection parses and plans it once. */
  planned<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Tells what changed, here and elsewhere. */
  pulse: Pulse;
  /** Notices when another database has taken the place of this one. */
  familiar: Familiar;
  /** Fails while the database is away. `full`: lately a write found no room. `only reads`: it is a replica, and no use to us. */
  ping(): Promise<'ready' | 'full' | 'only reads'>;
  close(): Promise<void>;
};

const house = '*';
// Row-level security does not bind a superuser; switchboard_app is bound.
const stepDown = `select set_config('role', 'switchboard_app', false)
  from pg_roles where rolname = session_user and (rolsuper or rolbypassrls)`;

// One plan for all values, as good for one row as for many: rows are few beside all there are, and found by their keys.
// Left to itself the planner takes such a statement up anew each time, which costs more than what it does.
export const plannedOnce = `select set_config('plan_cache_mode', 'force_generic_plan', false),
  set_config('enable_seqscan', 'off', false), set_config('enable_hashjoin', 'off', false),
  set_config('enable_mergejoin', 'off', false), set_config('jit', 'off', false)`;

type ScopedClient = pg.PoolClient & { scope?: string; met?: boolean; since?: number; onlyReads?: boolean };

// While it only reads, connections are not made anew for each request.
const freshMs = 1_000;

/** A connection goes on reading only when the database writes again, or when its name has come to lead to another. */
const lend = async (pool: pg.Pool): Promise<ScopedClient> => {
  const client: ScopedClient = await pool.connect();
  if (!client.onlyReads || performance.now() - (client.since ?? 0) < freshMs) return client;
  client.release(true);
  return lend(pool);
};

/** A pool whose connections see one workspace. The setting is changed only when a connection comes from another one. */
const scopedPool = (pool: pg.Pool, scope: string, { meet }: Pick<Familiar, 'meet'>, settings?: string) => ({
  connect: async (): Promise<ScopedClient> => {
    const client = await lend(pool);
    if (client.scope === scope && client.met) return client;
    try {
      if (client.scope === undefined) {
        await client.query(stepDown);
        if (settings !== undefined) await client.query(settings);
      }
      client.met ||= await meet(client);
      if (client.scope === scope) return client;
      await client.query("select set_config('app.workspace', $1, false)", [scope]);
      client.scope = scope;
      return client;
    } catch (error) {
      client.release(true);
      throw error;
    }
  },
  end: async () => {},
});

const remembered = 5_000;
/** How long a write that found no room counts. */
const fullMs = 15_000;
/** Two for the house, two for what is planned once, one for a workspace. */
const fewestConnections = 5;
const defaultDeadlineMs = 10_000;

export const openStore = (options: {
  connectionString: string;
  /** The most connections that are open at once; five at least. */
  max: number;
  log: Log;
  /** What an operator sees among the connections, unless DATABASE_URL names it otherwise. */
  name?: string;
  /** How long one query may take. */
  deadlineMs?: number;
}): Store => {
  const { connectionString, max, log, name = 'switchboard', deadlineMs = defaultDeadlineMs } = options;
  // The house has connections of its own, so that those of workspaces seldom change their view.
  const newPool = (size: number) =>
    new pg.Pool({
      connectionString,
      max: size,
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 60_000,
      fallback_application_name: name,
    });
  const most = Math.max(fewestConnections, max);
  const share = Math.max(2, Math.floor(most / 4));
  const housePool = newPool(share);
  const plannedPool = newPool(share);
  const workspacePool = newPool(most - 2 * share);
  // Without listeners a restart of the database would end this process: the pool's hears idle connections, each
  // connection's own hears it while it is lent out and between two queries.
  let closing = false;
  let fullAt = Number.NEGATIVE_INFINITY;
  const lost = (error: Error): void => {
    if (!closing) log.warn({ reason: error.message }, 'a database connection was lost');
  };
  for (const pool of [housePool, plannedPool, workspacePool]) {
    pool.on('error', lost);
    pool.on('connect', (client: ScopedClient) => {
      client.since = performance.now();
      client.on('error', lost);
      withDeadline(client, deadlineMs, (error) => {
        if (isFullDisk(error)) fullAt = performance.now();
        if (isOnlyReading(error)) client.onlyReads = true;
      });
    });
  }

  const familiar = createFamiliar({ house: () => system, log });
  const scoped = (pool: pg.Pool, scope: string): Database =>
    new Kysely<Tables>({
      dialect: new PostgresDialect({ pool: scopedPool(pool, scope, familiar) as unknown as pg.Pool }),
    });
  const system = scoped(housePool, house);
  const pinged = scopedPool(housePool, house, familiar);
  const forHouse = scopedPool(plannedPool, house, familiar, plannedOnce);
  const views = new Map<string, Database>();
  const planned: Store['planned'] = async <Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> => {
    const client = await forHouse.connect();
    let isOutdated = false;
    try {
      const { rows } = await client.query({ ...statement, values: [...values] });
      return rows as Row[];
    } catch (error) {
      isOutdated = isOutdatedPlan(error);
      if (!isOutdated) throw error;
    } finally {
      client.release(isOutdated);
    }
    return planned(statement, values);
  };
  const pulse = createPulse({ query: planned, log });

  return {
    system,
    of: (workspaceId) => {
      const known = views.get(workspaceId);
      if (known !== undefined) return known;
      if (workspaceId === house) throw new Error('A workspace id cannot be the whole house.');
      if (views.size >= remembered) views.clear();
      const view = scoped(workspacePool, workspaceId);
      views.set(workspaceId, view);
      return view;
    },
    planned,
    pulse,
    familiar,
    ping: async () => {
      const client = await pinged.connect();
      try {
        const { rows } = await client.query("select current_setting('transaction_read_only')::boolean as reads");
        client.onlyReads = rows[0]?.reads;
      } finally {
        client.release();
      }
      if (client.onlyReads) return 'only reads';
      // No look tells it: what needs no more room is still written.
      return performance.now() - fullAt < fullMs ? 'full' : 'ready';
    },
    close: async () => {
      closing = true;
      pulse.close();
      await Promise.all([housePool.end(), plannedPool.end(), workspacePool.end()]);
    },
  };
};
