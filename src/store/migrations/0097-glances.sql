-- When a service that could not tell of something is looked through for that alone, and when that was done last. The version
-- before looks through everything then, as next_look_at tells it.
alter table watches add column if not exists glance_at timestamptz;
alter table watches add column if not exists glanced_at timestamptz;
create index if not exists watches_to_glance on watches (glance_at) where glance_at is not null;
