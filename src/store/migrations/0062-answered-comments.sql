-- Comments that agents wrote on a card within the hour, to be counted before they write another.
create index if not exists effects_comments on effects (workspace_id, account_id, path, intended_at) where path like '%/actions/comments';
