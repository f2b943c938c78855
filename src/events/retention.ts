import { sql } from 'kysely';
import { firstIdAt, type Store } from '#store';

const atOnce = 5_000;

/** Events live as long as their workspace's settings say. */
export const createEventRetention = ({ store }: { store: Store }): { sweep(): Promise<void> } => {
  /** Ids begin with the time, so the oldest are found without looking through the others. */
  const remove = async (days: number, before: Date): Promise<number> => {
    const { rows } = await sql`
      delete from events where id in (
        select e.id from events e join workspaces w using (workspace_id)
        where e.id < ${firstIdAt('evt', before)} and w.keep_history_days = ${days}
          and e.retry is distinct from 'retrying'
        order by e.id limit ${atOnce}
      ) returning 1`.execute(store.system);
    return rows.length;
  };

  return {
    sweep: async () => {
      // Of all workspaces, each by its own setting; by the database's time, so that a skewed clock forgets nothing.
      const { rows } = await sql<{ days: number; before: Date }>`
        select days, clock_timestamp() - days * interval '1 day' as before
        from (select distinct keep_history_days as days from workspaces) w`.execute(store.system);
      for (const { days, before } of rows) while ((await remove(days, before)) === atOnce);
    },
  };
};
