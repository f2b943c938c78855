import { type RawBuilder, sql } from 'kysely';
import type { Database } from './store.ts';
import type { Tables } from './tables.ts';

/**
 * Removes the rows of a table whose time is over, some at a time: after a long rest there may be very many, and no
 * statement may take long. `past` asks for `now()`, which an index can answer, unlike `clock_timestamp()`. False: there were
 * more than that many parts.
 */
export const removePast = async (
  db: Database,
  table: keyof Tables,
  past: RawBuilder<unknown>,
  { atOnce = 2_000, parts = Number.POSITIVE_INFINITY }: { atOnce?: number; parts?: number } = {},
): Promise<boolean> => {
  for (let part = 0; part < parts; part += 1) {
    // Held first: what is made good for longer at this moment is not past any more.
    const { rows } = await sql`delete from ${sql.table(table)} where ctid = any(array(
      select ctid from ${sql.table(table)} where ${past} limit ${atOnce} for update skip locked)) returning 1`.execute(
      db,
    );
    if (rows.length < atOnce) return true;
  }
  return false;
};
