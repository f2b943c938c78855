-- What was granted to us and is to be ended at the service: sealed, from the moment an account's credential is taken out
-- until the service has answered. After a while it is taken up by others, should whoever began have died.
create table if not exists revocations (
  workspace_id text not null references workspaces on delete cascade,
  account_id text not null,
  credential bytea not null,
  actor json not null,
  take_up_at timestamptz not null default clock_timestamp() + interval '1 min',
  primary key (workspace_id, account_id)
);
drop policy if exists workspace on revocations;
select wall('revocations');
