import { sql } from 'kysely';
import type { ToldAlready } from '#kit';
import type { Store } from '#store';
import { isWebhook } from './judge.ts';
import type { Rosters } from './rosters.ts';
import type { SeenWatch } from './watch-reader.ts';

const dayMs = 86_400_000;

/** Since when that is known, of what these triggers ask for; a day less than history is kept, which ends meanwhile. */
export const knownSince = (
  { keep_history_days: days, forgotten_before: before, read_at: readAt }: SeenWatch,
  since: Date,
): Date =>
  new Date(Math.max(since.getTime(), readAt.getTime() - (days - 1) * dayMs, before?.getTime() ?? since.getTime()));

type Row = { name: string; at: Date; reasons: string[] };

/**
 * Which of what a watch names has an event of each trigger that asks for it, so that to read it once more would change nothing.
 * One that failed is open to be told again, and a trigger that was not there yet may be told of it.
 */
export const createToldAlready =
  (store: Store, rosters: Rosters) =>
  async (watch: SeenWatch, names: readonly string[]): Promise<ToldAlready> => {
    if (names.length === 0) return new Map();
    const { id, workspace_id: workspaceId } = watch;
    const asks = sql`l.workspace_id = ${workspaceId} and l.watch_id = ${id}`;
    const { rows } = await sql<Row>`
      select e.upstream_id as name, min(e.occurred_at) as at,
        coalesce(array_agg(distinct e.reason) filter (where e.reason is not null), '{}') as reasons
      from events e left join trigger_watches l on ${asks} and l.trigger_id = e.trigger_id
        and date_trunc('second', l.since) <= e.occurred_at
      where e.workspace_id = ${workspaceId} and e.upstream_id = any(${names}::text[]) and e.watch_id = ${id}
        and e.delivery in ('live', 'catchup')
      group by e.upstream_id
      having bool_and(e.outcome <> 'failed') and count(distinct l.trigger_id) =
        (select count(*) from trigger_watches l where ${asks} and date_trunc('second', l.since) <= min(e.occurred_at))`.execute(
      store.of(workspaceId),
    );
    if (rows.length === 0) return new Map();
    const { triggers } = await rosters.of(watch);
    const passing = new Set(triggers.filter(isWebhook).flatMap(({ definition }) => definition.passing?.reasons ?? []));
    return new Map(
      rows.map(({ name, at, reasons }) => [name, { at, mayPass: reasons.some((each) => passing.has(each)) }]),
    );
  };

export type ToldAlreadyOf = ReturnType<typeof createToldAlready>;
