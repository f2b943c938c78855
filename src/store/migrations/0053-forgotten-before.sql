-- Of what happened before it is not known whether it has started something: history was kept for fewer days then.
alter table workspaces add column if not exists forgotten_before timestamptz;
