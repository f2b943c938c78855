-- What happened in a pause belongs to it, however late it is found: pauses that ended without catching up are known for as long
-- as history is. By our own time.
create table if not exists passed_pauses (
  id text primary key,
  workspace_id text not null,
  trigger_id text not null,
  whose text not null check (whose in ('trigger', 'account')),
  from_at timestamptz not null,
  until_at timestamptz not null,
  foreign key (workspace_id, trigger_id) references triggers (workspace_id, id) on delete cascade
);
create index if not exists passed_pauses_by_trigger on passed_pauses (workspace_id, trigger_id);
create index if not exists passed_pauses_by_age on passed_pauses (workspace_id, id);
drop policy if exists workspace on passed_pauses;
select wall('passed_pauses');

-- Since when an account is paused.
alter table accounts add column if not exists paused_at timestamptz;
select set_config('app.workspace', '*', true);
update accounts a set paused_at = coalesce((select max(u.at) from audit u
  where u.workspace_id = a.workspace_id and u.target = a.id and u.action = 'account.paused'), clock_timestamp())
where a.state = 'paused';
select set_config('app.workspace', '', true);
