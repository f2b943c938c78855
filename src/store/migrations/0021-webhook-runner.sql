-- Agents on another platform are called by a signed request; the secrets are sealed.
alter table agents
  add column hook_secret bytea,
  add column hook_previous_secret bytea,
  add column hook_previous_until timestamptz;

-- Runs that another platform's agent carries out: when to look at them again, and how they ended there.
create table handovers (
  workspace_id text not null,
  run_id text not null,
  tries integer not null default 0,
  delivered_at timestamptz,
  -- The next try or, once it was delivered, the deadline.
  next_at timestamptz not null,
  deadline timestamptz not null,
  ending json,
  primary key (workspace_id, run_id),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade
);
select wall('handovers');

-- What such an agent calls back with: one for each try, each good while its run is open.
create table run_keys (
  hash bytea primary key,
  workspace_id text not null,
  run_id text not null,
  created_at timestamptz not null,
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade
);
create index on run_keys (workspace_id, run_id);
select wall('run_keys');
