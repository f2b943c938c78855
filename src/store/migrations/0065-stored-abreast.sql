-- What was made is found by the id that the service gave it, which few share, and what it has named nothing for by its account.
-- Where the workspace came first in the index, the planner, while few rows were stored, took any index that begins with it,
-- and went through all of the workspace until the table was analyzed. The statements below leave it no other.
create index if not exists effects_made on effects (upstream_id) where upstream_id is not null;
create index if not exists effects_unnamed on effects (workspace_id, account_id, intended_at)
  where upstream_id is null and state <> 'not_sent';
drop index if exists effects_workspace_id_upstream_id_idx;

-- Several events that are each as most are: new, fired, judged by what still holds, their runs got as far as their first
-- write, and each in a lane of its own. What is not so is left out, for the statement that knows all cases. Each column comes
-- as one text, taken apart by a character that none of them holds: reading a row of JSON for each cost more than storing it.
-- It is asked on connections that are set up for planned statements.
create or replace function settle_fired(
  ids text, workspaces_ text, triggers_ text, watches_ text, keys text, upstream_ids text, occurred text, received text,
  deliveries text, run_ids text, subjects text, orders text, summaries text, actors text, datas text, occurrences text, rosters text,
  seen text, traces_ text, agents_ text, agent_versions text, tools_ text, tool_versions text, lanes text, started text,
  inputs text, may_sends text, created text, end_users text, effect_ids text, effect_accounts text, ordinals text,
  effects_ text, methods text, paths text, requests text, digests text, taker text, lasting interval
) returns table (id text, taken boolean, intended_at timestamptz)
language plpgsql
as $$
#variable_conflict use_column
declare
  stored text[];
  now_ timestamptz;
