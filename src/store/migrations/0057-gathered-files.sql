-- What a run was given by address or as text is stored once: a run that is resumed finds what it had before.
alter table files add column if not exists gathered_for text;
create unique index if not exists files_gathered on files (workspace_id, gathered_for) where gathered_for is not null;
