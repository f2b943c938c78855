import { type Kysely, sql } from 'kysely';
import { type Clock, orLate } from '#clock';
import { Fault } from '#kit';
import { type AccountState, newId, type Store, type Tables } from '#store';
import type { Arrivals } from './arrivals.ts';
import type { FirstLook } from './first-look.ts';
import { forgetPauses, keepPause } from './passed-pauses.ts';
import { judgeAgain } from './skipped-in-pause.ts';
import type { TriggerRow } from './trigger-records.ts';
import { pollResource } from './watch-records.ts';

/** How long a trigger that goes on waits for what happened in its pause to be found and read; it is skipped later, too. */
const patienceMs = 3_000;
/** What is told from a state bears no time: only while the pause lasts is it known to belong to it. */
const patienceForStatesMs = 13_000;

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

  /** How often somebody has asked for a pause so far. */
  const pausesOf = async (workspaceId: string, triggerId: string): Promise<number | undefined> => {
    const { rows } = await sql<{ pauses: number }>`select pauses from triggers
      where workspace_id = ${workspaceId} and id = ${triggerId}`.execute(store.of(workspaceId));
    return rows[0]?.pauses;
  };

  /** What happened in a pause is met while it lasts, as far as may be: of its last seconds time alone does not tell. */
  const lookThrough = async (workspaceId: string, triggerId: string): Promise<void> => {
    const { rows } = await sql<{ id: string; remembers: boolean }>`
      select w.id, w.remembered is not null as remembers from trigger_watches l
        join watches w on w.workspace_id = l.workspace_id and w.id = l.watch_id
        join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id and a.state = 'connected'
      where l.workspace_id = ${workspaceId} and l.trigger_id = ${triggerId}
        and w.resource <> ${pollResource(triggerId)}`.execute(store.of(workspaceId));
    const ids = rows.map((row) => row.id);
    if (ids.length === 0) return;
    const isTimed = rows.every(({ remembers }) => !remembers);
    const met = firstLook(workspaceId, ids).then(() => arrivals.idle());
    await orLate(clock, met, isTimed ? patienceMs : patienceForStatesMs, undefined);
  };

  /** What was skipped is judged again, as long as it is known which pause it was. */
  const takeUp = async (tx: Kysely<Tables>, row: TriggerRow): Promise<void> => {
    const { rows } = await sql<{ account: AccountState; agent: 'enabled' | 'paused' }>`
      select a.state as account, g.state as agent from accounts a, agents g
      where a.workspace_id = ${row.workspace_id} and a.id = ${row.account_id}
        and g.workspace_id = ${row.workspace_id} and g.id = ${row.agent_id}`.execute(tx);
    const paused = (['account', 'agent'] as const).find((whose) => rows[0]?.[whose] === 'paused');
    if (paused !== undefined) {
      const words = `The ${paused} is paused: what is caught up with would be skipped. Resume it first.`;
      throw new Fault('conflict', words);
    }
    await judgeAgain(tx, row);
  };

  const goOn = async (tx: Kysely<Tables>, row: TriggerRow, catchUp: boolean, until: Date): Promise<void> => {
    const from = row.paused_at ?? row.created_at;
    if (catchUp) {
      await tellForgotten(tx, row, from);
      await forgetPauses(tx, row, from);
    } else {
      await keepPause(tx, [row], { whose: 'trigger', from, until });
    }
    await sql`update watches w set next_look_at = clock_timestamp() from trigger_watches l
      where l.workspace_id = ${row.workspace_id} and l.trigger_id = ${row.id} and w.workspace_id = l.workspace_id
        and w.id = l.watch_id`.execute(tx);
  };

  return { pausesOf, lookThrough, takeUp, goOn };
};
