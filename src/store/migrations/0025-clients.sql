-- Programs that register to be let in over MCP, before anybody is known: only the house itself reads this table.
create table clients (
  id text primary key,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz not null
);
alter table clients enable row level security;
alter table clients force row level security;
create policy house on clients using (current_setting('app.workspace', true) = '*');

-- What a person is being asked, in one browser session.
create table client_requests (
  hash bytea primary key,
  session_id text not null references sessions on delete cascade,
  client_id text not null references clients on delete cascade,
  redirect_uri text not null,
  state text,
  challenge text not null,
  scopes text[] not null,
  resource text not null,
  expires_at timestamptz not null
);
create index on client_requests (expires_at);
alter table client_requests enable row level security;
alter table client_requests force row level security;
create policy house on client_requests using (current_setting('app.workspace', true) = '*');

-- What a person allowed a program. It ends with the membership.
create table client_grants (
  id text primary key,
  workspace_id text not null,
  person_id text not null,
  client_id text not null references clients on delete cascade,
  client_name text not null,
  scopes text[] not null,
  -- The one address that its tokens open.
  resource text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz,
  unique (workspace_id, id),
  foreign key (workspace_id, person_id) references members on delete cascade
);
create index on client_grants (client_id);
select wall('client_grants');

create table client_tokens (
  hash bytea primary key,
  workspace_id text not null,
  grant_id text not null,
  kind text not null check (kind in ('code', 'access', 'refresh')),
  -- Of a code: what its exchange must match.
  redirect_uri text,
  challenge text,
  expires_at timestamptz not null,
  used_at timestamptz,
  foreign key (workspace_id, grant_id) references client_grants (workspace_id, id) on delete cascade
);
create index on client_tokens (workspace_id, grant_id);
create index on client_tokens (expires_at);
select wall('client_tokens');
