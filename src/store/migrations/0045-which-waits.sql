-- What waits of one agent or account, and what expires first. The wall between workspaces lets no index over an expression be
-- used, hence a column.
alter table approvals add column agent_id text generated always as (cause ->> 'agentId') stored;
create index approvals_agent on approvals (workspace_id, agent_id, status, id) where agent_id is not null;
create index approvals_expiring on approvals (workspace_id, expires_at, id) where status = 'pending';
drop index approvals_account;
create index approvals_account on approvals (workspace_id, account_id, status, id);
