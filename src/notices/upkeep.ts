import { sql } from 'kysely';
import { firstIdAt, removePast, type Store } from '#store';
import type { Announce } from './emit.ts';

const atOnce = 5_000;
const keptDays = 30;

/** Forgets what was delivered long ago, and calls for what is due although nobody is coming for it. */
export const createUpkeep = (options: {
  store: Store;
  announce: Announce;
  announceMail(waiting: readonly { workspaceId: string; deliveryId: string }[]): Promise<void>;
}): { sweep(): Promise<void> } => {
  const { store, announce, announceMail } = options;

  const remove = async (before: Date): Promise<void> => {
    // Across workspaces by nature. Ids begin with the time, so the oldest are found without looking through the others.
    for (const [table, prefix] of [
      ['notice_deliveries', 'dlv'],
      ['notices', 'ntc'],
    ] as const) {
      await removePast(store.system, table, sql`id < ${firstIdAt(prefix, before)}`);
    }
  };

  /** A queue that failed for too long has given up on these. */
  const collect = async (): Promise<void> => {
    const { rows } = await sql<{ workspace_id: string; webhook_id: string | null; id: string }>`
      select distinct on (workspace_id, coalesce(webhook_id, d.id)) workspace_id, webhook_id, d.id
      from notice_deliveries d
      where d.state = 'pending' and next_try_at < statement_timestamp() - interval '30 s'
        and (claimed_until is null or claimed_until < clock_timestamp())
        and not exists (select from webhooks w where w.id = d.webhook_id and w.state = 'paused')
      limit ${atOnce}`.execute(store.system);
    const webhooks = rows.flatMap(({ workspace_id: workspaceId, webhook_id: webhookId }) =>
      webhookId === null ? [] : [{ workspaceId, webhookId, key: webhookId }],
    );
    const mails = rows.flatMap(({ workspace_id: workspaceId, webhook_id, id }) =>
      webhook_id === null ? [{ workspaceId, deliveryId: id }] : [],
    );
    if (webhooks.length > 0) await announce(webhooks);
    if (mails.length > 0) await announceMail(mails);
  };

  return {
    sweep: async () => {
      // By the database's time, so that a skewed clock forgets nothing.
      const { rows } = await sql<{ before: Date }>`
        select clock_timestamp() - ${keptDays} * interval '1 day' as before`.execute(store.system);
      for (const { before } of rows) await remove(before);
      await collect();
    },
  };
};
