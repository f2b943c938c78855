-- Whoever changes what somebody else has changed meanwhile is told.
alter table triggers add column if not exists version integer not null default 1;
