-- For which end user of an embedding platform a trigger started a run: the one whose account it watches.
alter type starting add attribute end_user_id text;
alter type settling add attribute end_user_id text;
create index runs_end_user on runs (workspace_id, end_user_id, id) where end_user_id is not null;

create or replace function start_runs(given starting[], taker text, room integer, lasting interval)
returns table (run_id text, version integer, taken boolean, ready boolean) language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  -- In one order everywhere, so that two processes never wait for each other.
  perform pg_advisory_xact_lock(lock) from (
    select distinct lane_lock(x.workspace_id, x.lane) as lock from unnest(given) x where x.lane is not null order by 1
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
    from unnest(given) x
      join workspaces w on w.workspace_id = x.workspace_id
      left join tools t on t.workspace_id = x.workspace_id and t.id = x.tool_id
  ), chosen as (
    select p.*, not p.waits and not p.stopped
      and count(*) filter (where not p.waits and not p.stopped) over (order by p.id) <= room as now_
    from placed p
  ), made as (
    insert into runs (id, workspace_id, agent_id, agent_version, tool_id, tool_version, event_id, trigger_id, lane,
      lane_order, status, started_by, input, may_send, attempts, created_at, request_key, end_user_id, lease_owner,
      lease_until)
    select c.id, c.workspace_id, c.agent_id, c.agent_version, c.tool_id, c.tool_now, c.event_id, c.trigger_id, c.lane,
      c.lane_order, case when c.now_ then 'running' else 'queued' end, c.started_by, c.input, c.may_send, c.now_::integer,
      c.created_at, c.request_key, c.end_user_id, case when c.now_ then taker end,
      case
        when c.now_ then clock_timestamp() + lasting
        -- Found when the workspace goes on.
        when c.stopped and not c.waits then clock_timestamp()
        -- In case its job is lost.
        when not c.waits then clock_timestamp() + 3 * lasting
      end
    from chosen c
  )
  select c.id, c.tool_now, c.now_, not c.waits and not c.stopped from chosen c;
end $$;

create or replace function settle_events(
  told json, taker text, room integer, lasting interval, retry_ms float, most_tries integer, longest_ms float
) returns table (
  place integer, event_id text, run_id text, version integer, taken boolean, ready boolean, intended_at timestamptz
)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  given settling[] := array(select t from json_populate_recordset(null::settling, told) t);
  open_ integer[];
  ids text[];
  runs_ text[];
