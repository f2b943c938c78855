import type { Store } from '#store';

/** Something of a workspace as it is now; `mark` differs whenever it has changed. */
export type Seen = { workspace: string; type: HintType; id: string; status: string; mark: string; open: boolean };
export type HintType = 'run' | 'approval' | 'account' | 'trigger' | 'event' | 'agent' | 'tool';

/** A run as it is now, and how far its journal goes. */
export type SeenRun = { id: string; mark: string };

// The newest of each, and whatever is `open`: not done, or such that it can be deleted. All by index, for all workspaces
// that somebody looks at in one go; hence the house's own view.
const workspacesNow = {
  name: 'look_at_workspaces',
  text: `select w.id as workspace, x.type, x.id, x.status, x.mark, x.open from unnest($1::text[]) w (id), lateral (
    (select 'run' as type, r.id, r.status, r.status || r.attempts || (r.cancel_asked is not null) as mark,
        r.finished_at is null as open
      from runs r where r.workspace_id = w.id order by r.id desc limit 40)
    union (select 'run', r.id, r.status, r.status || r.attempts || (r.cancel_asked is not null), true
      from unnest(array['queued', 'running', 'waiting_approval']) s (status), lateral (
        select * from runs r where r.workspace_id = w.id and r.status = s.status order by r.id desc limit 100) r)
    union all (select 'approval', a.id, a.status, a.status || a.digest::text, a.status = 'pending'
      from approvals a where a.workspace_id = w.id order by a.id desc limit 40)
    union (select 'approval', a.id, a.status, a.status || a.digest::text, true
      from approvals a where a.workspace_id = w.id and a.status = 'pending' order by a.id desc limit 100)
    union all (select 'event', e.id, e.outcome, e.outcome || coalesce(e.retry, '') || coalesce(e.run_id, ''), false
      from events e where e.workspace_id = w.id order by e.id desc limit 40)
    union all (select 'account', c.id, c.state, c.xmin::text, false from accounts c
      where c.workspace_id = w.id and c.kind = 'account' order by c.id desc limit 200)
    union all (select 'trigger', t.id, t.state, t.xmin::text, true from triggers t
      where t.workspace_id = w.id order by t.id desc limit 200)
    union all (select 'agent', g.id, g.state, g.xmin::text, true from agents g
      where g.workspace_id = w.id order by g.id desc limit 200)
    union all (select 'tool', o.id, '', o.xmin::text, true from tools o
      where o.workspace_id = w.id order by o.id desc limit 200)
  ) x`,
};

const runsNow = {
  name: 'look_at_runs',
  text: `select r.id, r.status || r.attempts || (r.cancel_asked is not null) || ' ' || coalesce((
      select max(j.seq) from journal j where j.workspace_id = r.workspace_id and j.run_id = r.id), 0) as mark
    from runs r where r.id = any($1)`,
};

export const createLiveLook = (store: Store) => ({
  workspaces: (ids: readonly string[]): Promise<Seen[]> =>
    ids.length === 0 ? Promise.resolve([]) : store.planned<Seen>(workspacesNow, [ids]),
  runs: (ids: readonly string[]): Promise<SeenRun[]> =>
    ids.length === 0 ? Promise.resolve([]) : store.planned<SeenRun>(runsNow, [ids]),
});
