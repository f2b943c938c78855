-- The second wall: every table has row-level security keyed by the setting app.workspace, which the
-- store sets on each connection it hands out. '*' is the house itself (sign-in, queues, sweeps).
-- A superuser would walk through such a wall, so the store then acts as switchboard_app.
do $$
begin
  if exists (select from pg_roles where rolname = current_user and (rolsuper or rolbypassrls)) then
    begin
      create role switchboard_app nologin;
    exception when duplicate_object or unique_violation then null;
    end;
    grant usage on schema public to switchboard_app;
    alter default privileges in schema public grant select, insert, update, delete on tables to switchboard_app;
    alter default privileges in schema public grant usage, select on sequences to switchboard_app;
    -- Jobs are sent inside our own transactions, so the queue's tables are open to the same role.
    create schema if not exists jobs;
    grant usage on schema jobs to switchboard_app;
    alter default privileges in schema jobs grant select, insert, update, delete on tables to switchboard_app;
    alter default privileges in schema jobs grant execute on functions to switchboard_app;
  end if;
end $$;

create function workspace_in_view(id text) returns boolean language sql stable parallel safe
  return current_setting('app.workspace', true) in (id, '*');

create function wall(target regclass) returns void language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy workspace on %s using (workspace_in_view(workspace_id))', target);
end $$;

create table workspaces (
  workspace_id text primary key,
  name text not null,
  created_at timestamptz not null,
  -- Emergency stop: while set, nothing is started and nothing is written outside.
  stopped_at timestamptz
);
select wall('workspaces');

-- People belong to no single workspace; only the house itself reads this table.
create table people (
  id text primary key,
  email text not null unique,
  name text not null,
  password_hash text,
  created_at timestamptz not null
);
alter table people enable row level security;
alter table people force row level security;
create policy house on people using (current_setting('app.workspace', true) = '*');

create table members (
  workspace_id text not null references workspaces on delete cascade,
  person_id text not null references people on delete cascade,
  role text not null check (role in ('viewer', 'approver', 'builder', 'owner')),
  created_at timestamptz not null,
  primary key (workspace_id, person_id)
);
create index on members (person_id);
select wall('members');

create table sessions (
  id text primary key,
  workspace_id text not null,
  person_id text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  foreign key (workspace_id, person_id) references members on delete cascade
);
create index on sessions (expires_at);
select wall('sessions');

create table sign_in_links (
  id text primary key,
  workspace_id text not null,
  person_id text not null,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (workspace_id, person_id) references members on delete cascade
);
create index on sign_in_links (expires_at);
select wall('sign_in_links');

create table api_keys (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  name text not null,
  hash bytea not null unique,
  -- The last characters, so that a person can tell keys apart.
  hint text not null,
  scopes text[] not null,
  per_second integer not null,
  burst integer not null,
  created_by text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index on api_keys (workspace_id, id);
select wall('api_keys');

-- Rate budgets shared by all processes (GCRA: one moment per budget). Losing them in a crash only refills them.
create unlogged table budgets (
  workspace_id text not null,
  name text not null,
  full_at timestamptz not null,
  primary key (workspace_id, name)
);
select wall('budgets');

create table idempotency (
  workspace_id text not null references workspaces on delete cascade,
  caller text not null,
  key text not null,
  request_digest bytea not null,
  created_at timestamptz not null,
  status integer,
  -- Sealed: an answer may hold a secret that is shown once.
  answer bytea,
  primary key (workspace_id, caller, key)
);
create index on idempotency (created_at);
select wall('idempotency');

create table audit (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  at timestamptz not null,
  actor json not null,
  action text not null,
  target text,
  details json not null
);
create index on audit (workspace_id, id);
select wall('audit');
