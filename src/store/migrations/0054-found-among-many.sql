-- A run for an end user looks for that user's account, among those of all the others.
create index if not exists accounts_end_user on accounts (workspace_id, end_user_id, id);
-- Which triggers are broken is asked with each look at the overview: those with a broken watch, and those whose account is lost.
create index if not exists watches_broken on watches (workspace_id, id) where state = 'broken';
create index if not exists accounts_not_connected on accounts (workspace_id, state, id) where state <> 'connected';
