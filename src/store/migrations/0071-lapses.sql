-- How many of the tries of what arrived never came to an end, because their process died: these are not among its eight.
alter table arrivals add column if not exists lapses integer not null default 0;
