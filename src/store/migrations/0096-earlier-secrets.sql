-- What signed before the secret before: the version before signs with that one alone, and takes what is kept there for one.
alter table webhooks add column if not exists earlier_secrets bytea;
alter table agents add column if not exists hook_earlier_secrets bytea;
