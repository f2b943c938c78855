import { CompiledQuery } from 'kysely';
import type { Clock } from '#clock';
import type { Executor } from '#jobs';
import { type Database, newId } from '#store';
import { type Notice, noticeTypes } from './notice-types.ts';

/** Which webhook has something waiting. */
export type Waiting = { workspaceId: string; webhookId: string };

/** Calls for deliveries, in the caller's transaction if there is one. */
export type Announce = (
  waiting: readonly (Waiting & { afterMs?: number | undefined; key?: string | undefined })[],
  tx?: Database,
) => Promise<void>;

/** Tells about something in the transaction in which it happens: both stand or fall together. */
export type Emit = (tx: Database, notices: Notice | readonly Notice[]) => Promise<void>;

export const within = (tx: Database): Executor => ({
  executeSql: async (text, values) => tx.executeQuery(CompiledQuery.raw(text, values)),
});

/** Stores one notice and its deliveries to these webhooks. */
export const addNotice = async (tx: Database, clock: Clock, notice: Notice, webhookIds: readonly string[]) => {
  const { workspaceId, type } = notice;
  const createdAt = clock.now();
  const noticeId = newId('ntc', createdAt);
  // Parsed, so that nothing leaves that the table of types does not name.
  const data = JSON.stringify(noticeTypes[type].data.parse(notice.data));
  const kept = { workspace_id: workspaceId, created_at: createdAt };
  const deliveries = webhookIds.map((webhookId) => ({
    ...kept,
    id: newId('dlv', createdAt),
    kind: 'webhook' as const,
    webhook_id: webhookId,
    notice_id: noticeId,
  }));
  await tx
    .insertInto('notices')
    .values({ ...kept, id: noticeId, type, data })
    .execute();
  await tx.insertInto('notice_deliveries').values(deliveries).execute();
  return deliveries;
};

export const createEmit =
  ({ clock, announce }: { clock: Clock; announce: Announce }): Emit =>
  async (tx, given) => {
    const notices: readonly Notice[] = 'type' in given ? [given] : given;
    if (notices.length === 0) return;
    const webhooks = await tx
      .selectFrom('webhooks')
      .select(['id', 'workspace_id', 'events'])
      .where('workspace_id', 'in', [...new Set(notices.map(({ workspaceId }) => workspaceId))])
      .where('state', '=', 'enabled')
      // None is deleted before this is committed: what happened must not fail for want of a listener.
      .forKeyShare()
      .execute();
    if (webhooks.length === 0) return;
    const told = new Map<string, Waiting>();
    for (const notice of notices) {
      const wanting = webhooks.filter(
        ({ workspace_id, events }) => workspace_id === notice.workspaceId && events.includes(notice.type),
      );
      if (wanting.length === 0) continue;
      const ids = wanting.map(({ id }) => id);
      await addNotice(tx, clock, notice, ids);
      for (const webhookId of ids) told.set(webhookId, { workspaceId: notice.workspaceId, webhookId });
    }
    if (told.size > 0) await announce([...told.values()], tx);
  };
