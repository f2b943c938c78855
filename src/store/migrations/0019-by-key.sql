-- Found by key, not by whatever else could be combined with it: while a table is believed empty, reading all rows of a
-- workspace looks as cheap as looking ten of them up.
alter function start_runs(json, text, integer, interval) set enable_bitmapscan = off;
alter function take_run(text, text, text, interval) set enable_bitmapscan = off;
alter function finish_runs(json, text, integer, interval) set enable_bitmapscan = off;

-- As before, but each trace of an occurrence is looked up by itself.
create or replace function settle_events(
  given json, begun json, taker text, room integer, lasting interval, retry_ms float, most_tries integer,
  longest_ms float
) returns table (place integer, event_id text, run_id text, version integer, taken boolean, ready boolean)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_bitmapscan = off
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
