-- How often each service was asked lately, for all processes. Losing this in a crash only forgets the last window.
create unlogged table paces (
  bucket text primary key,
  -- When calls were let through, and how many each time; calls close together share an entry.
  at timestamptz[] not null default '{}',
  n integer[] not null default '{}',
  blocked_until timestamptz
);
alter table paces enable row level security;
alter table paces force row level security;
create policy house on paces using (current_setting('app.workspace', true) = '*');

-- Lets through up to `wanted` calls, as many as every bucket has room for. No window of the given length, wherever it
-- begins, ever holds more than its limit.
create function pace_take(
  buckets text[], limits integer[], windows double precision[], reserve double precision, wanted integer,
  out granted integer, out wait_ms double precision, out remaining integer
) language plpgsql as $$
declare
  now_ timestamptz;
  row_ paces;
  used integer;
  room integer;
  oldest timestamptz;
begin
  granted := wanted;
  wait_ms := 0;
  remaining := null;
  -- In one order everywhere, so that two takers never wait for each other.
  insert into paces (bucket) select unnest(buckets) order by 1 on conflict do nothing;
  perform 1 from paces where bucket = any(buckets) order by bucket for update;
  now_ := clock_timestamp();
  for i in 1 .. cardinality(buckets) loop
    select * into row_ from paces where bucket = buckets[i];
    select coalesce(sum(e.n), 0), min(e.at) into used, oldest from unnest(row_.at, row_.n) e (at, n)
      where e.at > now_ - make_interval(secs => windows[i]);
    room := limits[i] - ceil(limits[i] * reserve)::integer - used;
    if row_.blocked_until > now_ then
      room := 0;
      wait_ms := greatest(wait_ms, extract(epoch from row_.blocked_until - now_) * 1000);
    elsif room <= 0 then
      wait_ms := greatest(wait_ms,
        extract(epoch from coalesce(oldest, now_) + make_interval(secs => windows[i]) - now_) * 1000);
    end if;
    granted := least(granted, greatest(room, 0));
    remaining := least(remaining, greatest(room, 0));
  end loop;
  if granted > 0 then
    for i in 1 .. cardinality(buckets) loop
      update paces p set
        at = case when merged then kept_at[: cardinality(kept_at) - 1] || now_ else kept_at || now_ end,
        n = case when merged then kept_n[: cardinality(kept_n) - 1] || (kept_n[cardinality(kept_n)] + granted)
          else kept_n || granted end
      from (
        select kept_at, kept_n, coalesce(
          kept_at[cardinality(kept_at)] > now_ - make_interval(secs => windows[i] / 100), false) as merged
        from (
          select coalesce(array_agg(e.at order by e.o), '{}') as kept_at, coalesce(array_agg(e.n order by e.o), '{}') as kept_n
          from paces q, unnest(q.at, q.n) with ordinality e (at, n, o)
          where q.bucket = buckets[i] and e.at > now_ - make_interval(secs => windows[i])
        ) kept
      ) merged_
      where p.bucket = buckets[i];
    end loop;
    remaining := remaining - granted;
  end if;
end $$;

-- Calls under way, where a service counts how many there are at once.
create unlogged table call_slots (
  bucket text not null,
  slot integer not null,
  holder text not null,
  until timestamptz not null,
  primary key (bucket, slot)
);
alter table call_slots enable row level security;
alter table call_slots force row level security;
create policy house on call_slots using (current_setting('app.workspace', true) = '*');
