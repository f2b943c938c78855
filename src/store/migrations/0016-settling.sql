-- Rows are few beside all there are and always found by their keys. Plans are kept from when the tables were empty, when
-- every way looks as good; so each way but the right one is closed, or left without an order that it could offer.
create or replace function start_runs(given json, taker text, room integer, lasting interval)
returns table (run_id text, version integer, taken boolean, ready boolean) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
begin
  -- In one order everywhere, so that two processes never wait for each other.
  perform pg_advisory_xact_lock(lock) from (
    select distinct lane_lock(x.workspace_id, x.lane) as lock from json_populate_recordset(null::runs, given) x
    where x.lane is not null order by 1
  ) locks;
  return query
  with placed as (
    select x.*, t.version as tool_now, w.stopped_at is not null as stopped,
      x.lane is not null and (
        row_number() over (partition by x.workspace_id, x.lane order by x.lane_order collate "C", x.id) > 1
        or (
          select true from runs r where r.workspace_id = x.workspace_id and r.lane = x.lane
            and r.status in ('queued', 'running', 'waiting_approval')
          order by r.lane_order limit 1
        ) is not null
      ) as waits
    from json_populate_recordset(null::runs, given) x
      join workspaces w on w.workspace_id = x.workspace_id
      left join tools t on t.workspace_id = x.workspace_id and t.id = x.tool_id
  ), chosen as (
    select p.*, not p.waits and not p.stopped
      and count(*) filter (where not p.waits and not p.stopped) over (order by p.id) <= room as now_
    from placed p
  ), made as (
    insert into runs (id, workspace_id, agent_id, agent_version, tool_id, tool_version, event_id, trigger_id, lane,
      lane_order, status, started_by, input, may_send, attempts, created_at, request_key, lease_owner, lease_until)
    select c.id, c.workspace_id, c.agent_id, c.agent_version, c.tool_id, c.tool_now, c.event_id, c.trigger_id, c.lane,
      c.lane_order, case when c.now_ then 'running' else 'queued' end, c.started_by, c.input, c.may_send, c.now_::integer,
      c.created_at, c.request_key, case when c.now_ then taker end,
      case
        when c.now_ then clock_timestamp() + lasting
        -- Found when the workspace goes on.
        when c.stopped and not c.waits then clock_timestamp()
        -- In case its job is lost.
        when not c.waits then clock_timestamp() + 3 * lasting
      end
    from chosen c
    returning id
  )
  select c.id, c.tool_now, c.now_, not c.waits and not c.stopped from made join chosen c using (id);
end $$;

create or replace function take_run(workspace text, wanted text, taker text, lasting interval) returns setof runs
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  lane_ text;
  turn text := wanted;
begin
  select r.lane into lane_ from runs r join workspaces w on w.workspace_id = r.workspace_id
    where r.workspace_id = workspace and r.id = wanted and r.status in ('queued', 'running') and w.stopped_at is null;
  if not found then return; end if;
  if lane_ is not null then
    perform pg_advisory_xact_lock(lane_lock(workspace, lane_));
    -- One that has begun goes first, also when one that comes before it was stored later.
    select r.id into turn from runs r
      where r.workspace_id = workspace and r.lane = lane_ and r.status in ('queued', 'running', 'waiting_approval')
      order by r.status = 'queued' and r.attempts = 0, r.lane_order, r.id limit 1;
  end if;
  return query
    update runs r set lease_owner = taker, lease_until = clock_timestamp() + lasting, status = 'running',
      attempts = r.attempts + 1
    where r.workspace_id = workspace and r.id = turn and r.status in ('queued', 'running')
      and (r.lease_owner is null or r.lease_until < clock_timestamp())
    returning r.*;
end $$;

create or replace function finish_runs(ended json, taker text, room integer, lasting interval)
returns table (run_id text, next_workspace text, next_id text, next_taken boolean) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
declare
  given text[];
  done text[];
