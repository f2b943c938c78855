import { sql } from 'kysely';
import type { TriggerState } from './event-tables.ts';

/** The state a trigger `t` of an account `a` is in; `b` is a broken watch of it, if there is one. */
export const triggerStateNow = `case when t.state = 'paused' then 'paused'
      when a.state in ('needs_reconnect', 'disconnected') then 'broken'
      when a.state = 'paused' then 'paused'
      when b.watch_id is not null then 'broken' else 'enabled' end`;

/**
 * The triggers of a workspace with the state they are in, and why. A trigger's own row knows only whether somebody paused it;
 * one that is enabled but cannot fire is broken.
 */
export const triggersNow = (workspaceId: string) => sql`(
  select t.*, a.state as account_state, a.end_user_id,
    ${sql.raw(triggerStateNow)} as state_now,
    case when t.state = 'paused' then null
      when a.state = 'needs_reconnect' then coalesce(a.reason, 'The account must be connected again.')
      when a.state = 'disconnected' then 'The account is not connected any more.'
      when a.state = 'paused' then 'The account is paused.' else b.reason end as reason_now
  from triggers t join accounts a on a.workspace_id = t.workspace_id and a.id = t.account_id
  left join lateral (
    select l.watch_id, w.reason from trigger_watches l join watches w on w.workspace_id = l.workspace_id and w.id = l.watch_id
    where l.workspace_id = t.workspace_id and l.trigger_id = t.id and w.state = 'broken' order by w.resource limit 1
  ) b on true
  where t.workspace_id = ${workspaceId})`;

/**
 * Which of them are in a state: the same as their `state_now`, said so that the planner knows how many that are, and looks
 * nothing up of those that are left out.
 */
export const areNow = (workspaceId: string, state: TriggerState) => {
  const withBrokenWatch = sql`select l.trigger_id from watches w
    join trigger_watches l on l.workspace_id = w.workspace_id and l.watch_id = w.id
    where w.workspace_id = ${workspaceId} and w.state = 'broken'`;
  const ofLostAccount = sql`select o.id from accounts a
    join triggers o on o.workspace_id = a.workspace_id and o.account_id = a.id
    where a.workspace_id = ${workspaceId} and a.state in ('needs_reconnect', 'disconnected')`;
  if (state === 'paused') return sql<boolean>`(t.state = 'paused' or t.account_state = 'paused')`;
  return state === 'broken'
    ? sql<boolean>`t.state <> 'paused' and t.account_state <> 'paused'
        and t.id in (${ofLostAccount} union ${withBrokenWatch})`
    : sql<boolean>`t.state <> 'paused' and t.account_state = 'connected' and t.id not in (${withBrokenWatch})`;
};
