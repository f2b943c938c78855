-- Their statements were planned anew for each call, which cost more than what they do: by the size of what they are given the
-- planner expected less of a plan for all sizes. Each way but by the keys is closed in them, so there is only one.
alter function settle_events(json, json, text, integer, interval, float, integer, float)
  set plan_cache_mode = force_generic_plan;
alter function start_runs(json, text, integer, interval) set plan_cache_mode = force_generic_plan;
alter function take_run(text, text, text, interval) set plan_cache_mode = force_generic_plan;
alter function finish_runs(json, text, integer, interval) set plan_cache_mode = force_generic_plan;
alter function pace_take(integer[], text[], integer[], double precision[], double precision[], integer[])
  set plan_cache_mode = force_generic_plan;
alter function pace_take_all(integer[], text[], integer[], double precision[], double precision[], integer[])
  set plan_cache_mode = force_generic_plan;
alter function pace_hold(text[], integer[], double precision[], text, double precision)
  set plan_cache_mode = force_generic_plan;
