import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock, Intervals } from '#clock';
import { splitFormer } from '#kit';
import { type Actor, type Database, type Sealer, type Store, type StoredTry } from '#store';
import { recordAudit } from '#workspaces';
import type { Announce, Waiting } from './emit.ts';
import type { Reception } from './receiver.ts';
import { interval, patienceMs, waitAfter } from './schedule.ts';
import { openIfReadable, placeOf } from './signing.ts';

/** One message that this process is bringing to one webhook. */
export type Claimed = Waiting & {
  id: string;
  attempts: number;
  /** By the database's time: receivers refuse what seems old or from the future. */
  at: Date;
  url: string;
  secrets: readonly string[];
  notice: { id: string; type: string; data: unknown; createdAt: Date };
};

/** Who brings what, over all processes. */
export type Claims = {
  /** Takes what is due for one webhook, as far as its bound allows. */
  take(waiting: Waiting): Promise<Claimed[]>;
  settle(claimed: Claimed, reception: Reception, ms: number): Promise<void>;
  /** Not tried after all: whoever is free takes it at once. */
  giveBack(claimed: Claimed): Promise<void>;
  /** How long until something that another process holds is free again. */
  freeAfterMs(waiting: Waiting): Promise<number | undefined>;
};

/** So many messages are under way to one webhook, however many wait; one where nothing is taken, to find out when it is again. */
const atOnce = 8;
const atOnceFailing = 1;
/** Longer than a try may take. */
const claimMs = 15_000;
const triesKept = 20;

const house: Actor = { kind: 'system', id: 'system', name: 'Switchboard' };

type Row = { id: string; attempts: number; at: Date; notice_id: string; type: string; data: unknown; created_at: Date };

/** Appends a try to those of a delivery, and forgets the oldest of many. */
export const withTry = (tries: readonly StoredTry[], entry: StoredTry): string =>
  JSON.stringify([...tries, entry].slice(-triesKept));

const sentence = (reception: Reception): string =>
  reception.status === undefined ? reception.error : `It answered ${reception.status}.`;

