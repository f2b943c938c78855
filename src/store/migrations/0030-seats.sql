-- Whether a run under way has one of the places of its agent, where that may not do everything at once.
alter table runs add column seated boolean not null default false;
