-- Events are counted by outcome without reading them.
create index events_counted on events (workspace_id, id) include (outcome);
drop index events_workspace_id_id_idx;
