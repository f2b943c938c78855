import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import pg from 'pg';
import { mayNotBind, openToBoundRole } from './bound-role.ts';
import { keepsConnections, pooledTooFar } from './pooler.ts';
import { lackingRights } from './rights.ts';
import { aboutServer } from './server.ts';
import { isAway, isPlain, isUntrusted, saidBy } from './storage-fault.ts';

// Seen from here as from dist/server, where the bundled program stands.
const folder = new URL('../../src/store/migrations/', import.meta.url);

const migrationNames = async (): Promise<string[]> =>
  (await readdir(folder))
    .filter((name) => name.endsWith('.sql'))
    .map((name) => name.replace('.sql', ''))
    .sort();

// Who waits for a table makes everybody wait who comes after: so it is not waited for longer than notifications may. It is
// longer than the second after which the server takes a table from its own vacuum.
const waitMs = 1_500;
const pauseMs = 3_000;
// A firewall that swallows what is sent, or a server that hangs, would otherwise hold the start for ever, in silence.
const letInMs = 10_000;

const readMigrations = async (lockMs: number): Promise<Record<string, Migration>> => {
  const entries = (await migrationNames()).map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(new URL(`${name}.sql`, folder), 'utf8');
    return [
      name,
      {
        up: (db) =>
          sql
            .raw(`set local lock_timeout = ${lockMs};\n${text}`)
            .execute(db)
            .then(() => undefined),
      },
    ];
  });
  return Object.fromEntries(await Promise.all(entries));
};

const migrationsDone = async (db: Kysely<unknown>): Promise<string[]> => {
  const { rows: there } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db);
  if (there.length === 0) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return rows.map(({ name }) => name);
};

const hasCode = (error: unknown, codes: RegExp): error is pg.DatabaseError =>
  error instanceof pg.DatabaseError && codes.test(error.code ?? '');

// Wrong user or password; no such database.
const isRefusal = (error: unknown): boolean =>
  hasCode(error, /^(?:28...|3D000)$/) || (error instanceof Error && isPlain(error));

/** Why a database does not let us in, and what to look at; undefined where it does. */
export const whyNotLetIn = (error: unknown): string | undefined => {
  if (hasCode(error, /^53100$/)) return `its disk is full (${error.message}). Make room there, then start again.`;
  if (hasCode(error, /^53300$/)) return `${error.message}. Raise its max_connections, or lower DATABASE_POOL.`;
  if (!isAway(error) && !isRefusal(error) && !isUntrusted(error)) return undefined;
  return `${saidBy(error)}. Is it running, and is DATABASE_URL right?`;
};

const unusable = (why: string, cause?: unknown): Error => new Error(`the database cannot be used: ${why}`, { cause });

const notAllowed = /^42501$/;
// A schema, a table, an index, a function of that name.
const alreadyThere = /^(?:42P06|42P07|42710|42723)$/;

/** `done`: what this process did. `newer`: what a newer version has done, which holds for the version before it, too. */
export type Migrated = { done: string[]; newer: string[] };

// 55P03: somebody kept a table for longer than it is waited for. 40P01: two waited for each other.
const taken = /^(?:55P03|40P01)$/;

type Waiting = {
  /** Hears of each time that somebody else held a table; all is undone then, and tried again. */
  told?: (reason: string) => void;
  lockMs?: number;
  againMs?: number;
  connectMs?: number;
};

const toNewest = async (
  db: Kysely<unknown>,
  waiting: Waiting,
  newerNow: () => Promise<string[] | undefined>,
): Promise<Migrated> => {
  const { told, lockMs = waitMs, againMs = pauseMs } = waiting;
  const provider = { getMigrations: () => readMigrations(lockMs) };
  // What was made side by side comes together in another order than its numbers have; the later number may have been run.
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
  for (;;) {
    const { error, results = [] } = await migrator.migrateToLatest();
    if (error === undefined) return { done: results.map(({ migrationName }) => migrationName), newer: [] };
    if (hasCode(error, taken)) {
      told?.(error.message);
      await sleep(againMs);
      continue;
    }
    // While this one waited for its turn, a newer version may have done all of it and more.
    const newer = await newerNow();
    if (newer === undefined) throw error;
    return { done: [], newer };
  }
};

/** Brings the database to the newest version, unless nobody may work with it. Forward only; several processes may call it at once. */
export const migrate = async (connectionString: string, waiting: Waiting = {}): Promise<Migrated> => {
  const pool = new pg.Pool({ connectionString, max: 2, connectionTimeoutMillis: waiting.connectMs ?? letInMs });
  pool.on('error', () => {});
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
  try {
    if (!(await keepsConnections(pool))) throw new Error(pooledTooFar);
    const { unfit } = await aboutServer(pool);
    if (unfit !== undefined) throw unusable(unfit);
    const ours = await migrationNames();
    const newerNow = async (): Promise<string[] | undefined> => {
      const there = await migrationsDone(db);
      return ours.every((name) => there.includes(name)) ? there.filter((name) => !ours.includes(name)) : undefined;
    };
    const byNow = await newerNow();
    // Then nothing is locked, and the tables are not searched through.
    const migrated = byNow === undefined ? await toNewest(db, waiting, newerNow) : { done: [], newer: byNow };
    await openToBoundRole(db);
    return migrated;
  } catch (error) {
    const why = whyNotLetIn(error);
    if (why !== undefined) throw unusable(why, error);
    const unbound = await mayNotBind(db, error);
    if (unbound !== undefined) throw unbound;
    const lacking = hasCode(error, notAllowed) ? await lackingRights(pool) : undefined;
    if (lacking !== undefined) throw unusable(lacking, error);
    // All is made at once: where something of ours is in the way of the first, another put it there.
    if (hasCode(error, alreadyThere) && (await migrationsDone(db)).length === 0)
      throw unusable(`${error.message}, made by another program. Name an empty one in DATABASE_URL.`, error);
    throw error;
  } finally {
    await db.destroy();
  }
};
