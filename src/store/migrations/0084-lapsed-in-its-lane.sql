-- As before, but an execution that is taken over before anybody collected it has lapsed, too.
create or replace function take_run(workspace text, wanted text, taker text, lasting interval) returns setof runs
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  lane_ text;
  turn text := wanted;
begin
  select r.lane into lane_ from runs r join workspaces w on w.workspace_id = r.workspace_id
    where r.workspace_id = workspace and r.id = wanted and r.status || '' in ('queued', 'running') and w.stopped_at is null;
  if not found then return; end if;
  if lane_ is not null then
    perform pg_advisory_xact_lock(lane_lock(workspace, lane_));
    -- One that has begun goes first, also when one that comes before it was stored later.
    select r.id into turn from runs r
      where r.workspace_id = workspace and r.lane = lane_ and r.attempts > 0 and r.finished_at is null
      order by r.lane_order, r.id limit 1;
    if not found then
      select r.id into turn from runs r
        where r.workspace_id = workspace and r.lane = lane_ and r.status in ('queued', 'running', 'waiting_approval')
        order by r.lane_order, r.id limit 1;
    end if;
  end if;
  return query
    update runs r set lease_owner = taker, lease_until = clock_timestamp() + lasting, status = 'running',
      attempts = r.attempts + 1, lapses = r.lapses + (r.lease_owner is not null)::integer
    where r.workspace_id = workspace and r.id = turn and r.status || '' in ('queued', 'running')
      and (r.lease_owner is null or r.lease_until < clock_timestamp())
    returning r.*;
end $$;
