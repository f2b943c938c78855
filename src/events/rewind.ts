import { isDeepStrictEqual } from 'node:util';
import { type Kysely, sql } from 'kysely';
import type { CatalogueTrigger, Watching } from '#kit';
import type { Tables } from '#store';

type Joined = { workspaceId: string; definition: CatalogueTrigger };
/** Who waits for what a watch sees, as whoever looks knows it: by the number of its roster. */
export type Present = { roster: number; ids: ReadonlySet<string> };
type Row = { id: string; resource: string; remembered: unknown; cursor: unknown };

/**
 * What was told before a trigger came to its watches was told to others alone. From its beginning on it is told once more, to
 * whom it is new; whoever looks just now is stopped.
 */
export const rewind = async (
  tx: Kysely<Tables>,
  { workspaceId, definition }: Joined,
  watchIds: readonly string[],
  since: Date,
): Promise<void> => {
  const { again, state } = definition.integration.watching ?? {};
  const { rows } = await sql<{ id: string; resource: string }>`
    select id, resource from watches where workspace_id = ${workspaceId} and id = any(${watchIds}::text[])
      and (cursor is not null or remembered is not null) order by id`.execute(tx);
  for (const { id, resource } of rows) {
    const isTold = state?.earlier?.isTold(resource) === true;
    if (!isTold && again === undefined) continue;
    const { rows: found } = await sql<Row>`select cursor, ${isTold ? sql`remembered` : sql`null`} as remembered
      from watches where workspace_id = ${workspaceId} and id = ${id} for no key update`.execute(tx);
    const { cursor = null, remembered = null } = found[0] ?? {};
    const next = {
      cursor: cursor === null ? null : (again?.(cursor, since) ?? cursor),
      remembered: remembered === null ? null : (state?.earlier?.at(remembered, since) ?? remembered),
    };
    if (!isDeepStrictEqual(next.remembered, remembered)) {
      await sql`update watches set remembered = ${JSON.stringify(next.remembered)}, next_look_at = clock_timestamp()
        where workspace_id = ${workspaceId} and id = ${id}`.execute(tx);
    }
    if (!isDeepStrictEqual(next.cursor, cursor)) {
      await sql`update watches set cursor = ${JSON.stringify(next.cursor)}, next_look_at = clock_timestamp(),
          lease_owner = null, lease_until = null
        where workspace_id = ${workspaceId} and id = ${id}`.execute(tx);
    }
  }
};

/**
 * Whoever looks knows who was there when it began. What it has told was told to them alone: where others have come meanwhile,
 * it goes on from where it is told to them, too. The caller holds the watch and has stored `cursor`.
 */
export const forNewcomers = async (
  tx: Kysely<Tables>,
  watch: { id: string; workspace_id: string },
  { again }: Pick<Watching, 'again'>,
  cursor: unknown,
  known: Present,
  roster: number,
): Promise<{ cursor: unknown; present: Present }> => {
  if (roster === known.roster) return { cursor, present: known };
  const { rows } = await sql<{ id: string; since: Date }>`select trigger_id as id, since from trigger_watches
    where workspace_id = ${watch.workspace_id} and watch_id = ${watch.id}`.execute(tx);
  const present = { roster, ids: new Set(rows.map(({ id }) => id)) };
  const since = rows.filter(({ id }) => !known.ids.has(id)).map((row) => row.since.getTime());
  if (since.length === 0) return { cursor, present };
  const next = again(cursor, new Date(Math.min(...since)));
  if (isDeepStrictEqual(next, cursor)) return { cursor, present };
  await sql`update watches set cursor = ${JSON.stringify(next)}, next_look_at = clock_timestamp()
    where workspace_id = ${watch.workspace_id} and id = ${watch.id}`.execute(tx);
  return { cursor: next, present };
};
