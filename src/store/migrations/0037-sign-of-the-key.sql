-- A word sealed at the first start: whoever comes with another key is told so, also while nothing else is sealed yet.
alter table house add column sign bytea;