begin
  with written as (
    insert into events (id, workspace_id, trigger_id, watch_id, key, upstream_id, outcome, occurred_at, received_at,
      delivery, run_id, subject, upstream_order, summary, actor, data, occurrence)
    select g.id, g.workspace_id, g.trigger_id, g.watch_id, g.key, g.upstream_id, 'fired', g.occurred_at, g.received_at,
      g.delivery, g.run_id, g.subject, g.upstream_order, g.summary, g.actor, g.data, g.occurrence
    from unnest(
      string_to_array(ids, e'\x1f'), string_to_array(workspaces_, e'\x1f'), string_to_array(triggers_, e'\x1f'),
      string_to_array(watches_, e'\x1f'), string_to_array(keys, e'\x1f'), string_to_array(upstream_ids, e'\x1f'),
      string_to_array(occurred, e'\x1f')::timestamptz[], string_to_array(received, e'\x1f')::timestamptz[],
      string_to_array(deliveries, e'\x1f'), string_to_array(run_ids, e'\x1f'), string_to_array(subjects, e'\x1f', e'\x1e'),
      string_to_array(orders, e'\x1f'), string_to_array(summaries, e'\x1f'),
      string_to_array(actors, e'\x1f', e'\x1e')::json[], string_to_array(datas, e'\x1f', e'\x1e')::json[],
      string_to_array(occurrences, e'\x1f', e'\x1e')::json[],
      string_to_array(rosters, e'\x1f')::integer[], string_to_array(seen, e'\x1f'), string_to_array(traces_, e'\x1f'),
      string_to_array(agents_, e'\x1f'), string_to_array(agent_versions, e'\x1f')::integer[],
      string_to_array(tools_, e'\x1f'), string_to_array(tool_versions, e'\x1f')::integer[]
    ) g (id, workspace_id, trigger_id, watch_id, key, upstream_id, occurred_at, received_at, delivery, run_id, subject,
      upstream_order, summary, actor, data, occurrence, roster, account_seen, traces, agent_id, agent_version, tool_id, tool_version)
    -- A trigger that is gone shows in the roster of its watch, or its agent is gone, too.
    where (
      select true from watches w
        join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
        join agents n on n.workspace_id = w.workspace_id and n.id = g.agent_id
        join tools l on l.workspace_id = w.workspace_id and l.id = g.tool_id
        join workspaces s on s.workspace_id = w.workspace_id
      where w.workspace_id = g.workspace_id and w.id = g.watch_id and w.roster = g.roster
        and a.xmin = g.account_seen::xid and n.version = g.agent_version and n.state = 'enabled'
        and l.version = g.tool_version and s.stopped_at is null
      limit 1
    ) and (
      select true from unnest(string_to_array(g.traces, e'\x1d')) t (id), lateral (
        select from effects f where f.upstream_id = t.id and (f.workspace_id = g.workspace_id) is true
          and f.intended_at > g.occurred_at - interval '10 min' and f.intended_at < g.occurred_at + interval '1 min'
        limit 1
      ) ours limit 1
    ) is null
    -- In one order everywhere, so that two processes never wait for each other; lanes after events, as ever.
    order by g.trigger_id, g.key
    on conflict (trigger_id, key) do nothing
    returning events.id
  )
  select array_agg(w.id) into stored from written w;
  if stored is null then return; end if;
  perform pg_advisory_xact_lock(lock) from (
    select distinct lane_lock(x.workspace_id, x.lane) as lock
    from unnest(string_to_array(ids, e'\x1f'), string_to_array(workspaces_, e'\x1f'),
      string_to_array(lanes, e'\x1f', e'\x1e')) x (id, workspace_id, lane)
    where x.lane is not null and x.id = any(stored) order by 1
  ) locks;
  now_ := clock_timestamp();
  return query
  with given as materialized (
    select x.*, x.lane is null or (
      select true from runs r where r.workspace_id = x.workspace_id and r.lane = x.lane
        and r.status in ('queued', 'running', 'waiting_approval')
      -- As the lane's own index has them: the planner takes no other for it.
      order by r.lane_order limit 1
    ) is null as free
    from unnest(
      string_to_array(ids, e'\x1f'), string_to_array(workspaces_, e'\x1f'), string_to_array(triggers_, e'\x1f'),
      string_to_array(run_ids, e'\x1f'), string_to_array(orders, e'\x1f'), string_to_array(agents_, e'\x1f'),
      string_to_array(agent_versions, e'\x1f')::integer[], string_to_array(tools_, e'\x1f'),
      string_to_array(tool_versions, e'\x1f')::integer[], string_to_array(lanes, e'\x1f', e'\x1e'),
      string_to_array(started, e'\x1f')::json[], string_to_array(inputs, e'\x1f')::json[],
      string_to_array(may_sends, e'\x1f')::boolean[], string_to_array(created, e'\x1f')::timestamptz[],
      string_to_array(end_users, e'\x1f', e'\x1e'), string_to_array(effect_ids, e'\x1f'),
      string_to_array(effect_accounts, e'\x1f'), string_to_array(ordinals, e'\x1f')::integer[],
      string_to_array(effects_, e'\x1f'), string_to_array(methods, e'\x1f'), string_to_array(paths, e'\x1f'),
      string_to_array(requests, e'\x1f')::json[], string_to_array(digests, e'\x1f')
    ) x (id, workspace_id, trigger_id, run_id, upstream_order, agent_id, agent_version, tool_id, tool_version, lane,
      started_by, input, may_send, created_at, end_user_id, effect_id, effect_account, ordinal, effect, method, path,
      request, digest)
    where x.id = any(stored)
  ), begun as (
    insert into runs (id, workspace_id, agent_id, agent_version, tool_id, tool_version, event_id, trigger_id, lane,
      lane_order, status, started_by, input, may_send, attempts, created_at, end_user_id, lease_owner, lease_until)
    select g.run_id, g.workspace_id, g.agent_id, g.agent_version, g.tool_id, g.tool_version, g.id, g.trigger_id, g.lane,
      g.upstream_order, case when g.free then 'running' else 'queued' end, g.started_by, g.input, g.may_send,
      g.free::integer, g.created_at, g.end_user_id, case when g.free then taker end,
      case when g.free then now_ + lasting end
    from given g
  ), intended as (
    insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state,
      intended_at)
    select g.effect_id, g.workspace_id, g.run_id, g.ordinal, g.effect_account, g.effect, g.method, g.path, g.request,
      decode(g.digest, 'hex'), 'intended', now_
    from given g where g.free
  )
  select g.id, g.free, now_ from given g;
end $$;

