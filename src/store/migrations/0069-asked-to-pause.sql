-- How often somebody asked for a pause: whoever lets a trigger go on meanwhile learns that it is to stay paused.
alter table triggers add column if not exists pauses integer not null default 0;
