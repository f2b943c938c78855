import { type Kysely, sql } from 'kysely';
import { type Clock, orLate } from '#clock';
import { newId, type Store, type Tables } from '#store';
import type { Arrivals } from './arrivals.ts';
import type { FirstLook } from './first-look.ts';
import type { TriggerRow } from './trigger-records.ts';
import { pollResource } from './watch-records.ts';

/** How long a trigger that goes on waits until what was found in its pause has been read. */
const readingMs = 5_000;

/** The end of a pause. */
export const createGoingOn = (options: {
  store: Store;
  clock: Clock;
  arrivals: Pick<Arrivals, 'idle'>;
  firstLook: FirstLook;
}) => {
  const { store, clock, arrivals, firstLook } = options;

  /** What was skipped longer ago than history is kept cannot be caught up any more: that is told, not left out in silence. */
  const tellForgotten = async (tx: Kysely<Tables>, row: TriggerRow, paused: Date): Promise<void> => {
    const { rows } = await sql<{ watch_id: string; days: number; before: Date }>`
      select l.watch_id, s.keep_history_days as days, clock_timestamp() - s.keep_history_days * interval '1 day' as before
      from trigger_watches l join workspaces s on s.workspace_id = l.workspace_id
      where l.workspace_id = ${row.workspace_id} and l.trigger_id = ${row.id}
        and ${paused}::timestamptz < clock_timestamp() - s.keep_history_days * interval '1 day'
      order by l.watch_id limit 1`.execute(tx);
    const at = clock.now();
    for (const { watch_id, days, before } of rows) {
      const text = `“${row.name}” was paused for longer than the ${days} days that history is kept: what happened before ${before.toISOString().slice(0, 10)} is not caught up.`;
      await tx
        .insertInto('gaps')
        .values({ id: newId('gap', at), workspace_id: row.workspace_id, watch_id, at, text })
        .execute();
    }
  };

  /** What happened in a pause is met while it lasts: whatever is found after that starts its agent. */
  const lookThrough = async (workspaceId: string, triggerId: string): Promise<void> => {
    const { rows } = await sql<{ id: string }>`
      select w.id from trigger_watches l
        join watches w on w.workspace_id = l.workspace_id and w.id = l.watch_id
        join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id and a.state = 'connected'
      where l.workspace_id = ${workspaceId} and l.trigger_id = ${triggerId}
        and w.resource <> ${pollResource(triggerId)}`.execute(store.of(workspaceId));
    const ids = rows.map((row) => row.id);
    await firstLook(workspaceId, ids);
    if (ids.length > 0) await orLate(clock, arrivals.idle(), readingMs, undefined);
  };

  const goOn = async (tx: Kysely<Tables>, row: TriggerRow, catchUp: boolean): Promise<void> => {
    const paused = row.paused_at ?? row.created_at;
    if (catchUp) {
      await tellForgotten(tx, row, paused);
    } else {
      const watch = sql`workspace_id = ${row.workspace_id} and resource = ${pollResource(row.id)}`;
      await sql`update watches set cursor = null where ${watch}`.execute(tx);
      await sql`update trigger_watches set since = ${clock.now()} where workspace_id = ${row.workspace_id}
        and trigger_id = ${row.id} and watch_id in (select id from watches where ${watch})`.execute(tx);
    }
    await sql`update watches w set next_look_at = clock_timestamp() from trigger_watches l
      where l.workspace_id = ${row.workspace_id} and l.trigger_id = ${row.id} and w.workspace_id = l.workspace_id
        and w.id = l.watch_id`.execute(tx);
  };

  return { lookThrough, goOn };
};
