-- How long history is kept, in days.
alter table workspaces
  add column keep_history_days integer not null default 30 check (keep_history_days between 1 and 3650),
  add column keep_audit_days integer not null default 365 check (keep_audit_days between 30 and 3650);

-- What starts an agent.
create table triggers (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  agent_id text not null,
  account_id text not null,
  type text not null,
  name text not null,
  config json not null,
  state text not null check (state in ('enabled', 'paused', 'broken')),
  reason text,
  -- Nothing that happened before starts an agent.
  since timestamptz not null,
  paused_at timestamptz,
  -- When what must be watched is asked again, for configurations like "all boards". By the database's time.
  resync_at timestamptz,
  created_at timestamptz not null,
  unique (workspace_id, id),
  foreign key (workspace_id, agent_id) references agents (workspace_id, id) on delete cascade,
  foreign key (workspace_id, account_id) references accounts (workspace_id, id)
);
create index on triggers (workspace_id, agent_id);
create index on triggers (workspace_id, account_id);
create index on triggers (resync_at) where resync_at is not null;
select wall('triggers');

-- One registration per account and resource, shared by all triggers that need it.
create table watches (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  account_id text not null,
  integration text not null,
  resource text not null,
  -- The unguessable part of the address that the service is given.
  token text not null unique,
  -- That address exactly as it was registered: signatures cover it.
  callback text,
  registration json,
  -- Digests of the secrets that notifications may show: the present one and the one before.
  secret_digests bytea[] not null default '{}',
  state text not null check (state in ('starting', 'healthy', 'degraded', 'broken')),
  reason text,
  state_since timestamptz not null,
  -- Where catching up goes on, and when it last succeeded.
  cursor json,
  caught_up_at timestamptz,
  -- What was there at the last look, for what the service never lists.
  remembered json,
  -- By the database's time, as the lease.
  next_look_at timestamptz not null default clock_timestamp(),
  next_check_at timestamptz not null default clock_timestamp(),
  failures integer not null default 0,
  lease_owner text,
  lease_until timestamptz,
  -- Grows when triggers come, go or change: who keeps the list knows it by this.
  roster integer not null default 1,
  last_notified_at timestamptz,
  -- Occurrences of types that no trigger here asks for.
  others bigint not null default 0,
  created_at timestamptz not null,
  unique (workspace_id, id),
  unique (workspace_id, account_id, resource),
  foreign key (workspace_id, account_id) references accounts (workspace_id, id)
);
create index on watches (next_look_at);
create index on watches (next_check_at);
select wall('watches');

create table trigger_watches (
  workspace_id text not null,
  trigger_id text not null,
  watch_id text not null,
  -- When the trigger began to wait for this resource; nothing before counts.
  since timestamptz not null,
  primary key (workspace_id, trigger_id, watch_id),
  foreign key (workspace_id, trigger_id) references triggers (workspace_id, id) on delete cascade,
  foreign key (workspace_id, watch_id) references watches (workspace_id, id) on delete cascade
);
create index on trigger_watches (workspace_id, watch_id);
select wall('trigger_watches');

-- What a watch cannot know any more, told to people.
create table gaps (
  id text primary key,
  workspace_id text not null,
  watch_id text not null,
  at timestamptz not null,
  text text not null,
  foreign key (workspace_id, watch_id) references watches (workspace_id, id) on delete cascade
);
create index on gaps (workspace_id, watch_id, id);
select wall('gaps');

-- Occurrences that are stored but not judged yet: something must be read first.
create table arrivals (
  id text primary key,
  workspace_id text not null,
  watch_id text not null,
  -- The occurrence's own key, or the hint behind which it is.
  key text not null,
  occurrence json,
  delivery text not null check (delivery in ('live', 'catchup')),
  received_at timestamptz not null,
  attempts integer not null default 0,
  next_try_at timestamptz not null default clock_timestamp(),
  unique (workspace_id, watch_id, key),
  foreign key (workspace_id, watch_id) references watches (workspace_id, id) on delete cascade
);
create index on arrivals (next_try_at);
select wall('arrivals');

-- One occurrence judged for one trigger; the outcome is exactly one.
create table events (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  trigger_id text not null,
  watch_id text,
  -- What makes it one: the service's own identity of the occurrence. Tests and replays have keys of their own.
  key text not null,
  upstream_id text not null,
  outcome text not null check (outcome in ('fired', 'filtered', 'skipped', 'failed')),
  clause text,
  reason text,
  retry text check (retry in ('retrying', 'dead')),
  attempts integer not null default 1,
  next_try_at timestamptz,
  occurred_at timestamptz not null,
  received_at timestamptz not null,
  delivery text not null check (delivery in ('live', 'catchup', 'test', 'replay')),
  run_id text,
  subject text,
  upstream_order text not null,
  summary text not null,
  actor json,
  data json,
  -- Kept while it may have to be judged again.
  occurrence json,
  check ((outcome = 'failed') = (retry is not null)),
  check ((outcome = 'filtered') = (clause is not null)),
  unique (trigger_id, key)
);
create index on events (workspace_id, id);
create index on events (workspace_id, trigger_id, id);
create index on events (workspace_id, upstream_id);
create index events_failed on events (workspace_id, id) where outcome = 'failed';
create index events_retrying on events (next_try_at) where retry = 'retrying';
select wall('events');

-- What we did ourselves is recognised by what it made.
create index on effects (workspace_id, upstream_id);
