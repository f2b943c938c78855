import { type Selectable, sql } from 'kysely';
import type { Clock } from '#clock';
import { afterId, Fault, keepFormer, type Page, type PageRequest, toPage } from '#kit';
import {
  type Actor,
  type Database,
  newId,
  type Sealer,
  type Store,
  settleMs,
  type Tables,
  type WebhookState,
} from '#store';
import { recordAudit } from '#workspaces';
import { type Announce, lookedUp } from './emit.ts';
import type { EventType } from './notice-types.ts';
import { type Outside, receiverUrl } from './receiver.ts';
import { newSecret, openIfReadable, placeOf } from './signing.ts';

export type Webhook = {
  id: string;
  url: string;
  events: EventType[];
  description: string;
  state: WebhookState;
  reason?: string;
  failingSince?: Date;
  /** Until then the secrets before the last rotation sign, too. */
  previousSecretUntil?: Date;
  createdAt: Date;
};

export type NewWebhook = { url: string; events: readonly EventType[]; description?: string | undefined };
export type WebhookChange = {
  [Field in keyof NewWebhook]?: NewWebhook[Field] | undefined;
} & { state?: WebhookState | undefined };

/** Addresses outside that are told what happens in a workspace. */
export type Webhooks = {
  list(workspaceId: string, page: PageRequest): Promise<Page<Webhook>>;
  get(workspaceId: string, id: string): Promise<Webhook>;
  /** The secret is shown this once. */
  create(workspaceId: string, webhook: NewWebhook, actor: Actor): Promise<Webhook & { secret: string }>;
  /** Resumed, it takes what waited when it was paused. */
  change(workspaceId: string, id: string, change: WebhookChange, actor: Actor): Promise<Webhook>;
  /** A new secret; for a day those before sign beside it. */
  rotate(workspaceId: string, id: string, actor: Actor): Promise<Webhook & { secret: string }>;
  remove(workspaceId: string, id: string, actor: Actor): Promise<void>;
};

type Row = Selectable<Tables['webhooks']>;

const most = 50;

export const unknownWebhook = () => new Fault('not_found', 'There is no such webhook.');

const show = (row: Row): Webhook => ({
  id: row.id,
  url: row.url,
  events: row.events as EventType[],
  description: row.description,
  state: row.state,
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.failing_since === null ? {} : { failingSince: row.failing_since }),
  ...(row.previous_until === null ? {} : { previousSecretUntil: row.previous_until }),
  createdAt: row.created_at,
});

// An address may hold a secret of the receiver's, and more people read the audit than webhooks.
const hostOf = (url: string): string => new URL(url).host;

