-- Two look-ups and two row locks for every run that is stored, and accounts are never deleted by themselves: the run's own
-- statement names an account that was just read. A workspace still takes its runs along.
alter table runs drop constraint runs_workspace_id_fkey, drop constraint runs_workspace_id_account_id_fkey;
create function forget_runs() returns trigger language plpgsql as $$
begin
  delete from runs where workspace_id = old.workspace_id;
  return old;
end $$;
create trigger runs_go_along before delete on workspaces for each row execute function forget_runs();
