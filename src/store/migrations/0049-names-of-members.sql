-- People are shared between workspaces, but what one calls somebody is not for the next to read. Empty where a process of
-- an earlier version added the member.
alter table members add column name text;
select set_config('app.workspace', '*', true);
update members set name = people.name from people where people.id = members.person_id;
select set_config('app.workspace', '', true);
