-- An event that comes alone, as most do: new, fired, judged by what still holds, and its run has got as far as its first
-- write. Nothing is stored, and false answered, if any of this is not so. Starting the statements for many costs five times
-- what storing one takes. It is asked on connections that are set up for planned statements; a trigger that is gone shows in
-- the roster of its watch, or its agent is gone, too.
create function settle_one(told json, taker text, lasting interval, out stored boolean, out taken boolean,
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
    lane_order, status, started_by, input, may_send, attempts, created_at, lease_owner, lease_until)
  values (g.run_id, g.workspace_id, g.agent_id, g.agent_version, g.tool_id, g.tool_version, g.id, g.trigger_id, g.lane,
    g.upstream_order, case when taken then 'running' else 'queued' end, g.started_by, g.input, g.may_send,
    taken::integer, g.created_at, case when taken then taker end, case when taken then intended_at + lasting end);
  if taken then
    insert into effects (id, workspace_id, run_id, ordinal, account_id, effect, method, path, request, digest, state,
      intended_at)
    values (g.effect_id, g.workspace_id, g.run_id, g.ordinal, g.effect_account, g.effect, g.method, g.path,
      g.request::json, g.digest, 'intended', intended_at);
  end if;
end $$;
