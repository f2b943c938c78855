-- Which account a file came from: with the account its content goes.
alter table files add column account_id text;
create index files_account on files (workspace_id, account_id) where account_id is not null;
