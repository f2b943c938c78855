import type { ColumnType, Generated } from 'kysely';

type Json<T> = ColumnType<T, string, string>;
type Time = ColumnType<Date, Date, Date>;
type Bytes = ColumnType<Buffer, Buffer, Buffer>;

export type WebhookState = 'enabled' | 'paused';
export type DeliveryState = 'pending' | 'delivered' | 'failed';

/** What one try met: an answer, or the reason why there was none. */
export type StoredTry = {
  at: string;
  ms: number;
  status?: number | undefined;
  error?: string | undefined;
  response?: string | undefined;
};

export type StoredMail = { subject: string; text: string };

/** Row shapes of the migration 0009-notices.sql. */
export type NoticeTables = {
  webhooks: {
    id: string;
    workspace_id: string;
    url: string;
    events: string[];
    description: string;
    state: WebhookState;
    reason: string | null;
    failing_since: Date | null;
    secret: Bytes;
    previous_secret: Buffer | null;
    earlier_secrets: Generated<Buffer | null>;
    previous_until: Date | null;
    created_at: Time;
  };
  notices: { id: string; workspace_id: string; type: string; data: Json<unknown>; created_at: Time };
  notice_deliveries: {
    id: string;
    workspace_id: string;
    kind: 'webhook' | 'mail';
    webhook_id: string | null;
    notice_id: string | null;
    person_id: string | null;
    mail: Json<StoredMail> | null;
    state: Generated<DeliveryState>;
    attempts: Generated<number>;
    next_try_at: Generated<Date>;
    claimed_by: string | null;
    claimed_until: Date | null;
    tries: ColumnType<StoredTry[], string | undefined, string>;
    created_at: Time;
    finished_at: Date | null;
  };
};
