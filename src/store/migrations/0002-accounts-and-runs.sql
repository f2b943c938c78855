create table accounts (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  integration text not null,
  name text not null,
  identity json not null,
  identity_id text not null,
  state text not null check (state in ('connected', 'needs_reconnect', 'paused', 'disconnected')),
  reason text,
  auth_method text not null,
  permission_types text[] not null,
  scopes text[] not null,
  end_user_id text,
  -- Sealed; gone when the account is disconnected.
  credential bytea,
  created_at timestamptz not null,
  disconnected_at timestamptz,
  unique (workspace_id, id),
  check ((state = 'disconnected') = (credential is null))
);
create index on accounts (workspace_id, integration, id);
-- One account per identity: connecting a known identity updates its account.
create unique index accounts_identity on accounts (workspace_id, integration, identity_id, coalesce(end_user_id, ''))
  where state <> 'disconnected';
select wall('accounts');

create table runs (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  step_id text not null,
  account_id text not null,
  status text not null check (status in ('queued', 'running', 'waiting_approval', 'succeeded', 'failed', 'cancelled')),
  started_by json not null,
  input json not null,
  -- Whether what counts as a send may leave without a person's approval.
  may_send boolean not null,
  output json,
  error json,
  attempts integer not null default 0,
  created_at timestamptz not null,
  finished_at timestamptz,
  -- Caller and Idempotency-Key of the request that started it.
  request_key text,
  -- Who works on it, by the database's time. A run whose lease has passed is taken over.
  lease_owner text,
  lease_until timestamptz,
  unique (workspace_id, id),
  foreign key (workspace_id, account_id) references accounts (workspace_id, id)
);
create index on runs (workspace_id, id);
create index on runs (workspace_id, status, id);
create unique index runs_request_key on runs (workspace_id, request_key) where request_key is not null;
create index runs_open on runs (lease_until) where status in ('queued', 'running');
select wall('runs');

create table journal (
  workspace_id text not null,
  run_id text not null,
  seq integer not null,
  at timestamptz not null,
  kind text not null,
  data json not null,
  primary key (workspace_id, run_id, seq),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade
);
select wall('journal');

-- One row per outside write, committed before the first byte leaves.
create table effects (
  id text primary key,
  workspace_id text not null,
  run_id text not null,
  -- The how-manyth write of its run: a run that is resumed meets its own records again.
  ordinal integer not null,
  account_id text not null,
  effect text not null check (effect in ('write', 'send', 'destroy')),
  method text not null,
  path text not null,
  request json not null,
  digest bytea not null,
  state text not null check (state in ('intended', 'sent', 'not_sent', 'unknown')),
  attempts integer not null default 1,
  intended_at timestamptz not null,
  finished_at timestamptz,
  upstream_id text,
  answer json,
  unique (workspace_id, run_id, ordinal),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade,
  foreign key (workspace_id, account_id) references accounts (workspace_id, id)
);
create index on effects (workspace_id, account_id, upstream_id);
create index effects_open on effects (workspace_id, account_id, digest) where state = 'intended';
select wall('effects');
