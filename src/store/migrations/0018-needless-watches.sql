-- Watches that may have lost their last trigger, so that they are found without looking through all the others.
alter table watches add column needless boolean not null default false;
create index watches_needless on watches (id) where needless;
update watches w set needless = true
where not exists (select from trigger_watches l where l.workspace_id = w.workspace_id and l.watch_id = w.id);

create function mark_needless() returns trigger language plpgsql as $$
begin
  update watches w set needless = true from gone g
  where w.workspace_id = g.workspace_id and w.id = g.watch_id and not w.needless;
  return null;
end $$;
create trigger mark_needless after delete on trigger_watches referencing old table as gone
  for each statement execute function mark_needless();
