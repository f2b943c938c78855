-- Looking up what each new row belongs to, and locking that, cost more than storing the row. The statements that store these
-- rows have just read or stored what they name; workspaces still take along what is theirs, and runs their effects.
alter table events drop constraint events_workspace_id_fkey;
alter table audit drop constraint audit_workspace_id_fkey;
alter table effects drop constraint effects_workspace_id_account_id_fkey, drop constraint effects_workspace_id_run_id_fkey;

create or replace function forget_runs() returns trigger language plpgsql as $$
begin
  delete from runs where workspace_id = old.workspace_id;
  delete from events where workspace_id = old.workspace_id;
  delete from audit where workspace_id = old.workspace_id;
  return old;
end $$;

create function forget_effects() returns trigger language plpgsql as $$
begin
  delete from effects e using gone g where e.workspace_id = g.workspace_id and e.run_id = g.id;
  return null;
end $$;
create trigger effects_go_along after delete on runs referencing old table as gone
  for each statement execute function forget_effects();

-- One index for the two that began with the same.
alter table audit drop constraint audit_pkey;
drop index audit_workspace_id_id_idx;
alter table audit add primary key (workspace_id, id);
alter table events drop constraint events_pkey;
drop index events_counted;
alter table events add primary key (workspace_id, id) include (outcome);

-- Their counts change all the time and are in no index: with room on its page a row stays where its indexes find it.
alter table watches set (fillfactor = 50);
