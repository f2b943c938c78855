import { type Store, triggerStateNow } from '#store';

/** Something of a workspace as it is now; `mark` differs whenever it has changed. */
export type Seen = { workspace: string; type: HintType; id: string; status: string; mark: string; open: boolean };
export type HintType = 'run' | 'approval' | 'account' | 'trigger' | 'event' | 'agent' | 'tool';

/** A run as it is now, and how far its journal goes. */
export type SeenRun = { id: string; mark: string };

// Said so that only an index of the workspace's own has the order that is asked for. The planner knows how much one workspace
// has on average; of a small one beside a large one it would go through all that the house has.
const newest = (table: 'runs' | 'approvals' | 'events') =>
  `from ${table} t where t.workspace_id between w.id and w.id order by t.workspace_id desc, t.id desc limit 40`;

// Whatever has changed last is told of, however old it is. No index has that, so all there are are gone through. Of more than
// so many, one that is deleted is not told of, and one that a change elsewhere pushes out seems to be gone.
const made = (from: string, which = 'true') =>
  `from ${from} where t.workspace_id = w.id and ${which} order by age(t.xmin), t.id desc limit 5000`;

// That a trigger broke stands with its watch or its account.
const triggersAndBroken = `triggers t join accounts a on a.workspace_id = t.workspace_id and a.id = t.account_id left join (
    select l.trigger_id, min(l.watch_id) as watch_id
    from watches v join trigger_watches l on l.workspace_id = v.workspace_id and l.watch_id = v.id
    where v.workspace_id = w.id and v.state = 'broken' group by l.trigger_id) b on b.trigger_id = t.id`;

// Each state is written out: of one that is only known later the planner thinks that most runs are in it, and goes through
// all there are to find those few.
const openRuns = (status: 'queued' | 'running' | 'waiting_approval') =>
  `select 'run', t.id, t.status, t.status || t.attempts || (t.cancel_asked is not null) || (t.waits_for is not null), true
      from runs t where t.workspace_id = w.id and t.status = '${status}' order by t.id desc limit 100`;

// The newest of each, and whatever is `open`: not done, or such that it can be deleted. For all workspaces that somebody
// looks at in one go; hence the house's own view. This is by index alone.
export const workspacesNow = {
  name: 'look_at_workspaces',
  text: `select w.id as workspace, x.type, x.id, x.status, x.mark, x.open from unnest($1::text[]) w (id), lateral (
    (select 'run' as type, t.id, t.status, t.status || t.attempts || (t.cancel_asked is not null) || (t.waits_for is not null) as mark,
        t.finished_at is null as open ${newest('runs')})
    union (${openRuns('queued')})
    union (${openRuns('running')})
    union (${openRuns('waiting_approval')})
    union all (select 'approval', t.id, t.status, t.status || t.digest::text, t.status = 'pending' ${newest('approvals')})
    union (select 'approval', t.id, t.status, t.status || t.digest::text, true
      from approvals t where t.workspace_id = w.id and t.status = 'pending' order by t.id desc limit 100)
    union all (select 'event', t.id, t.outcome, t.outcome || coalesce(t.retry, '') || coalesce(t.run_id, ''), false
      ${newest('events')})
  ) x`,
};

/** What people have set up. */
const settingsNow = {
  name: 'look_at_settings',
  text: `select w.id as workspace, x.type, x.id, x.status, x.mark, x.open from unnest($1::text[]) w (id), lateral (
    (select 'account' as type, t.id, t.state as status, t.xmin::text as mark, false as open
      ${made('accounts t', "t.kind = 'account'")})
    union all (select 'trigger', t.id, ${triggerStateNow}, t.xmin::text || ${triggerStateNow}, true
      ${made(triggersAndBroken)})
    union all (select 'agent', t.id, t.state, t.xmin::text, true ${made('agents t')})
    union all (select 'tool', t.id, '', t.xmin::text, true ${made('tools t')})
  ) x`,
};

const runsNow = {
  name: 'look_at_runs',
  text: `select r.id, r.status || r.attempts || (r.cancel_asked is not null) || (r.waits_for is not null) || ' ' || coalesce((
      select max(j.seq) from journal j where j.workspace_id = r.workspace_id and j.run_id = r.id), 0) as mark
    from runs r where r.id = any($1)`,
};

export const createLiveLook = (store: Store) => ({
  workspaces: (ids: readonly string[]): Promise<Seen[]> =>
    ids.length === 0 ? Promise.resolve([]) : store.planned<Seen>(workspacesNow, [ids]),
  settings: (ids: readonly string[]): Promise<Seen[]> =>
    ids.length === 0 ? Promise.resolve([]) : store.planned<Seen>(settingsNow, [ids]),
  runs: (ids: readonly string[]): Promise<SeenRun[]> =>
    ids.length === 0 ? Promise.resolve([]) : store.planned<SeenRun>(runsNow, [ids]),
});
