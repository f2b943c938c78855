-- A run that has ended.
create type finishing as (
  id text, workspace_id text, lane text, status text, output json, warnings json, error json, journal json,
  finished_at timestamptz
);

-- As before, but what is given is read once.
create or replace function finish_runs(ended json, taker text, room integer, lasting interval)
returns table (run_id text, next_workspace text, next_id text, next_taken boolean) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
declare
  given finishing[] := array(select e from json_populate_recordset(null::finishing, ended) e);
  done text[];
begin
  perform pg_advisory_xact_lock(lock) from (
    select distinct lane_lock(x.workspace_id, x.lane) as lock from unnest(given) x where x.lane is not null order by 1
  ) locks;
  select array_agg(held.id) into done from (
    select r.id, r.lease_owner, r.status from runs r where r.id = any(array(select x.id from unnest(given) x))
    order by r.id for update
  ) held where held.lease_owner = taker and held.status = 'running';
  if done is null then return; end if;
  update runs r set status = x.status, output = x.output, warnings = x.warnings, error = x.error, journal = x.journal,
    finished_at = x.finished_at, lease_owner = null, lease_until = null
  from unnest(given) x
  where r.workspace_id = x.workspace_id and r.id = x.id and x.id = any(done);
  return query
  with successors as (
    select x.id as of_run, n.id, row_number() over (order by n.id) <= room and not n.stopped as now_
    from unnest(given) x
      join lateral (
        select r.id, w.stopped_at is not null as stopped from runs r
          join workspaces w on w.workspace_id = r.workspace_id
        where r.workspace_id = x.workspace_id and r.lane = x.lane
          and r.status in ('queued', 'running', 'waiting_approval')
        order by r.lane_order, r.id limit 1
      ) n on true
    where x.id = any(done)
  ), called as (
    update runs r set
      status = case when s.now_ then 'running' else r.status end,
      attempts = r.attempts + s.now_::integer,
      lease_owner = case when s.now_ then taker end,
      lease_until = clock_timestamp() + case when s.now_ then lasting else 3 * lasting end
    from successors s
    where r.id = s.id and r.status = 'queued' and r.lease_owner is null
    returning s.of_run, r.workspace_id, r.id, s.now_
  )
  select d.id, c.workspace_id, c.id, c.now_ from unnest(done) d (id) left join called c on c.of_run = d.id;
end $$;