begin
  select coalesce(array_agg(g.place), '{}') into open_
  from unnest(given) g
  -- Each is looked up by its key: the limits keep the planner from reading whole tables into memory for it.
  where g.account_seen is not null and (
    (
      select true from watches w join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
      where w.workspace_id = g.workspace_id and w.id = g.watch_id and w.roster = g.roster
        and a.xmin = g.account_seen::xid limit 1
    ) is null
    or (g.run_id is not null and (
      select true from agents n where n.workspace_id = g.workspace_id and n.id = g.agent_id
        and n.version = g.agent_version and n.state = 'enabled' limit 1
    ) is null)
    or (
      select true from unnest(g.traces) t (id), lateral (
        select from effects f where f.workspace_id = g.workspace_id and f.upstream_id = t.id
          and f.intended_at > g.occurred_at - interval '10 min' and f.intended_at < g.occurred_at + interval '1 min'
        limit 1
      ) ours limit 1
    )
    or (g.suspect and (
      select true from effects f
      -- Under way, or one of those that the service names nothing for.
      where f.workspace_id = g.workspace_id and f.account_id = g.account_id and f.upstream_id is null
        and f.state <> 'not_sent' and f.intended_at > g.occurred_at - interval '10 min' limit 1
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
    from unnest(given) g
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
    returning e.id, e.run_id
  )
  select array_agg(id), array_agg(run_id) into ids, runs_ from written where run_id is not null;

  return query
  select o, null::text, null::text, null::integer, null::boolean, null::boolean, null::timestamptz from unnest(open_) o;
  if ids is null then return; end if;
  return query
  with started as materialized (
    select * from start_runs(
      array(
        -- One that is judged again keeps the id it was given at first.
        select row(g.run_id, g.workspace_id, g.agent_id, g.agent_version, g.tool_id, w.event, g.trigger_id, g.lane,
          g.upstream_order, g.started_by, g.input, g.may_send, g.created_at, null, g.end_user_id)::starting
        from unnest(given) g join unnest(ids, runs_) w (event, run) on w.run = g.run_id
      ),
      taker, room, lasting
    )
  ), intended as (
    insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state,
      intended_at)
    select g.effect_id, g.workspace_id, g.run_id, g.ordinal, g.effect_account, g.effect, g.method, g.path, g.request::json,
      g.digest, 'intended', clock_timestamp()
    from unnest(given) g join started s on s.run_id = g.run_id
    where s.taken and g.effect_id is not null and g.tool_version = s.version and g.id = any(ids)
    returning run_id, intended_at
  )
  select null::integer, w.event, s.run_id, s.version, s.taken, s.ready, i.intended_at
  from started s join unnest(ids, runs_) w (event, run) on w.run = s.run_id
    left join intended i on i.run_id = s.run_id;
end $$;

create or replace function settle_one(told json, taker text, lasting interval, out stored boolean, out taken boolean,
  out intended_at timestamptz)
language plpgsql
as $$
#variable_conflict use_column
declare
  g settling := json_populate_record(null::settling, told);
begin
  stored := false;
  taken := false;
  if g.effect_id is null or g.suspect then return; end if;
  perform from watches w
    join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
    join agents n on n.workspace_id = w.workspace_id and n.id = g.agent_id
    join tools l on l.workspace_id = w.workspace_id and l.id = g.tool_id
    join workspaces s on s.workspace_id = w.workspace_id
  where w.workspace_id = g.workspace_id and w.id = g.watch_id and w.roster = g.roster
    and a.xmin = g.account_seen::xid and n.version = g.agent_version and n.state = 'enabled'
    and l.version = g.tool_version and s.stopped_at is null
  limit 1;
  if not found then return; end if;
  if cardinality(g.traces) > 0 then
    perform from effects f where f.workspace_id = g.workspace_id and f.upstream_id = any(g.traces)
      and f.intended_at > g.occurred_at - interval '10 min' and f.intended_at < g.occurred_at + interval '1 min' limit 1;
    if found then return; end if;
  end if;
  insert into events (id, workspace_id, trigger_id, watch_id, key, upstream_id, outcome, occurred_at, received_at,
    delivery, run_id, subject, upstream_order, summary, actor, data, occurrence)
  values (g.id, g.workspace_id, g.trigger_id, g.watch_id, g.key, g.upstream_id, g.outcome, g.occurred_at, g.received_at,
    g.delivery, g.run_id, g.subject, g.upstream_order, g.summary, g.actor, g.data, g.occurrence)
  on conflict (trigger_id, key) do nothing;
  if not found then return; end if;
  stored := true;
  taken := true;
  if g.lane is not null then
    perform pg_advisory_xact_lock(lane_lock(g.workspace_id, g.lane));
    perform from runs r where r.workspace_id = g.workspace_id and r.lane = g.lane
      and r.status in ('queued', 'running', 'waiting_approval')
    -- As the lane's own index has them: the planner takes no other for it.
    order by r.lane_order limit 1;
    taken := not found;
  end if;
  intended_at := clock_timestamp();
  insert into runs (id, workspace_id, agent_id, agent_version, tool_id, tool_version, event_id, trigger_id, lane,
    lane_order, status, started_by, input, may_send, attempts, created_at, end_user_id, lease_owner,
    lease_until)
  values (g.run_id, g.workspace_id, g.agent_id, g.agent_version, g.tool_id, g.tool_version, g.id, g.trigger_id, g.lane,
    g.upstream_order, case when taken then 'running' else 'queued' end, g.started_by, g.input, g.may_send,
    taken::integer, g.created_at, g.end_user_id, case when taken then taker end,
    case when taken then intended_at + lasting end);
  if taken then
    insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state,
      intended_at)
    values (g.effect_id, g.workspace_id, g.run_id, g.ordinal, g.effect_account, g.effect, g.method, g.path,
      g.request::json, g.digest, 'intended', intended_at);
  end if;
end $$;