-- One that comes alone, given likewise: starting the statements for many costs five times what storing one takes. Nothing is
-- stored, and false answered, if it is not as most are.
create or replace function settle_alone(
  id_ text, workspace_ text, trigger_ text, watch_ text, key_ text, upstream_id_ text, occurred timestamptz,
  received timestamptz, delivery_ text, run_ text, subject_ text, order_ text, summary_ text, actor_ json, data_ json,
  occurrence_ json, roster_ integer, seen text, traces text, agent_ text, agent_version_ integer, tool_ text,
  tool_version_ integer, lane_ text, started json, input_ json, may_send_ boolean, created timestamptz, end_user text,
  effect_id text, effect_account text, ordinal_ integer, effect_ text, method_ text, path_ text, request_ json,
  digest_ text, taker text, lasting interval, out stored boolean, out taken boolean, out intended_at timestamptz
)
language plpgsql
as $$
#variable_conflict use_column
begin
  stored := false;
  taken := false;
  -- A trigger that is gone shows in the roster of its watch, or its agent is gone, too.
  perform from watches w
    join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
    join agents n on n.workspace_id = w.workspace_id and n.id = agent_
    join tools l on l.workspace_id = w.workspace_id and l.id = tool_
    join workspaces s on s.workspace_id = w.workspace_id
  where w.workspace_id = workspace_ and w.id = watch_ and w.roster = roster_
    and a.xmin = seen::xid and n.version = agent_version_ and n.state = 'enabled'
    and l.version = tool_version_ and s.stopped_at is null
  limit 1;
  if not found then return; end if;
  if traces <> '' then
    perform from unnest(string_to_array(traces, e'\x1d')) t (id), lateral (
      select from effects f where f.upstream_id = t.id and (f.workspace_id = workspace_) is true
        and f.intended_at > occurred - interval '10 min' and f.intended_at < occurred + interval '1 min'
      limit 1
    ) ours limit 1;
    if found then return; end if;
  end if;
  insert into events (id, workspace_id, trigger_id, watch_id, key, upstream_id, outcome, occurred_at, received_at,
    delivery, run_id, subject, upstream_order, summary, actor, data, occurrence)
  values (id_, workspace_, trigger_, watch_, key_, upstream_id_, 'fired', occurred, received,
    delivery_, run_, subject_, order_, summary_, actor_, data_, occurrence_)
  on conflict (trigger_id, key) do nothing;
  if not found then return; end if;
  stored := true;
  taken := true;
  if lane_ is not null then
    perform pg_advisory_xact_lock(lane_lock(workspace_, lane_));
    perform from runs r where r.workspace_id = workspace_ and r.lane = lane_
      and r.status in ('queued', 'running', 'waiting_approval')
    -- As the lane's own index has them: the planner takes no other for it.
    order by r.lane_order limit 1;
    taken := not found;
  end if;
  intended_at := clock_timestamp();
  insert into runs (id, workspace_id, agent_id, agent_version, tool_id, tool_version, event_id, trigger_id, lane,
    lane_order, status, started_by, input, may_send, attempts, created_at, end_user_id, lease_owner, lease_until)
  values (run_, workspace_, agent_, agent_version_, tool_, tool_version_, id_, trigger_, lane_,
    order_, case when taken then 'running' else 'queued' end, started, input_, may_send_, taken::integer, created,
    end_user, case when taken then taker end, case when taken then intended_at + lasting end);
  if taken then
    insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state,
      intended_at)
    values (effect_id, workspace_, run_, ordinal_, effect_account, effect_, method_, path_, request_,
      decode(digest_, 'hex'), 'intended', intended_at);
  end if;
end $$;

-- Runs that have ended, each column as one text.
create or replace function end_runs(
  ids text, workspaces_ text, statuses text, outputs text, warnings_ text, errors text, journals text,
  finished timestamptz, taker text, room integer, lasting interval
) returns table (run_id text, next_workspace text, next_id text, next_taken boolean)
language plpgsql
as $$
#variable_conflict use_column
declare
  done text[];
begin
  perform pg_advisory_xact_lock(lock) from (
    -- The rest is said so that no index fits it but the key's, here and below.
    select distinct lane_lock(r.workspace_id, r.lane) as lock from runs r
    where r.id = any(string_to_array(ids, e'\x1f')) and r.lane || '' is not null order by 1
  ) locks;
  with ended as (
    update runs r set status = x.status, output = x.output, warnings = x.warnings, error = x.error, journal = x.journal,
      finished_at = finished, lease_owner = null, lease_until = null
    from (
      -- In one order everywhere, so that two processes never wait for each other.
      select * from unnest(string_to_array(ids, e'\x1f'), string_to_array(workspaces_, e'\x1f'),
        string_to_array(statuses, e'\x1f'), string_to_array(outputs, e'\x1f', e'\x1e')::json[],
        string_to_array(warnings_, e'\x1f', e'\x1e')::json[], string_to_array(errors, e'\x1f', e'\x1e')::json[],
        string_to_array(journals, e'\x1f')::json[])
        u (id, workspace_id, status, output, warnings, error, journal)
      order by 1
    ) x
    where r.id = x.id
      and (r.workspace_id = x.workspace_id and r.lease_owner = taker and r.status = 'running') is true
    returning r.id
  )
  select array_agg(e.id) into done from ended e;
  if done is null then return; end if;
  return query
  with successors as (
    select x.id as of_run, n.id, row_number() over (order by n.id) <= room and not n.stopped as now_
    from runs x
      join lateral (
        select r.id, w.stopped_at is not null as stopped from runs r
          join workspaces w on w.workspace_id = r.workspace_id
        where r.workspace_id = x.workspace_id and r.lane = x.lane
          and r.status in ('queued', 'running', 'waiting_approval')
        order by r.lane_order, r.id limit 1
      ) n on true
    where x.id = any(done) and x.lane || '' is not null
  ), called as (
    update runs r set
      status = case when s.now_ then 'running' else r.status end,
      attempts = r.attempts + s.now_::integer,
      lease_owner = case when s.now_ then taker end,
      lease_until = clock_timestamp() + case when s.now_ then lasting else 3 * lasting end
    from successors s
    where r.id = s.id and (r.status = 'queued' and r.lease_owner is null) is true
    returning s.of_run, r.workspace_id, r.id, s.now_
  )
  select d.id, c.workspace_id, c.id, c.now_ from unnest(done) d (id) left join called c on c.of_run = d.id;
end $$;

-- Most runs are some two to four thousand letters long. Compressing them took longer than storing them.
alter table runs set (toast_tuple_target = 8160);
