-- Whose content the events and runs of a trigger hold that is deleted before its account leaves.
create table past_triggers (
  workspace_id text not null references workspaces on delete cascade,
  id text not null,
  account_id text not null,
  removed_at timestamptz not null default clock_timestamp(),
  primary key (workspace_id, id)
);
create index on past_triggers (workspace_id, account_id);
select wall('past_triggers');

-- Triggers also go with their agent; where the whole workspace goes, nothing is left to remember.
create function note_past_trigger() returns trigger language plpgsql as $$
begin
  insert into past_triggers (workspace_id, id, account_id)
  select old.workspace_id, old.id, old.account_id
  where exists (select from workspaces w where w.workspace_id = old.workspace_id)
  on conflict do nothing;
  return null;
end $$;
create trigger noted after delete on triggers for each row execute function note_past_trigger();

-- Of an account that has left: the runs that were still open then and are erased when they end. Null until all else is erased.
alter table accounts add column open_runs text[];
create index accounts_leaving on accounts (workspace_id, id) where state = 'disconnected' and open_runs is distinct from '{}';
