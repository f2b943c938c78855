-- What 0004 and 0018 say of the rows of their time, which row-level security hid from them wherever it binds the owner of
-- the tables.
select set_config('app.workspace', '*', true);
update accounts set granted_ever = permission_types where granted_ever = '{}' and permission_types <> '{}';
update watches w set needless = true
where not w.needless
  and not exists (select from trigger_watches l where l.workspace_id = w.workspace_id and l.watch_id = w.id);
select set_config('app.workspace', '', true);
