-- A run that is stored when it ends, in one go, brings its journal along in its own row: one row instead of four.
alter table runs add column journal json;
-- The same as the unique constraint's.
drop index runs_workspace_id_id_idx;
