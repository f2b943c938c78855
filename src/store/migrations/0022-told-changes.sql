-- What may be kept in memory is told of here when it changes, so that every process hears of it by one small question.
create table changes (
  -- A process asks for all that the transactions since its last question told, so none that commits late is missed.
  told_by xid8 not null default pg_current_xact_id(),
  told_at timestamptz not null default clock_timestamp(),
  what text not null
);
create index on changes (told_by);
create index on changes (told_at);
alter table changes enable row level security;
alter table changes force row level security;
create policy house on changes using (current_setting('app.workspace', true) = '*');
-- Whoever changes something tells of it; names alone.
create policy everyone_tells on changes for insert with check (true);

create function tell_change() returns trigger language plpgsql as $$
begin
  insert into changes (what) values (tg_argv[0] || ' ' || (to_jsonb(old) ->> tg_argv[1]));
  return null;
end $$;

create trigger told after delete or update of name, identity, identity_id, state, reason, auth_method, permission_types,
  scopes, end_user_id, credential, version on accounts
  for each row execute function tell_change('account', 'id');
create trigger told after delete or update of stopped_at on workspaces
  for each row execute function tell_change('workspace', 'workspace_id');
create trigger told after delete or update of name, hash, scopes, per_second, burst, expires_at, revoked_at on api_keys
  for each row execute function tell_change('key', 'id');
