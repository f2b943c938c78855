-- How many executions of a run never came to an end, because their process died: these are not among its eight tries.
alter table runs add column if not exists lapses integer not null default 0;
