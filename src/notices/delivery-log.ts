import { sql } from 'kysely';
import type { Clock } from '#clock';
import { afterId, Fault, type Page, type PageRequest, toPage } from '#kit';
import type { Database, DeliveryState, Store, StoredTry } from '#store';
import { payloadOf } from './deliver.ts';
import { type Announce, addNotices } from './emit.ts';
import type { Payload } from './notice-types.ts';
import { unknownWebhook } from './webhooks.ts';

export type WebhookDelivery = {
  id: string;
  webhookId: string;
  /** Stands in the header webhook-id, the same at each try. */
  messageId: string;
  payload: Payload;
  state: DeliveryState;
  attempts: number;
  nextTryAt: Date | null;
  tries: StoredTry[];
  createdAt: Date;
  finishedAt: Date | null;
};

/** What was brought to a webhook, and what it answered. */
export type DeliveryLog = {
  list(workspaceId: string, webhookId: string, page: PageRequest): Promise<Page<WebhookDelivery>>;
  /** Brings the same message once more, under its own id. */
  resend(workspaceId: string, webhookId: string, id: string): Promise<WebhookDelivery>;
  /** Brings a message that means nothing, whatever the webhook asked for. */
  test(workspaceId: string, webhookId: string): Promise<WebhookDelivery>;
};

type Row = {
  id: string;
  webhook_id: string;
  notice_id: string;
  type: string;
  data: unknown;
  state: DeliveryState;
  attempts: number;
  next_try_at: Date;
  tries: StoredTry[];
  created_at: Date;
  told_at: Date;
  finished_at: Date | null;
};

const show = (row: Row): WebhookDelivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  messageId: row.notice_id,
  payload: payloadOf({ type: row.type, data: row.data, createdAt: row.told_at }),
  state: row.state,
  // What is sent again begins its pauses anew, but it was tried before.
  attempts: Math.max(row.attempts, row.tries.length),
  nextTryAt: row.state === 'pending' ? row.next_try_at : null,
  tries: row.tries,
  createdAt: row.created_at,
  finishedAt: row.finished_at,
});

export const createDeliveryLog = (options: { store: Store; clock: Clock; announce: Announce }): DeliveryLog => {
  const { store, clock, announce } = options;

  const read = async (
    db: Database,
    workspaceId: string,
    webhookId: string,
    { id, after, limit }: { id?: string; after?: string | undefined; limit: number },
  ): Promise<Row[]> => {
    const { rows } = await sql<Row>`
      select d.id, d.webhook_id, d.notice_id, n.type, n.data, d.state, d.attempts, d.next_try_at, d.tries, d.created_at,
        n.created_at as told_at, d.finished_at
      from notice_deliveries d join notices n on n.workspace_id = d.workspace_id and n.id = d.notice_id
      where d.workspace_id = ${workspaceId} and d.webhook_id = ${webhookId}
        ${id === undefined ? sql`` : sql`and d.id = ${id}`} ${after === undefined ? sql`` : sql`and d.id < ${after}`}
      order by d.id desc limit ${limit}`.execute(db);
    return rows;
  };

  const one = async (db: Database, workspaceId: string, webhookId: string, id: string): Promise<WebhookDelivery> => {
    const [row] = await read(db, workspaceId, webhookId, { id, limit: 1 });
    if (row === undefined) throw new Fault('not_found', 'There is no such delivery.');
    return show(row);
  };

  /** Refuses where the webhook is unknown or paused; it stays as it is until the transaction ends. */
  const awake = async (tx: Database, workspaceId: string, webhookId: string): Promise<void> => {
    const row = await tx
      .selectFrom('webhooks')
      .select('state')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', webhookId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (row === undefined) throw unknownWebhook();
    if (row.state === 'paused') throw new Fault('conflict', 'This webhook is paused; resume it first.');
  };

  return {
    list: async (workspaceId, webhookId, page) => {
      const db = store.of(workspaceId);
      const rows = await read(db, workspaceId, webhookId, { after: afterId('dlv', page), limit: page.limit + 1 });
      if (rows.length === 0) {
        const known = db.selectFrom('webhooks').select('id').where('workspace_id', '=', workspaceId);
        if ((await known.where('id', '=', webhookId).executeTakeFirst()) === undefined) throw unknownWebhook();
      }
      return toPage(rows, page, show);
    },

    resend: (workspaceId, webhookId, id) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          await awake(tx, workspaceId, webhookId);
          await one(tx, workspaceId, webhookId, id);
          await tx
            .updateTable('notice_deliveries')
            .set({
              state: 'pending',
              attempts: 0,
              next_try_at: sql<Date>`now()`,
              finished_at: null,
              claimed_by: null,
              claimed_until: null,
            })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .execute();
          await announce([{ workspaceId, webhookId }], tx);
          return one(tx, workspaceId, webhookId, id);
        }),

    test: (workspaceId, webhookId) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          await awake(tx, workspaceId, webhookId);
          const notice = { workspaceId, type: 'webhook.test', data: { webhookId } } as const;
          const [made] = await addNotices(tx, clock, [{ notice, webhookIds: [webhookId] }]);
          await announce([{ workspaceId, webhookId }], tx);
          return one(tx, workspaceId, webhookId, made?.id ?? '');
        }),
  };
};
