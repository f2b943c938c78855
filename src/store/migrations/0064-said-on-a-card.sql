-- Comments of an account within the hour; a card has several names, by which it is told in the path.
create index if not exists effects_said on effects (workspace_id, account_id, intended_at)
  where path ~ '^/1/cards/[^/]+/actions/comments/*$';
drop index if exists effects_comments;
