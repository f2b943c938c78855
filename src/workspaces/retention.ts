import { sql } from 'kysely';
import { firstIdAt, type IdPrefix, type Store } from '#store';

const atOnce = 5_000;

/** What is kept for as many days as its workspace's settings say. */
const kept: readonly { table: string; prefix: IdPrefix; days: string; done: string }[] = [
  {
    table: 'events',
    prefix: 'evt',
    days: 'keep_history_days',
    // What started a run that is still open stays with it; what the next look could meet again is known until then.
    done: `retry is distinct from 'retrying'
      and not exists (select from runs r where r.workspace_id = o.workspace_id and r.id = o.run_id and r.finished_at is null)
      and not exists (select from watches h
        where h.workspace_id = o.workspace_id and h.id = o.watch_id and h.caught_up_at <= o.received_at)`,
  },
  // Journals, effects and approvals go with their run. One that is still open stays, however old.
  { table: 'runs', prefix: 'run', days: 'keep_history_days', done: 'finished_at < d.before' },
  { table: 'past_triggers', prefix: 'trg', days: 'keep_history_days', done: 'removed_at < d.before' },
  { table: 'gaps', prefix: 'gap', days: 'keep_history_days', done: 'true' },
  {
    table: 'passed_pauses',
    prefix: 'pau',
    days: 'keep_history_days',
    // What happened in it may still be met by the next look.
    done: `not exists (select from trigger_watches l join watches h on h.workspace_id = l.workspace_id and h.id = l.watch_id
      where l.workspace_id = o.workspace_id and l.trigger_id = o.trigger_id
        and (h.caught_up_at is null or h.caught_up_at <= o.until_at))`,
  },
  { table: 'audit', prefix: 'aud', days: 'keep_audit_days', done: 'true' },
];

/** Removes what is older than its workspace wants it kept. */
export const createRetention = ({ store }: { store: Store }): { sweep(): Promise<void> } => {
  const sweep = async ({ table, prefix, days, done }: (typeof kept)[number]): Promise<void> => {
    const column = sql.ref(days);
    // Of all workspaces, hence the house's own view; by the database's time, so that a skewed clock forgets nothing.
    const { rows: spans } = await sql<{ days: number; before: Date }>`
      select days, clock_timestamp() - days * interval '1 day' as before
      from (select distinct ${column} as days from workspaces) w`.execute(store.system);
    for (let removed = atOnce; removed === atOnce; ) {
      // Ids begin with the time, so the oldest are found without looking through the others.
      const { rows } = await sql`
        delete from ${sql.table(table)} where (workspace_id, id) in (
          select w.workspace_id, old.id from unnest(${spans.map((each) => each.days)}::integer[],
              ${spans.map(({ before }) => before)}::timestamptz[],
              ${spans.map(({ before }) => firstIdAt(prefix, before))}::text[]) d (days, before, first_id)
            join workspaces w on w.${column} = d.days,
            lateral (
              select id from ${sql.table(table)} o
              where o.workspace_id = w.workspace_id and o.id < d.first_id and ${sql.raw(done)}
              order by o.id limit ${atOnce}
            ) old
          limit ${atOnce}
        ) returning 1`.execute(store.system);
      removed = rows.length;
    }
  };
  return {
    sweep: async () => {
      for (const each of kept) await sweep(each);
    },
  };
};
