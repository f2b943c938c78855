-- Attachments by reference: contents stay out of journals and of what models read.
create table files (
  id text primary key,
  workspace_id text not null references workspaces on delete cascade,
  name text not null,
  content_type text not null,
  size integer not null,
  bytes bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index on files (expires_at);
select wall('files');

alter table runs add column warnings json;
