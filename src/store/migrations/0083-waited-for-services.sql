-- How often in a row a run was put off because a service was away, and for how long in all: an outage ends it only when it was
-- tried often enough and waited long enough.
alter table runs add column if not exists tries integer not null default 0;
alter table runs add column if not exists waited_ms integer not null default 0;
