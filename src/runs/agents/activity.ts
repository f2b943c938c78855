import { sql } from 'kysely';
import { type RunStatus, type Store, type TriggerState, triggersNow } from '#store';

/** What stands beside an agent in a list of many. */
export type AgentActivity = {
  /** Those that do not work first, then the newest. */
  triggers: { id: string; name: string; state: TriggerState }[];
  /** How many more there are, and how many of these are broken. */
  moreTriggers: number;
  moreBroken: number;
  pendingApprovals: number;
  lastRun: { id: string; status: RunStatus; createdAt: Date } | null;
};

const mostNamed = 3;

type Row = Pick<AgentActivity, 'moreTriggers' | 'moreBroken' | 'pendingApprovals'> & {
  id: string;
  triggers: AgentActivity['triggers'] | null;
  run_id: string | null;
  run_status: RunStatus | null;
  run_at: Date | null;
};

/** Asked for once for all agents of a page. */
export const createActivity =
  (store: Store) =>
  async (workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, AgentActivity>> => {
    const newest = (column: 'agent_id' | 'for_agent') => sql`(
      select id, status, created_at from runs where workspace_id = ${workspaceId} and ${sql.ref(column)} = a.id
      order by id desc limit 1)`;
    const { rows } = await sql<Row>`
      with listed as (
        select t.agent_id, t.id, t.name, t.state_now, row_number() over (partition by t.agent_id
          order by case t.state_now when 'broken' then 0 when 'paused' then 1 else 2 end, t.id desc) as nth
        from ${triggersNow(workspaceId)} t where t.agent_id = any(${[...ids]})
      ), started as (
        select agent_id, json_agg(json_build_object('id', id, 'name', name, 'state', state_now) order by nth)
            filter (where nth <= ${mostNamed}) as triggers,
          (count(*) filter (where nth > ${mostNamed}))::integer as more,
          (count(*) filter (where nth > ${mostNamed} and state_now = 'broken'))::integer as broken
        from listed group by agent_id
      )
      select a.id, s.triggers, coalesce(s.more, 0) as "moreTriggers", coalesce(s.broken, 0) as "moreBroken",
        (select count(*)::integer from approvals p where p.workspace_id = ${workspaceId} and p.agent_id = a.id
          and p.status = 'pending') as "pendingApprovals",
        r.id as run_id, r.status as run_status, r.created_at as run_at
      from unnest(${[...ids]}::text[]) a (id) left join started s on s.agent_id = a.id
      left join lateral (select * from (${newest('agent_id')} union all ${newest('for_agent')}) x order by id desc limit 1) r
        on true`.execute(store.of(workspaceId));
    return new Map(
      rows.map(({ id, triggers, run_id, run_status: status, run_at: createdAt, ...counts }) => [
        id,
        {
          ...counts,
          triggers: triggers ?? [],
          lastRun: run_id === null || status === null || createdAt === null ? null : { id: run_id, status, createdAt },
        },
      ]),
    );
  };
