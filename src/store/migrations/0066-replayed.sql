-- What failed and was replayed since is done with: it is the replay that is tried again, and whoever meets the occurrence
-- once more, by a look or by a try that was under way, starts nobody a second time.
alter table events add column if not exists replayed_at timestamptz;

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
        -- By what was made alone: while few rows are stored, the planner would take any index that begins with the workspace.
        select from effects f where f.upstream_id = t.id and (f.workspace_id = g.workspace_id) is true
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
    where e.outcome = 'failed' and e.replayed_at is null
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
