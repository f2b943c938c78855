-- What waits for a person: exactly what would be sent, and what was decided about it.
create table approvals (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  run_id text not null,
  -- The write of its run that waits; a multiple of 1000 is a whole step that writes something down before it sends.
  ordinal integer not null,
  account_id text not null,
  step_id text not null,
  -- What the step is given; an edit changes it.
  input json not null,
  requests json not null,
  view json not null,
  -- The little of the view that lists show.
  headline json not null,
  cause json not null,
  digest bytea not null,
  status text not null check (status in ('pending', 'approved', 'rejected', 'expired', 'void')),
  reason text,
  -- The time the step is told, so that composing it again gives the same.
  composed_at timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  decided_by json,
  unique (workspace_id, id),
  unique (workspace_id, run_id, ordinal),
  foreign key (workspace_id, run_id) references runs (workspace_id, id) on delete cascade,
  foreign key (workspace_id, account_id) references accounts (workspace_id, id)
);
create index approvals_listed on approvals (workspace_id, status, id);
create index approvals_waiting on approvals (expires_at) where status = 'pending';
create index approvals_account on approvals (workspace_id, account_id, status);
select wall('approvals');
