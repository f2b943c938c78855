-- Who asked that a run under way be cancelled. Whoever carries it out stops before its next write or turn.
alter table runs add column cancel_asked json, add column retry_of text;
create index runs_retries on runs (workspace_id, retry_of) where retry_of is not null;