export const createWebhooks = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  outside: Outside;
  announce: Announce;
}): Webhooks => {
  const { store, sealer, clock, outside, announce } = options;

  const find = (db: Database, workspaceId: string) =>
    db.selectFrom('webhooks').selectAll().where('workspace_id', '=', workspaceId);

  const update = (tx: Database, workspaceId: string, id: string) =>
    tx.updateTable('webhooks').where('workspace_id', '=', workspaceId).where('id', '=', id);

  /** Changes one webhook while nobody else does. */
  const changing = <T>(workspaceId: string, id: string, work: (tx: Database, row: Row) => Promise<T>): Promise<T> =>
    store
      .of(workspaceId)
      .transaction()
      .execute(async (tx) => {
        const row = await find(tx, workspaceId).where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
        if (row === undefined) throw unknownWebhook();
        return work(tx, row);
      });

  const resume = async (tx: Database, workspaceId: string, webhookId: string): Promise<void> => {
    await tx
      .updateTable('notice_deliveries')
      .set({ next_try_at: sql<Date>`now()` })
      .where('workspace_id', '=', workspaceId)
      .where('webhook_id', '=', webhookId)
      .where('state', '=', 'pending')
      .execute();
    await announce([{ workspaceId, webhookId }], tx);
  };

  /** Whoever was told that it is there is told of all that happens from then on, whichever process it happens in. */
  const untilHeardOf = async ({ state, events }: Webhook): Promise<void> => {
    if (state === 'enabled' && events.some((type) => lookedUp.some((each) => each === type)))
      await clock.sleep(settleMs);
  };

  return {
    list: async (workspaceId, page) => {
      const after = afterId('whk', page);
      const rows = await find(store.of(workspaceId), workspaceId)
        .$if(after !== undefined, (query) => query.where('id', '<', after as string))
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute();
      return toPage(rows, page, show);
    },

    get: async (workspaceId, id) => {
      const row = await find(store.of(workspaceId), workspaceId).where('id', '=', id).executeTakeFirst();
      if (row === undefined) throw unknownWebhook();
      return show(row);
    },

    create: async (workspaceId, { url, events, description = '' }, actor) => {
      const address = receiverUrl(url, outside);
      const secret = newSecret();
      const now = clock.now();
      const id = newId('whk', now);
      const made = await store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          await tx
            .selectFrom('workspaces')
            .select('name')
            .where('workspace_id', '=', workspaceId)
            .forUpdate()
            .execute();
          const { count } = await tx
            .selectFrom('webhooks')
            .select((eb) => eb.fn.countAll<string>().as('count'))
            .where('workspace_id', '=', workspaceId)
            .executeTakeFirstOrThrow();
          if (Number(count) >= most) {
            throw new Fault('conflict', `A workspace has at most ${most} webhooks; delete one first.`);
          }
          const row = await tx
            .insertInto('webhooks')
            .values({
              id,
              workspace_id: workspaceId,
              url: address,
              events: [...new Set(events)],
              description,
              state: 'enabled',
              secret: sealer.seal(secret, placeOf(workspaceId, id, 'secret')),
              created_at: now,
            })
            .returningAll()
            .executeTakeFirstOrThrow();
          const details = { host: hostOf(address), events: row.events };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'webhook.created', target: id, details });
          return { ...show(row), secret };
        });
      await untilHeardOf(made);
      return made;
    },

    change: async (workspaceId, id, { url, events, description, state }, actor) => {
      const address = url === undefined ? undefined : receiverUrl(url, outside);
      const changed = await changing(workspaceId, id, async (tx, before) => {
        const row = await update(tx, workspaceId, id)
          .set({
            url: address ?? before.url,
            events: events === undefined ? before.events : [...new Set(events)],
            description: description ?? before.description,
            ...(state === undefined ? {} : { state, reason: null }),
            // A new beginning: what failed before says nothing about it.
            ...(address === undefined && state !== 'enabled' ? {} : { failing_since: null }),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        if (state === 'enabled' && before.state === 'paused') await resume(tx, workspaceId, id);
        const details = {
          ...(address === undefined ? {} : { host: hostOf(address) }),
          ...(events === undefined ? {} : { events: row.events }),
          ...(state === undefined ? {} : { state }),
        };
        await recordAudit(tx, clock, { workspaceId, actor, action: 'webhook.changed', target: id, details });
        return show(row);
      });
      if (events !== undefined || state === 'enabled') await untilHeardOf(changed);
      return changed;
    },

    rotate: (workspaceId, id, actor) =>
      changing(workspaceId, id, async (tx, before) => {
        const secret = newSecret();
        const old = openIfReadable(sealer, before.secret, placeOf(workspaceId, id, 'secret'));
        const { previous_until: until } = before;
        const isGood = until !== null && until > clock.now();
        const opened = (column: 'previous_secret' | 'earlier_secrets') =>
          isGood && before[column] !== null
            ? openIfReadable(sealer, before[column], placeOf(workspaceId, id, column))
            : undefined;
        // Whoever rotates again, as after an answer that was lost, has receivers that know the secret before alone.
        const { previous, earlier } = keepFormer(old, opened('previous_secret'), opened('earlier_secrets'));
        const seal = (text: string | undefined, column: 'previous_secret' | 'earlier_secrets') =>
          text === undefined ? null : sealer.seal(text, placeOf(workspaceId, id, column));
        const former = {
          previous_secret: seal(previous, 'previous_secret'),
          earlier_secrets: seal(earlier, 'earlier_secrets'),
          previous_until: previous === undefined ? null : sql<Date>`now() + interval '24 hours'`,
        };
        const row = await update(tx, workspaceId, id)
          .set({ secret: sealer.seal(secret, placeOf(workspaceId, id, 'secret')), ...former })
          .returningAll()
          .executeTakeFirstOrThrow();
        await recordAudit(tx, clock, { workspaceId, actor, action: 'webhook.secret_rotated', target: id });
        return { ...show(row), secret };
      }),

    remove: (workspaceId, id, actor) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          const gone = await tx
            .deleteFrom('webhooks')
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .returning('url')
            .executeTakeFirst();
          if (gone === undefined) throw unknownWebhook();
          const details = { host: hostOf(gone.url) };
          await recordAudit(tx, clock, { workspaceId, actor, action: 'webhook.deleted', target: id, details });
        }),
  };
};
