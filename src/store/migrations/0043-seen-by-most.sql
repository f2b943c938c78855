-- As before, but said so that the planner does not take it for a condition that nearly no row meets: it read whole tables
-- in the order it wanted, sure to find few of the rows that it could have had by their own index.
create or replace function workspace_in_view(id text) returns boolean language sql stable parallel safe
  return case current_setting('app.workspace', true) when id then true when '*' then true else false end;
