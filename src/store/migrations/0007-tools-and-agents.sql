create table tools (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  name text not null,
  version integer not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (workspace_id, id)
);
select wall('tools');

-- Never changed and never deleted: a run goes on with the version it began with, whatever became of the tool.
create table tool_versions (
  workspace_id text not null references workspaces on delete cascade,
  tool_id text not null,
  version integer not null,
  definition json not null,
  made_by json not null,
  created_at timestamptz not null,
  primary key (workspace_id, tool_id, version)
);
select wall('tool_versions');

create table agents (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  name text not null,
  state text not null check (state in ('enabled', 'paused')),
  version integer not null,
  -- The tools of the present version, which therefore cannot be deleted.
  tool_ids text[] not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (workspace_id, id)
);
select wall('agents');

create table agent_versions (
  workspace_id text not null references workspaces on delete cascade,
  agent_id text not null,
  version integer not null,
  definition json not null,
  made_by json not null,
  created_at timestamptz not null,
  primary key (workspace_id, agent_id, version)
);
select wall('agent_versions');

-- A run is of a step with its account, of a tool, or of an agent. No foreign keys to the versions: they are never
-- deleted, and every run of an agent would lock the same two rows.
alter table runs
  alter column step_id drop not null,
  alter column account_id drop not null,
  add column agent_id text,
  add column agent_version integer,
  add column tool_id text,
  add column tool_version integer,
  add column event_id text,
  add column trigger_id text,
  -- Runs of one lane go one after the other, in this order.
  add column lane text,
  add column lane_order text collate "C";
create index runs_lane on runs (workspace_id, lane, lane_order)
  where lane is not null and status in ('queued', 'running', 'waiting_approval');
create index runs_agent on runs (workspace_id, agent_id, id) where agent_id is not null;
create index runs_tool on runs (workspace_id, tool_id, id) where tool_id is not null;

create function lane_lock(workspace text, lane text) returns bigint language sql immutable parallel safe
  return hashtextextended('lane ' || workspace || ' ' || lane, 0);

-- Stores runs that begin, and takes as many as there is room for. In each lane that has no open run the first may be
-- taken; the others wait until the one before them ends, and nothing looks for them meanwhile (lease_until is null).
create function start_runs(given json, taker text, room integer, lasting interval)
returns table (run_id text, version integer, taken boolean, ready boolean) language plpgsql as $$
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
        or exists (
          select from runs r where r.workspace_id = x.workspace_id and r.lane = x.lane
            and r.status in ('queued', 'running', 'waiting_approval')
        )
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

-- Takes a run that is nobody's, or the one of its lane whose turn it is.
create function take_run(workspace text, wanted text, taker text, lasting interval) returns setof runs
language plpgsql as $$
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

-- Ends runs that `taker` still holds, with the rest of their journals, and calls the next of their lanes: takes it while
-- there is room. Answers with each run that was ended and the one that comes next.
create function finish_runs(ended json, taker text, room integer, lasting interval)
returns table (run_id text, next_workspace text, next_id text, next_taken boolean) language plpgsql as $$
declare
  done text[];
begin
  perform pg_advisory_xact_lock(lock) from (
    select distinct lane_lock(x.workspace_id, x.lane) as lock from json_populate_recordset(null::runs, ended) x
    where x.lane is not null order by 1
  ) locks;
  perform 1 from runs r join json_populate_recordset(null::runs, ended) x on x.id = r.id order by r.id for update of r;
  with closed as (
    update runs r set status = x.status, output = x.output, warnings = x.warnings, error = x.error, journal = x.journal,
      finished_at = x.finished_at, lease_owner = null, lease_until = null
    from json_populate_recordset(null::runs, ended) x
    where r.workspace_id = x.workspace_id and r.id = x.id and r.lease_owner = taker and r.status = 'running'
    returning r.id
  )
  select array_agg(id) into done from closed;
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
