import { sql } from 'kysely';
import type pg from 'pg';
import type { Log } from '#log';
import type { Store } from './store.ts';

/** Whether the database is still the one that was met before. */
export type Familiar = {
  /** From now on each connection is asked before it is used. Tells when the database was last brought back, if it was. */
  begin(): Promise<Date | undefined>;
  /** When this database was last brought back from a backup, or a copy took its place, as far as it can be seen. */
  restoredAt(): Date | undefined;
  /** Whether a new connection is known now; one to a replica may come to lead to the primary without a word. */
  meet(client: pg.PoolClient): Promise<boolean>;
};

// Another server, another time line of the same server, or another database on it: each means that a backup was brought
// back, or a copy promoted, and that what was written after it is missing. For minutes after a promotion only the end of
// its recovery tells the new time line.
const identity = `(
  select concat_ws(' ', s.system_identifier, greatest(c.timeline_id, r.min_recovery_end_timeline), d.oid)
  from pg_control_system() s, pg_control_checkpoint() c, pg_control_recovery() r, pg_database d
  where d.datname = current_database()
)`;

const ask = `select pg_is_in_recovery() as copy, ${identity} as identity`;

const note = `
  insert into house (identity) values (${identity})
  on conflict (id) do update set identity = excluded.identity, restored_at =
    case when house.identity = excluded.identity then house.restored_at else clock_timestamp() end
  returning identity, restored_at as "restoredAt"`;

type House = { identity: string; restoredAt: Date | null };

/** By a connection that sees one workspace, or none yet, and goes on as it was. */
const noteBy = async (client: pg.PoolClient): Promise<House> => {
  await client.query(`begin; select set_config('app.workspace', '*', true)`);
  const { rows } = await client.query<House>(note);
  await client.query('commit');
  return rows[0] as House;
};

/** Notes at every start, and at each change while we run, which database this is. */
export const createFamiliar = ({ house, log }: { house: () => Store['system']; log: Log }): Familiar => {
  let known: House | undefined;
  return {
    begin: async () => {
      known = (await sql.raw<House>(note).execute(house())).rows[0];
      return known?.restoredAt ?? undefined;
    },
    restoredAt: () => known?.restoredAt ?? undefined,
    meet: async (client) => {
      if (known === undefined) return false;
      const { rows } = await client.query<{ copy: boolean; identity: string }>(ask);
      const [met] = rows;
      if (met === undefined || met.copy) return false;
      if (met.identity === known.identity) return true;
      const now = await noteBy(client);
      if (now.identity !== known.identity)
        log.warn(
          { restoredAt: now.restoredAt },
          'the database is another one than before; older runs look at the services before they write',
        );
      known = now;
      return true;
    },
  };
};

/** Says so where it cannot be seen: the files of a stopped server were copied back. */
export const noteRestored = async (store: Store): Promise<void> => {
  await store.familiar.begin();
  await sql`update house set restored_at = clock_timestamp()`.execute(store.system);
};
