-- What stands in the way although a resource is watched, such as that a board is closed.
alter table watches add column if not exists hindrance text;
