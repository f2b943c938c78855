import type { ColumnType, Generated } from 'kysely';
import type { ApprovalTables } from './approval-tables.ts';
import type { ClientTables } from './client-tables.ts';
import type { EventTables } from './event-tables.ts';
import type { HandoverTables } from './handover-tables.ts';
import type { NoticeTables } from './notice-tables.ts';

// Row shapes of the migrations beside this file. json columns (not jsonb, which refuses a zero character and forgets the order of fields) are written as text and read parsed.
type Json<T> = ColumnType<T, string, string>;
type Time = ColumnType<Date, Date, Date>;
type Bytes = ColumnType<Buffer, Buffer, Buffer>;

export type Role = 'viewer' | 'approver' | 'builder' | 'owner';
export type AccountState = 'connected' | 'needs_reconnect' | 'paused' | 'disconnected';
export type RunStatus = 'queued' | 'running' | 'waiting_approval' | 'succeeded' | 'failed' | 'cancelled';
export type AgentState = 'enabled' | 'paused';
export type EffectState = 'intended' | 'sent' | 'not_sent' | 'unknown';

/** Who did something, as records keep it. */
export type Actor = {
  kind: 'member' | 'key' | 'system';
  id: string;
  name: string;
  /** Over MCP a model acts for them, and obeys whatever it reads. */
  via?: 'mcp';
};

/** The service that a run waits for, where it is known, and whether that is away or asks for patience. */
export type WaitsFor = { service?: string; code: 'upstream_unavailable' | 'rate_limited' };
export type StoredFault = { code: string; message: string; details?: unknown; retryAfterMs?: number | undefined };

type TablesOfRooms = ApprovalTables & ClientTables & EventTables & HandoverTables & NoticeTables;

