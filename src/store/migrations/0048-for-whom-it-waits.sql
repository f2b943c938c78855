-- What waits of one end user, and what was decided: as in 0045, a column that an index can hold.
alter table approvals add column end_user_id text generated always as (cause ->> 'endUserId') stored;
create index approvals_end_user on approvals (workspace_id, end_user_id, status, id) where end_user_id is not null;
