import type { ColumnType, Generated } from 'kysely';

type Json<T> = ColumnType<T, string, string>;
type Time = ColumnType<Date, Date, Date>;

export type TriggerState = 'enabled' | 'paused' | 'broken';
export type WatchState = 'starting' | 'healthy' | 'degraded' | 'broken';
export type Outcome = 'fired' | 'filtered' | 'skipped' | 'failed';
export type Delivery = 'live' | 'catchup' | 'test' | 'replay';

export type StoredRegistration = { id: string; expiresAt?: string | undefined };

/** Row shapes of the migration 0008-events.sql. */
export type EventTables = {
  triggers: {
    id: string;
    workspace_id: string;
    agent_id: string;
    account_id: string;
    type: string;
    name: string;
    config: Json<Record<string, unknown>>;
    names: ColumnType<Record<string, string>, string | undefined, string>;
    version: Generated<number>;
    state: TriggerState;
    reason: string | null;
    since: Time;
    paused_at: Date | null;
    pauses: Generated<number>;
    resync_at: Generated<Date | null>;
    told_at: Generated<Date>;
    created_at: Time;
  };
  watches: {
    id: string;
    workspace_id: string;
    account_id: string;
    integration: string;
    resource: string;
    token: string;
    callback: string | null;
    registration: Json<StoredRegistration> | null;
    secret_digests: Generated<Buffer[]>;
    state: WatchState;
    reason: string | null;
    state_since: Time;
    cursor: Json<unknown> | null;
    caught_up_at: Date | null;
    /** What stands in the way although it is watched. */
    hindrance: string | null;
    /** What people call the resource, where the service told it. */
    name: string | null;
    remembered: Json<unknown> | null;
    next_look_at: Generated<Date>;
    next_check_at: Generated<Date>;
    /** When it is looked through for what its service could not tell of, and for nothing else. */
    glance_at: Date | null;
    glanced_at: Date | null;
    failures: Generated<number>;
    lease_owner: string | null;
    lease_until: Date | null;
    roster: Generated<number>;
    last_notified_at: Date | null;
    others: Generated<string>;
    /** How often in a row looking at it never came to an end. */
    lapses: Generated<number>;
    apart_until: Date | null;
    other_kinds: Generated<unknown>;
    needless: Generated<boolean>;
    created_at: Time;
  };
  trigger_watches: { workspace_id: string; trigger_id: string; watch_id: string; since: Time };
  gaps: { id: string; workspace_id: string; watch_id: string; at: Time; text: string };
  passed_pauses: {
    id: string;
    workspace_id: string;
    trigger_id: string;
    whose: 'trigger' | 'account';
    from_at: Time;
    until_at: Time;
  };
  arrivals: {
    id: string;
    workspace_id: string;
    watch_id: string;
    key: string;
    occurrence: Json<unknown> | null;
    delivery: 'live' | 'catchup';
    received_at: Time;
    attempts: Generated<number>;
    lapses: Generated<number>;
    next_try_at: Generated<Date>;
  };
  events: {
    id: string;
    workspace_id: string;
    trigger_id: string;
    watch_id: string | null;
    key: string;
    upstream_id: string;
    outcome: Outcome;
    clause: string | null;
    reason: string | null;
    retry: 'retrying' | 'dead' | null;
    attempts: Generated<number>;
    /** How often in a row judging it again never came to an end. */
    lapses: Generated<number>;
    next_try_at: Date | null;
    occurred_at: Time;
    received_at: Time;
    delivery: Delivery;
    run_id: string | null;
    subject: string | null;
    upstream_order: string;
    summary: string;
    actor: Json<{ id: string; name: string; isSelf: boolean }> | null;
    data: Json<unknown> | null;
    occurrence: Json<unknown> | null;
    /** It failed, and a replay has taken its place. */
    replayed_at: Date | null;
  };
};
