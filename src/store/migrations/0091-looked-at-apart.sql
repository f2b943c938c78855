-- How often in a row looking at a watch never came to an end, because its process died, and until when what is met there is
-- therefore judged one by one.
alter table watches add column if not exists lapses integer not null default 0;
alter table watches add column if not exists apart_until timestamptz;
