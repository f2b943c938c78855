-- From this moment nobody comes in; its accounts leave, then all that is kept of it goes, and the row itself last.
alter table workspaces add column if not exists deleted_at timestamptz;
create index if not exists deleted_workspaces on workspaces (deleted_at) where deleted_at is not null;
