-- Whoever mends an agent or its tool means what waits for its turn, too, such as behind an emergency stop: a run begins with
-- the versions that are in force by then, and keeps them.
create or replace function begin_as_of_now() returns trigger language plpgsql as $$
declare
  newest integer;
begin
  select a.version into newest from agents a where a.workspace_id = new.workspace_id and a.id = new.agent_id;
  if not found then return new; end if;
  if newest <> new.agent_version then
    new.agent_version := newest;
    select v.definition #>> '{runner,toolId}' into new.tool_id from agent_versions v
      where v.workspace_id = new.workspace_id and v.agent_id = new.agent_id and v.version = newest;
  end if;
  select t.version into new.tool_version from tools t where t.workspace_id = new.workspace_id and t.id = new.tool_id;
  return new;
end $$;

create or replace trigger runs_begin before update of attempts on runs for each row
when (old.attempts = 0 and new.attempts = 1 and new.agent_id is not null)
execute function begin_as_of_now();
