-- Who calls often holds a part of a limit and keeps count of it by itself; what nobody holds is shared out call by call as
-- before. A part stays held for a whole window after its holder's right to it has ended, so no window ever holds more.
alter table paces add column holders text[], add column holds integer[], add column held_until timestamptz[];

-- Grants `holder_` the right to a part of each bucket for `life` seconds, or prolongs it. Half of what is free, so that
-- there is always something left for others; nothing where that is little or the service asked for a pause.
create function pace_hold(
  buckets text[], limits integer[], windows double precision[], holder_ text, life double precision
) returns table (name text, size integer)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  now_ timestamptz;
begin
  -- In one order everywhere, so that two takers never wait for each other.
  perform 1 from paces where bucket = any(buckets) order by bucket for update;
  now_ := clock_timestamp();
  return query
  with asked as (
    select bucket, lim, win, mine, others, parts, ends,
      p.passed[cardinality(p.passed)] - p.passed[width_bucket(now_ - make_interval(secs => win), p.at)] as used
    from unnest(buckets, limits, windows) a (bucket, lim, win) join paces p using (bucket),
      lateral (
        select max(h) filter (where who = holder_) as mine, array_agg(who) filter (where who <> holder_) as others,
          array_agg(h) filter (where who <> holder_) as parts, array_agg(t) filter (where who <> holder_) as ends
        from unnest(p.holders, p.holds, p.held_until) u (who, h, t) where t > now_
      ) held
    where p.blocked_until is null or p.blocked_until <= now_
  ), sized as (
    select *, coalesce(mine, least(lim, lim - used - (select coalesce(sum(h), 0) from unnest(parts) h)) / 2)::integer as size
    from asked
  )
  update paces p set holders = others || holder_, holds = parts || size,
    held_until = ends || (now_ + make_interval(secs => life + win))
  from sized where p.bucket = sized.bucket and size >= 5
  returning sized.bucket, size;
end $$;

-- Each wish is one row per bucket it needs: `wishes` numbers them. Lets through up to `wanted` calls of each wish, as many
-- as every one of its buckets has room for. No window of the given length, wherever it begins, ever holds more than its
-- limit.
create or replace function pace_take(
  wishes integer[], buckets text[], limits integer[], windows double precision[], reserves double precision[],
  wanted integer[]
) returns table (wish integer, granted integer, wait_ms double precision, remaining integer)
language plpgsql
-- Buckets are few beside all there are, and always found by their index.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  names text[] := array(select distinct unnest(buckets) order by 1);
  found_ integer;
  now_ timestamptz;
begin
  -- In one order everywhere, so that two takers never wait for each other.
  perform 1 from paces where bucket = any(names) order by bucket for update;
  get diagnostics found_ = row_count;
  if found_ < cardinality(names) then
    insert into paces (bucket) select unnest(names) on conflict do nothing;
    perform 1 from paces where bucket = any(names) order by bucket for update;
  end if;
  now_ := clock_timestamp();
  return query
  with asked as (
    select a.*, p.at, p.passed, width_bucket(now_ - make_interval(secs => a.win), p.at) as gone,
      case when p.blocked_until > now_ then p.blocked_until - now_ end as blocked, (case when p.holders is null then 0 else (
        select coalesce(sum(h), 0)::integer from unnest(p.holds, p.held_until) u (h, t) where t > now_) end) as held
    from unnest(wishes, buckets, limits, windows, reserves, wanted) a (wish, bucket, lim, win, reserve, want)
    join paces p using (bucket)
  ), room as (
    select *, case when blocked is null
      then lim - ceil(lim * reserve)::integer - held - (passed[cardinality(passed)] - passed[gone])::integer else 0 end as room
    from asked
  ), alone as (
    select *, least(want, greatest(min(room) over (partition by wish), 0)) as most from room
  ), together as (
    -- Whoever comes before in the same bucket takes what he may.
    select *, room - coalesce(sum(most) over (
      partition by bucket order by wish rows between unbounded preceding and 1 preceding), 0)::integer as left_
    from alone
  ), given as (
    select wish, greatest(min(left_), 0) as room, least(max(want), greatest(min(left_), 0)) as granted,
      coalesce(max(extract(epoch from case when blocked is not null then blocked
        when room <= 0 then coalesce(at[gone + 1] + make_interval(secs => win) - now_, interval '1 s') end)::float8 * 1000), 0) as wait_ms
    from together group by wish
  ), taken as (
    select bucket, sum(granted) as n, max(gone) as gone, max(win) as win
    from asked join given using (wish) where granted > 0 group by bucket
  ), kept as (
    update paces p set
      -- The newest entry that no window holds any more stays: later ones are counted from it.
      at = p.at[t.gone : t.last] || now_,
      passed = p.passed[t.gone : t.last] || (p.passed[cardinality(p.passed)] + t.n)::bigint
    from (
      select taken.*, cardinality(q.at) - (cardinality(q.at) > gone
        and q.at[cardinality(q.at)] > now_ - make_interval(secs => win / 100))::integer as last
      from taken join paces q using (bucket)
    ) t
    where p.bucket = t.bucket
  )
  select wish, granted, wait_ms, room - granted from given;
