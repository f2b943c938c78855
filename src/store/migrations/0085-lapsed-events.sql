-- How often in a row judging an event again never came to an end, because its process died: these are not among its eight tries.
alter table events add column if not exists lapses integer not null default 0;
