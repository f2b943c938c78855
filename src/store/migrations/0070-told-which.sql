-- When a trigger on all boards or workspaces was last told which there are: of one that is new, what happened since then is looked for.
select set_config('app.workspace', '*', true);
alter table triggers add column if not exists told_at timestamptz not null default clock_timestamp();
-- Until now it was not kept; for so long back the version before has looked.
update triggers set told_at = least(told_at, resync_at) - interval '65 min' where resync_at is not null;
select set_config('app.workspace', '', true);
