-- Whether approvers are told by mail; nothing is sent where no mail server is set.
alter table workspaces add column mail_approvers boolean not null default true;

-- Addresses outside that are told what happened here.
create table webhooks (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  url text not null,
  events text[] not null,
  description text not null,
  state text not null check (state in ('enabled', 'paused')),
  reason text,
  -- The first failure since the last success, by the database's time.
  failing_since timestamptz,
  -- Sealed. While the one before is still good, both sign.
  secret bytea not null,
  previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz not null,
  unique (workspace_id, id)
);
select wall('webhooks');

-- What happened, once, however many are told.
create table notices (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  type text not null,
  data json not null,
  created_at timestamptz not null,
  unique (workspace_id, id)
);
select wall('notices');

-- One notice on its way to one receiver, or one mail on its way to one member.
create table notice_deliveries (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  kind text not null check (kind in ('webhook', 'mail')),
  webhook_id text,
  notice_id text,
  person_id text,
  -- Gone once the mail has left or will not: it holds a subject line.
  mail json,
  state text not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- By the database's time, as the claim.
  next_try_at timestamptz not null default now(),
  claimed_by text,
  claimed_until timestamptz,
  -- What each try met, oldest first.
  tries json not null default '[]',
  created_at timestamptz not null,
  finished_at timestamptz,
  check ((kind = 'webhook') = (webhook_id is not null and notice_id is not null)),
  check ((kind = 'mail') = (person_id is not null)),
  foreign key (workspace_id, webhook_id) references webhooks (workspace_id, id) on delete cascade,
  foreign key (workspace_id, notice_id) references notices (workspace_id, id) on delete cascade
);
create index on notice_deliveries (workspace_id, webhook_id, id);
create index on notice_deliveries (workspace_id, notice_id);
create index notice_deliveries_pending on notice_deliveries (webhook_id, next_try_at) where state = 'pending';
create index notice_deliveries_due on notice_deliveries (next_try_at) where state = 'pending';
select wall('notice_deliveries');
