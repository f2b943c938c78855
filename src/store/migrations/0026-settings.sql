alter table workspaces
  add column keep_file_days integer not null default 7 check (keep_file_days between 1 and 90),
  -- How often agents may send without asking.
  add column sends_per_run integer not null default 5 check (sends_per_run between 0 and 1000),
  add column sends_per_hour integer not null default 30 check (sends_per_hour between 0 and 10000),
  -- Whether an agent that has read something else asks before it answers the mail that started it.
  add column strict_sends boolean not null default false,
  -- Whom agents' models are asked of, instead of whom the operator chose.
  add column model json,
  -- Sealed.
  add column model_key bytea;
-- To whom agents may write from this account without asking: addresses, and *@ with a domain.
alter table accounts add column allowed_recipients text[] not null default '{}';