export type Tables = TablesOfRooms & {
  workspaces: {
    workspace_id: string;
    name: string;
    created_at: Time;
    stopped_at: Date | null;
    deleted_at: Generated<Date | null>;
    allowed_return_origins: Generated<string[]>;
    keep_history_days: Generated<number>;
    /** Before it, history was kept for fewer days than now. */
    forgotten_before: Time | null;
    keep_audit_days: Generated<number>;
    mail_approvers: Generated<boolean>;
    keep_file_days: Generated<number>;
    sends_per_run: Generated<number>;
    sends_per_hour: Generated<number>;
    strict_sends: Generated<boolean>;
    deletes_per_run: Generated<number>;
    deletes_per_hour: Generated<number>;
    model: ColumnType<
      { provider: 'openai-compatible' | 'anthropic'; baseUrl: string; model: string } | null,
      string | null | undefined,
      string | null
    >;
    model_key: Generated<Buffer | null>;
  };
  people: {
    id: string;
    email: string;
    name: string;
    password_hash: string | null;
    password_by: Generated<string | null>;
    created_at: Time;
  };
  members: {
    workspace_id: string;
    person_id: string;
    role: Role;
    name: Generated<string | null>;
    vouched_by: Generated<string | null>;
    created_at: Time;
  };
  sessions: {
    id: string;
    workspace_id: string;
    person_id: string;
    token_hash: Bytes;
    vouched_by: string | null;
    by_link: Generated<boolean>;
    created_at: Time;
    expires_at: Time;
  };
  sign_in_links: {
    id: string;
    workspace_id: string;
    person_id: string;
    token_hash: Bytes;
    vouched_by: string | null;
    created_at: Time;
    expires_at: Time;
    used_at: Date | null;
  };
  api_keys: {
    id: string;
    workspace_id: string;
    name: string;
    hash: Bytes;
    hint: string;
    scopes: string[];
    per_second: number;
    burst: number;
    created_by: string;
    created_at: Time;
    last_used_at: Date | null;
    expires_at: Date | null;
    revoked_at: Date | null;
  };
  budgets: { workspace_id: string; name: string; full_at: Time };
  idempotency: {
    workspace_id: string;
    caller: string;
    key: string;
    request_digest: Bytes;
    created_at: Time;
    status: number | null;
    answer: Buffer | null;
  };
  audit: {
    id: string;
    workspace_id: string;
    at: Time;
    actor: Json<Actor>;
    action: string;
    target: string | null;
    details: Json<Record<string, unknown>>;
  };
  accounts: {
    id: string;
    workspace_id: string;
    integration: string;
    name: string;
    identity: Json<{ id: string; name: string; username?: string; address?: string; kind?: 'work' | 'personal' }>;
    identity_id: string;
    state: AccountState;
    reason: string | null;
    paused_at: Date | null;
    auth_method: string;
    permission_types: string[];
    scopes: string[];
    end_user_id: string | null;
    credential: Buffer | null;
    created_at: Time;
    disconnected_at: Date | null;
    open_runs: string[] | null;
    kind: Generated<'account' | 'secret'>;
    version: Generated<number>;
    granted_ever: Generated<string[]>;
    allowed_recipients: Generated<string[]>;
    refresh_owner: string | null;
    refresh_until: Date | null;
  };
  revocations: {
    workspace_id: string;
    account_id: string;
    credential: Bytes;
    actor: Json<Actor>;
    take_up_at: Generated<Date>;
  };
  connects: {
    id: string;
    workspace_id: string;
    integration: string;
    method: string;
    permission_types: string[];
    account_id: string | null;
    end_user_id: string | null;
    return_url: string | null;
    started_by: Json<Actor>;
    created_at: Time;
    expires_at: Time;
    token_hash: Bytes;
    browser_hash: Buffer | null;
    previewed: Generated<boolean>;
    state_hash: Buffer | null;
    verifier: Buffer | null;
    finished_at: Date | null;
  };
  runs: {
    id: string;
    workspace_id: string;
    step_id: string | null;
    account_id: string | null;
    status: RunStatus;
    started_by: Json<Actor>;
    input: Json<Record<string, unknown>>;
    may_send: boolean;
    output: Json<unknown> | null;
    warnings: Json<string[]> | null;
    error: Json<StoredFault> | null;
    /** Of a run that was stored when it ended; the others' entries are rows of their own. */
    journal: Json<unknown[]> | null;
    attempts: Generated<number>;
    /** Attempts that never came to an end. */
    lapses: Generated<number>;
    /** How often in a row it was put off because a service was away, and for how long in all. */
    tries: Generated<number>;
    waited_ms: Generated<number>;
    waits_for: Json<WaitsFor> | null;
    created_at: Time;
    finished_at: Date | null;
    request_key: string | null;
    lease_owner: string | null;
    lease_until: Date | null;
    agent_id: string | null;
    agent_version: number | null;
    tool_id: string | null;
    tool_version: number | null;
    event_id: string | null;
    trigger_id: string | null;
    lane: string | null;
    lane_order: string | null;
    for_agent: string | null;
    end_user_id: string | null;
    /** Who asked that a run under way be cancelled. */
    cancel_asked: Json<Actor> | null;
    /** The run that this one tries again. */
    retry_of: string | null;
    /** Whether it has one of its agent's places, while it is under way. */
    seated: Generated<boolean>;
  };
  tools: {
    id: string;
    workspace_id: string;
    name: string;
    version: number;
    created_at: Time;
    updated_at: Time;
  };
  tool_versions: {
    workspace_id: string;
    tool_id: string;
    version: number;
    definition: Json<unknown>;
    made_by: Json<Actor>;
    created_at: Time;
  };
  agents: {
    id: string;
    workspace_id: string;
    name: string;
    state: AgentState;
    version: number;
    tool_ids: string[];
    created_at: Time;
    updated_at: Time;
    hook_secret: Buffer | null;
    hook_previous_secret: Buffer | null;
    hook_earlier_secrets: Buffer | null;
    hook_previous_until: Date | null;
  };
  agent_versions: {
    workspace_id: string;
    agent_id: string;
    version: number;
    definition: Json<unknown>;
    made_by: Json<Actor>;
    created_at: Time;
  };
  files: {
    id: string;
    workspace_id: string;
    name: string;
    content_type: string;
    size: number;
    complete: Generated<boolean>;
    created_at: Time;
    expires_at: Time;
    account_id: string | null;
    gathered_for: Generated<string | null>;
  };
  file_parts: { workspace_id: string; file_id: string; seq: number; bytes: Bytes };
  journal: {
    workspace_id: string;
    run_id: string;
    seq: number;
    at: Time;
    kind: string;
    data: Json<Record<string, unknown>>;
  };
  effects: {
    id: string;
    workspace_id: string;
    run_id: string;
    ordinal: number;
    account_id: string;
    effect: 'write' | 'send' | 'destroy';
    method: string;
    path: string;
    request: Json<Record<string, unknown>>;
    digest: Bytes;
    state: EffectState;
    attempts: Generated<number>;
    intended_at: Time;
    finished_at: Date | null;
    upstream_id: string | null;
    answer: Json<unknown> | null;
  };
};