end $$;

-- The same where everybody gets all that he wants, which is the rule: one update. Answers the wishes that were met; for
-- the others nothing is taken, and they are left to pace_take.
create or replace function pace_take_all(
  wishes integer[], buckets text[], limits integer[], windows double precision[], reserves double precision[],
  wanted integer[]
) returns table (wish integer, remaining integer)
language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
#variable_conflict use_column
declare
  now_ timestamptz := clock_timestamp();
  taken_by integer[];
  taken_of text[];
  rooms integer[];
begin
  with taken as (
    update paces p set
      -- By the time at which the row was had, which may have taken a while.
      at = p.at[width_bucket(now_ - make_interval(secs => win), p.at) : cardinality(p.at) - merged(p.at, win, now_)]
        || clock_timestamp(),
      passed = p.passed[width_bucket(now_ - make_interval(secs => win), p.at)
        : cardinality(p.at) - merged(p.at, win, now_)] || p.passed[cardinality(p.passed)] + want
    from (
      -- In one order everywhere, so that two takers never wait for each other.
      select * from unnest(wishes, buckets, limits, windows, reserves, wanted) a (wish, name, lim, win, reserve, want)
      order by name
    ) a
    where p.bucket = name and (p.blocked_until is null or p.blocked_until <= now_)
      and lim - ceil(lim * reserve) - (case when p.holders is null then 0 else (
        select coalesce(sum(h), 0)::integer from unnest(p.holds, p.held_until) u (h, t) where t > now_) end)
        - p.passed[cardinality(p.passed)]
        + p.passed[width_bucket(now_ - make_interval(secs => win), p.at)] >= want
    returning wish, name, (lim - p.passed[cardinality(p.passed)] + p.passed[1])::integer as room
  )
  select array_agg(wish), array_agg(name), array_agg(room) into taken_by, taken_of, rooms from taken;
  return query
  select wish, min(room) from unnest(taken_by, rooms) t (wish, room) group by wish
  having count(*) = cardinality(array_positions(wishes, wish));
  if found and cardinality(taken_by) = cardinality(wishes) then return; end if;
  -- One of its buckets had no room: what was taken of the others is given back.
  update paces p set passed[cardinality(p.passed)] = p.passed[cardinality(p.passed)] - want
  from unnest(wishes, buckets, wanted) a (wish, name, want), unnest(taken_by, taken_of) t (by_, of_)
  where p.bucket = name and by_ = wish and of_ = name
    and (select count(*) from unnest(taken_by) b where b = wish) < cardinality(array_positions(wishes, wish));
end $$;
