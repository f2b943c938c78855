import { sql } from 'kysely';

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
  select t.*, a.state as account_state,
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
