import { sql } from 'kysely';
import { type Database, removePast, type Tables } from '#store';

/** What there may be very much of, and what goes with no other, in an order in which nothing refers to what is gone. */
const piecemeal: readonly (keyof Tables)[] = ['events', 'runs', 'notices', 'files', 'idempotency', 'audit', 'budgets'];

/** No sweep takes long: other sweeps wait for it. */
const partsAtOnce = 50;

/** Removes all that is kept of a workspace, and itself. False: there was too much for one time. */
export const removeAll = async (db: Database, workspaceId: string): Promise<boolean> => {
  const ofIt = sql`workspace_id = ${workspaceId}`;
  for (const table of piecemeal) if (!(await removePast(db, table, ofIt, { parts: partsAtOnce }))) return false;
  await sql`delete from workspaces where ${ofIt} and deleted_at is not null`.execute(db);
  return true;
};
