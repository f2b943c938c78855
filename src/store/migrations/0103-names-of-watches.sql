-- What people call what is watched, such as a board, where the service told it. The version before neither writes nor reads it.
alter table watches add column if not exists name text;