begin
  perform pg_advisory_xact_lock(lock) from (
    select distinct lane_lock(x.workspace_id, x.lane) as lock from json_populate_recordset(null::runs, ended) x
    where x.lane is not null order by 1
  ) locks;
  select array_agg(x.id) into given from json_populate_recordset(null::runs, ended) x;
  select array_agg(held.id) into done from (
    select r.id, r.lease_owner, r.status from runs r where r.id = any(given) order by r.id for update
  ) held where held.lease_owner = taker and held.status = 'running';
  if done is null then return; end if;
  update runs r set status = x.status, output = x.output, warnings = x.warnings, error = x.error, journal = x.journal,
    finished_at = x.finished_at, lease_owner = null, lease_until = null
  from json_populate_recordset(null::runs, ended) x
  where r.workspace_id = x.workspace_id and r.id = x.id and x.id = any(done);
  return query
  with successors as (
    select x.id as of_run, n.id, row_number() over (order by n.id) <= room and not n.stopped as now_
    from json_populate_recordset(null::runs, ended) x
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

-- What it finds, the index on workspace and upstream id finds, too; which of the two is taken was left to chance.
drop index effects_workspace_id_account_id_upstream_id_idx;

-- Stores events with the runs they start. An event whose `account_seen` is given was judged by what was remembered of
-- its watch, account and agent. It is stored only if all of these are still the same and no write of ours may have
-- caused it; otherwise it is answered as open and nothing is stored of it.
--
-- An occurrence that was judged before stays as it is, unless judging had failed. Of those, only what changes from then on
-- counts: tries are counted, and after the last one it rests.
create function settle_events(
  given json, begun json, taker text, room integer, lasting interval, retry_ms float, most_tries integer,
  longest_ms float
) returns table (place integer, event_id text, run_id text, version integer, taken boolean, ready boolean)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  open_ integer[];
  ids text[];
  runs_ text[];
  again boolean;
  starting json := begun;
begin
  select coalesce(array_agg(g.place), '{}') into open_
  from json_to_recordset(given) as g (place integer, workspace_id text, watch_id text, account_id text, agent_id text,
    occurred_at timestamptz, roster integer, account_seen text, agent_version integer, traces text[], suspect boolean)
  -- Each is looked up by its key: the limits keep the planner from reading whole tables into memory for it.
  where g.account_seen is not null and (
    (
      select true from watches w join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
      where w.workspace_id = g.workspace_id and w.id = g.watch_id and w.roster = g.roster
        and a.xmin = g.account_seen::xid limit 1
    ) is null
    or (g.agent_version is not null and (
      select true from agents n where n.workspace_id = g.workspace_id and n.id = g.agent_id
        and n.version = g.agent_version and n.state = 'enabled' limit 1
    ) is null)
    or (
      select true from effects f where f.workspace_id = g.workspace_id and f.upstream_id = any(g.traces)
        and f.intended_at > g.occurred_at - interval '10 min' and f.intended_at < g.occurred_at + interval '1 min' limit 1
    )
    or (g.suspect and (
      select true from effects f
      where f.workspace_id = g.workspace_id and f.account_id = g.account_id and f.state = 'intended' limit 1
    ))
  );
  with written as (
    insert into events as e (id, workspace_id, trigger_id, watch_id, key, upstream_id, outcome, clause, reason, retry,
      next_try_at, occurred_at, received_at, delivery, run_id, subject, upstream_order, summary, actor, data, occurrence)
    select g.id, g.workspace_id, g.trigger_id, g.watch_id, g.key, g.upstream_id, g.outcome, g.clause, g.reason,
      case when g.outcome = 'failed' then 'retrying' end,
      case when g.outcome = 'failed' then clock_timestamp() + greatest(g.wait_ms, retry_ms) * interval '1 ms' end,
      g.occurred_at, g.received_at, g.delivery, g.run_id, g.subject, g.upstream_order, g.summary, g.actor, g.data,
      g.occurrence
    from json_to_recordset(given) as g (place integer, id text, workspace_id text, trigger_id text, watch_id text,
      key text, upstream_id text, outcome text, clause text, reason text, wait_ms float, occurred_at timestamptz,
      received_at timestamptz, delivery text, run_id text, subject text, upstream_order text, summary text, actor json,
      data json, occurrence json)
    where g.place <> all(open_)
      -- A trigger that was deleted meanwhile has no more events.
      and (select true from triggers t where t.workspace_id = g.workspace_id and t.id = g.trigger_id limit 1)
    order by g.trigger_id, g.key
    on conflict (trigger_id, key) do update set
      outcome = excluded.outcome, clause = excluded.clause, reason = excluded.reason,
      retry = case when excluded.outcome = 'failed'
        then case when e.attempts + 1 >= most_tries then 'dead' else 'retrying' end end,
      attempts = e.attempts + 1,
      next_try_at = case when excluded.outcome = 'failed' and e.attempts + 1 < most_tries
        then clock_timestamp() + least(retry_ms * 2 ^ e.attempts, longest_ms) * interval '1 ms' end,
      run_id = excluded.run_id, summary = excluded.summary, actor = excluded.actor, data = excluded.data,
      occurrence = excluded.occurrence
    where e.outcome = 'failed'
    returning e.id, e.run_id, e.attempts
  )
  select array_agg(id), array_agg(run_id), bool_or(attempts > 1) into ids, runs_, again
  from written where run_id is not null;

  return query select o, null::text, null::text, null::integer, null::boolean, null::boolean from unnest(open_) o;
  if ids is null then return; end if;
  if cardinality(ids) < json_array_length(begun) then
    select json_agg(b) into starting from json_array_elements(begun) b where b ->> 'id' = any(runs_);
  end if;
  return query
  select null::integer, w.event, s.run_id, s.version, s.taken, s.ready
  from start_runs(starting, taker, room, lasting) s join unnest(ids, runs_) w (event, run) on w.run = s.run_id;
  -- One that is judged again keeps the id it was given at first.
  if again then
    update runs r set event_id = w.event from unnest(ids, runs_) w (event, run)
    where r.id = w.run and r.event_id <> w.event;
  end if;
end $$;
