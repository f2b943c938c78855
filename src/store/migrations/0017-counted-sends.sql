-- How many sends left an account within the hour is asked before each one that nobody approves.
create index effects_sends on effects (workspace_id, account_id, intended_at) where effect = 'send';