export const createClaims = (options: {
  store: Store;
  sealer: Sealer;
  clock: Clock;
  intervals: Intervals;
  announce: Announce;
}): Claims => {
  const { store, sealer, clock, announce } = options;
  const unitMs = options.intervals.noticeRetryMs;
  const owner = randomBytes(9).toString('base64url');

  const pause = async (tx: Database, { workspaceId, webhookId }: Waiting, reason: string): Promise<void> => {
    const paused = await tx
      .updateTable('webhooks')
      .set({ state: 'paused', reason })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', webhookId)
      .where('state', '=', 'enabled')
      .returning('id')
      .executeTakeFirst();
    if (paused === undefined) return;
    const record = {
      workspaceId,
      actor: house,
      action: 'webhook.paused' as const,
      target: webhookId,
      details: { reason },
    };
    await recordAudit(tx, clock, record);
  };

  /** Notes whether the webhook works; answers whether this failure is one too many. */
  const standing = async (tx: Database, { workspaceId, webhookId }: Waiting, failed: boolean): Promise<boolean> => {
    const { rows } = await sql<{ enough: boolean }>`
      update webhooks set failing_since = ${failed ? sql`coalesce(failing_since, now())` : sql`null`}
      where workspace_id = ${workspaceId} and id = ${webhookId} and (${failed} or failing_since is not null)
      returning failing_since < now() - ${interval(patienceMs(unitMs))} as enough`.execute(tx);
    return rows[0]?.enough === true;
  };

  /** The delivery, locked, if this claim on it still holds. */
  const held = (tx: Database, { workspaceId, id, attempts }: Claimed) =>
    tx
      .selectFrom('notice_deliveries')
      .select('tries')
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .where('claimed_by', '=', owner)
      .where('attempts', '=', attempts)
      .where('state', '=', 'pending')
      .forUpdate()
      .executeTakeFirst();

  return {
    take: ({ workspaceId, webhookId }) =>
      store
        .of(workspaceId)
        .transaction()
        .execute(async (tx) => {
          // Locked, so that two processes do not count the same free places.
          const { rows: webhooks } = await sql<{
            url: string;
            secret: Buffer;
            previous: Buffer | null;
            earlier: Buffer | null;
            failing: boolean;
          }>`
            select url, secret, case when previous_until > clock_timestamp() then previous_secret end as previous,
              case when previous_until > clock_timestamp() then earlier_secrets end as earlier,
              failing_since is not null as failing
            from webhooks where workspace_id = ${workspaceId} and id = ${webhookId} and state = 'enabled'
            for no key update`.execute(tx);
          const [webhook] = webhooks;
          if (webhook === undefined) return [];
          const { rows } = await sql<Row>`
            -- Materialized: joined directly, the limit would be counted anew for each row.
            with due as materialized (
              select id from notice_deliveries
              where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and state = 'pending'
                and next_try_at <= statement_timestamp() and (claimed_until is null or claimed_until < clock_timestamp())
              order by next_try_at, id
              limit greatest(0, ${webhook.failing ? atOnceFailing : atOnce}::integer - (
                select count(*) from notice_deliveries
                where webhook_id = ${webhookId} and state = 'pending' and claimed_until >= statement_timestamp()
              ))
              for update skip locked
            )
            update notice_deliveries d
            set claimed_by = ${owner}, claimed_until = clock_timestamp() + ${interval(claimMs)}, attempts = d.attempts + 1
            from notices n, due
            where d.id = due.id and n.id = d.notice_id
            returning d.id, d.attempts, clock_timestamp() as at, n.id as notice_id, n.type, n.data, n.created_at`.execute(
            tx,
          );
          if (rows.length === 0) return [];
          const secret = sealer.open(webhook.secret, placeOf(workspaceId, webhookId, 'secret'));
          const former = (sealed: Buffer | null, column: 'previous_secret' | 'earlier_secrets') =>
            sealed === null ? [] : splitFormer(openIfReadable(sealer, sealed, placeOf(workspaceId, webhookId, column)));
          const secrets = [
            secret,
            ...former(webhook.previous, 'previous_secret'),
            ...former(webhook.earlier, 'earlier_secrets'),
          ];
          return rows.map(({ id, attempts, at, notice_id, type, data, created_at }) => ({
            workspaceId,
            webhookId,
            id,
            attempts,
            at,
            url: webhook.url,
            secrets,
            notice: { id: notice_id, type, data, createdAt: created_at },
          }));
        }),

    settle: (claimed, reception, ms) =>
      store
        .of(claimed.workspaceId)
        .transaction()
        .execute(async (tx) => {
          const { workspaceId, webhookId, id, attempts, at } = claimed;
          const failed = reception.status === undefined || reception.status < 200 || reception.status > 299;
          // The webhook before its deliveries: everyone locks in this order.
          const tooLong = await standing(tx, claimed, failed);
          const row = await held(tx, claimed);
          if (row === undefined) return;
          const { retryAfterMs, ...met } = { retryAfterMs: undefined, ...reception };
          const gone = reception.status === 410;
          const waitMs = failed && !gone ? waitAfter(attempts, unitMs, retryAfterMs) : undefined;
          const state = !failed ? 'delivered' : waitMs === undefined ? 'failed' : 'pending';
          await tx
            .updateTable('notice_deliveries')
            .set({
              state,
              tries: withTry(row.tries, { at: at.toISOString(), ms, ...met }),
              claimed_by: null,
              claimed_until: null,
              finished_at: state === 'pending' ? null : clock.now(),
              ...(waitMs === undefined ? {} : { next_try_at: sql<Date>`now() + ${interval(waitMs)}` }),
            })
            .where('workspace_id', '=', workspaceId)
            .where('id', '=', id)
            .execute();
          if (gone) {
            await pause(tx, claimed, 'The receiver answered 410: it wants no more. Resume it when it does.');
          } else if (tooLong) {
            await pause(
              tx,
              claimed,
              `Nothing was taken for days. ${sentence(reception)} Mend the receiver, then resume.`,
            );
          } else if (waitMs !== undefined) {
            await announce([{ workspaceId, webhookId, afterMs: waitMs, key: `${id} ${attempts}` }], tx);
          }
        }),

    giveBack: async ({ workspaceId, id, attempts }) => {
      await store
        .of(workspaceId)
        .updateTable('notice_deliveries')
        .set({ claimed_by: null, claimed_until: null, attempts: attempts - 1 })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .where('claimed_by', '=', owner)
        .where('attempts', '=', attempts)
        .execute();
    },

    freeAfterMs: async ({ workspaceId, webhookId }) => {
      const { rows } = await sql<{ ms: number | null }>`
        select extract(epoch from min(claimed_until) - clock_timestamp())::float8 * 1000 as ms from notice_deliveries
        where workspace_id = ${workspaceId} and webhook_id = ${webhookId} and state = 'pending'
          and claimed_until is not null and claimed_by <> ${owner}`.execute(store.of(workspaceId));
      const ms = rows[0]?.ms ?? undefined;
      return ms === undefined ? undefined : Math.max(100, ms);
    },
  };
};
