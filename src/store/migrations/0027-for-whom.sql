-- For which agent of another platform a tool was called, and for which end user a step ran.
alter table runs
  add column for_agent text,
  add column end_user_id text;
create index runs_for_agent on runs (workspace_id, for_agent, id) where for_agent is not null;
