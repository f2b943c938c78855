-- Which triggers wait for what was seen at a watch and nobody here asked for, and when that happened last; '' is any of it.
alter table watches add column if not exists other_kinds jsonb not null default '{}';
