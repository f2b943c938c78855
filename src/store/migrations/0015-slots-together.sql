-- Some requests count as several at once (a batch), so places are taken together or not at all. Who needs several could
-- wait for ever beside those who need one, so for a moment the others hold back.
alter table call_slots add column wanted_by text, add column wanted_until timestamptz;

-- Takes between `fewest` and `most` of the places 1 to `places`; none when fewer are free.
create function slots_take(bucket_ text, places integer, fewest integer, most integer, holder_ text, held double precision)
returns integer[] language plpgsql as $$
declare
  first call_slots;
  free integer[];
  now_ timestamptz;
begin
  select * into first from call_slots where bucket = bucket_ and slot = 1 for update;
  if not found then
    insert into call_slots (bucket, slot, holder, until)
      select bucket_, n, '', clock_timestamp() from generate_series(1, places) n on conflict do nothing;
    select * into first from call_slots where bucket = bucket_ and slot = 1 for update;
  end if;
  now_ := clock_timestamp();
  if first.wanted_until > now_ and first.wanted_by <> holder_ then return '{}'; end if;
  free := array(select slot from call_slots where bucket = bucket_ and until <= now_ order by slot limit most);
  if cardinality(free) < fewest then
    if fewest > 1 then
      update call_slots set wanted_by = holder_, wanted_until = now_ + interval '100 ms' where bucket = bucket_ and slot = 1;
    end if;
    return '{}';
  end if;
  update call_slots set holder = holder_, until = now_ + make_interval(secs => held), wanted_until = null
    where bucket = bucket_ and slot = any(free);
  return free;
end $$;
