import { sql } from 'kysely';
import { type Place, type Sealer, Unreadable } from './sealing.ts';
import type { Store } from './store.ts';
import { leaveSign } from './try-keys.ts';

/** Every column that holds sealed values, and how the row of one is named. */
const sealedColumns = [
  { table: 'accounts', column: 'credential', row: sql<string>`id` },
  { table: 'revocations', column: 'credential', row: sql<string>`account_id` },
  { table: 'connects', column: 'verifier', row: sql<string>`id` },
  { table: 'webhooks', column: 'secret', row: sql<string>`id` },
  { table: 'webhooks', column: 'previous_secret', row: sql<string>`id` },
  { table: 'webhooks', column: 'earlier_secrets', row: sql<string>`id` },
  { table: 'agents', column: 'hook_secret', row: sql<string>`id` },
  { table: 'agents', column: 'hook_previous_secret', row: sql<string>`id` },
  { table: 'agents', column: 'hook_earlier_secrets', row: sql<string>`id` },
  { table: 'workspaces', column: 'model_key', row: sql<string>`workspace_id` },
  { table: 'idempotency', column: 'answer', row: sql<string>`caller || ' ' || key` },
] as const;

const batch = 200;

/** How many values a rotation changed, and where those lie that nothing opens any more. */
export type Rewrapped = { changed: number; unreadable: string[] };

/** Brings every sealed value under the newest key, a few at a time, while everything runs. */
export const rewrapAll = async (store: Store, sealer: Sealer): Promise<Rewrapped> => {
  let changed = 0;
  const unreadable: string[] = [];
  // One damaged value must not keep all others under an old key.
  const rewrap = (sealed: Buffer, place: Place): Buffer | undefined => {
    try {
      return sealer.rewrap(sealed, place);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      unreadable.push(`${place.table}.${place.column} of ${place.row}`);
      return undefined;
    }
  };
  for (const { table, column, row } of sealedColumns) {
    const name = sql.ref(column);
    let after = '';
    for (;;) {
      // Across workspaces by nature; values stay sealed, only their wrapping changes.
      const { rows } = await sql<{ row: string; workspace: string; sealed: Buffer; place: string }>`
        select ${row} as row, workspace_id as workspace, ${name} as sealed, workspace_id || ' ' || ${row} as place
        from ${sql.table(table)} where ${name} is not null and workspace_id || ' ' || ${row} > ${after}
        order by 4 limit ${batch}`.execute(store.system);
      for (const each of rows) {
        const place: Place = { workspace: each.workspace, table, row: each.row, column };
        const fresh = rewrap(each.sealed, place);
        if (fresh === undefined) continue;
        // Only if nobody changed it meanwhile; then it is under the newest key already.
        await sql`update ${sql.table(table)} set ${name} = ${fresh}
          where workspace_id = ${each.workspace} and ${row} = ${each.row} and ${name} = ${each.sealed}`.execute(
          store.system,
        );
        changed += 1;
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < batch) break;
      after = last.place;
    }
  }
  await leaveSign(store, sealer, 'any');
  return { changed, unreadable };
};
