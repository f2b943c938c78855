-- 0065 had been run before this index was written into it: databases of those days lack it.
create index if not exists effects_unnamed on effects (workspace_id, account_id, intended_at)
  where upstream_id is null and state <> 'not_sent';
