-- Which database this is. A backup that is brought back somewhere else finds itself changed.
create table house (
  id boolean primary key default true check (id),
  identity text not null,
  restored_at timestamptz
);
alter table house enable row level security;
alter table house force row level security;
create policy house_alone on house using (current_setting('app.workspace', true) = '*');
