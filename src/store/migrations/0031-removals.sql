-- Sends ask a person; what agents remove does so once it is too much.
alter table approvals add column effect text not null default 'send' check (effect in ('send', 'destroy'));
alter table workspaces
  add column deletes_per_run integer not null default 5 check (deletes_per_run between 0 and 1000),
  add column deletes_per_hour integer not null default 30 check (deletes_per_hour between 0 and 10000);
create index effects_removals on effects (workspace_id, account_id, intended_at) where effect = 'destroy';
