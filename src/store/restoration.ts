import { sql } from 'kysely';
import type { Store } from './store.ts';

type House = { restored_at: Date | null };

// Another server, another time line of the same server, or another database on it: each means that a backup was brought
// back, or a copy promoted, and that what was written after it is missing.
const identity = sql<string>`(
  select concat_ws(' ', s.system_identifier, c.timeline_id, d.oid)
  from pg_control_system() s, pg_control_checkpoint() c, pg_database d where d.datname = current_database()
)`;

/** When this database was last brought back from a backup, as far as it can be seen; noted at every start. */
export const noteIdentity = async ({ system }: Store): Promise<Date | undefined> => {
  const { rows } = await sql<House>`
    insert into house (identity) values (${identity})
    on conflict (id) do update set identity = excluded.identity, restored_at =
      case when house.identity = excluded.identity then house.restored_at else clock_timestamp() end
    returning restored_at`.execute(system);
  return rows[0]?.restored_at ?? undefined;
};

/** Says so where it cannot be seen: the files of a stopped server were copied back. */
export const noteRestored = async (store: Store): Promise<void> => {
  await noteIdentity(store);
  await sql`update house set restored_at = clock_timestamp()`.execute(store.system);
};
