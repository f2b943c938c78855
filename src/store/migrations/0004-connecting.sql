-- Secrets of step configurations live beside accounts, so that runs, effects and the audit treat them alike.
alter table accounts
  add column kind text not null default 'account' check (kind in ('account', 'secret')),
  -- Grows with each change of the credential: who read an older one reads again.
  add column version integer not null default 1,
  -- Every permission type ever granted: reconnecting asks for all of them.
  add column granted_ever text[] not null default '{}',
  -- Who renews the credential, by the database's time. One at a time over all processes.
  add column refresh_owner text,
  add column refresh_until timestamptz;
update accounts set granted_ever = permission_types;

drop index accounts_identity;
create unique index accounts_identity on accounts (workspace_id, integration, identity_id, coalesce(end_user_id, ''))
  where state <> 'disconnected' and kind = 'account';

alter table workspaces add column allowed_return_origins text[] not null default '{}';

-- A person on the way to a service and back.
create table connects (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  integration text not null,
  method text not null,
  permission_types text[] not null,
  account_id text,
  end_user_id text,
  return_url text,
  started_by json not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  token_hash bytea not null unique,
  -- The browser that opened the link; no other may go on.
  browser_hash bytea,
  -- Gone once the service has answered.
  state_hash bytea unique,
  -- Sealed: the PKCE verifier.
  verifier bytea,
  finished_at timestamptz,
  foreign key (workspace_id, account_id) references accounts (workspace_id, id)
);
create index on connects (expires_at);
select wall('connects');
