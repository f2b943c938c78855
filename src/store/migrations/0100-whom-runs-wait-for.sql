-- Which service a run that was put off waits for, and why.
alter table runs add column if not exists waits_for json;
