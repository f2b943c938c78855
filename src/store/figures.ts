import { sql } from 'kysely';
import type { Sealer } from './sealing.ts';
import type { Store } from './store.ts';
import { triggerStateNow } from './triggers-now.ts';

export type Figure = { name: string; help: string; label?: string; values: { label?: string; value: number }[] };

/** What operators watch: each is found by an index or in a table of settings, never by reading history. */
const questions: { name: string; help: string; label?: string; query: string }[] = [
  {
    name: 'runs_open',
    help: 'Runs that are queued or under way.',
    label: 'status',
    query: "select status as label, count(*) as value from runs where status in ('queued', 'running') group by 1",
  },
  {
    name: 'runs_overdue',
    help: 'Runs whose process has not been heard of for a minute.',
    // Those of a workspace that was stopped wait for somebody to resume it.
    query: `select count(*) as value from runs r join workspaces w using (workspace_id)
      where r.status in ('queued', 'running') and r.lease_until < statement_timestamp() - interval '1 min' and w.stopped_at is null`,
  },
  {
    name: 'runs_lapsed',
    help: 'Open runs whose processes died three times or more in a row: what they do may be what ends processes.',
    query: "select count(*) as value from runs where status in ('queued', 'running') and lapses >= 3",
  },
  {
    name: 'approvals_pending',
    help: 'Sends that wait for a person.',
    query: "select count(*) as value from approvals where status = 'pending'",
  },
  {
    name: 'arrivals_waiting',
    help: 'Notifications that are stored but not judged yet.',
    // Those of an account that cannot be used wait for a person.
    query: `select count(*) as value from arrivals r
      join watches w on w.workspace_id = r.workspace_id and w.id = r.watch_id
      join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
      where a.state = 'connected' or a.state = 'paused' and r.occurrence is not null`,
  },
  {
    name: 'events_failed',
    help: 'Events without a start: being tried again, or given up.',
    label: 'retry',
    query: "select retry as label, count(*) as value from events where outcome = 'failed' group by 1",
  },
  {
    name: 'look_delay_seconds',
    help: 'How late the most overdue look at a service is.',
    // Nobody looks for an account that cannot be used.
    query: `select greatest(0, extract(epoch from clock_timestamp() - w.next_look_at))::float8 as value
      from watches w join accounts a on a.workspace_id = w.workspace_id and a.id = w.account_id
      where a.state = 'connected' order by w.next_look_at limit 1`,
  },
  {
    name: 'watches',
    help: 'Registrations at the services.',
    label: 'state',
    query: 'select state as label, count(*) as value from watches group by 1',
  },
  {
    name: 'accounts',
    help: 'Connected accounts.',
    label: 'state',
    // A credential begins with the number of its key.
    query: `select state as label, substring(credential from 1 for 5) as head, count(*) as value from accounts
      where kind = 'account' group by 1, 2`,
  },
  {
    name: 'triggers',
    help: 'Triggers, in the state in which they are shown.',
    label: 'state',
    query: `select ${triggerStateNow} as label, count(*) as value
      from triggers t join accounts a on a.workspace_id = t.workspace_id and a.id = t.account_id left join (
        select l.workspace_id, l.trigger_id, min(l.watch_id) as watch_id
        from watches w join trigger_watches l on l.workspace_id = w.workspace_id and l.watch_id = w.id
        where w.state = 'broken' group by 1, 2) b on b.workspace_id = t.workspace_id and b.trigger_id = t.id
      group by 1`,
  },
  {
    name: 'effects_unknown',
    help: 'Outside writes of the last day of which nobody knows whether they happened.',
    query:
      "select count(*) as value from effects where state = 'unknown' and finished_at > statement_timestamp() - interval '1 day'",
  },
  {
    name: 'webhook_deliveries_pending',
    help: 'Outgoing webhooks that were not taken yet.',
    query: "select count(*) as value from notice_deliveries where state = 'pending'",
  },
  {
    name: 'workspaces_stopped',
    help: 'Workspaces under an emergency stop.',
    query: 'select count(*) as value from workspaces where stopped_at is not null',
  },
];

type Row = { label?: string | null; head?: Buffer | null; value: string | number | null };

/** An account whose key is not here is counted as it is shown: it works as little as one that its service refuses. */
const standingIn = (sealer: Sealer, { label, head }: Row): string | undefined =>
  label === 'connected' && head && !sealer.hasKeyOf(head) ? 'needs_reconnect' : (label ?? undefined);

/** The state of the whole house in numbers. */
export const readFigures = async ({ system, ping }: Store, sealer: Sealer): Promise<Figure[]> => {
  const writable = Number((await ping()) === 'ready');
  const figures: Figure[] = [
    { name: 'storage_writable', help: 'Whether the database takes writes.', values: [{ value: writable }] },
  ];
  for (const { query, ...about } of questions) {
    const { rows } = await sql.raw<Row>(query).execute(system);
    const counts = new Map<string | undefined, number>();
    for (const row of rows) {
      const label = standingIn(sealer, row);
      counts.set(label, (counts.get(label) ?? 0) + Number(row.value ?? 0));
    }
    if (about.label === undefined && counts.size === 0) counts.set(undefined, 0);
    const values = [...counts].map(([label, value]) => ({ ...(label ? { label } : {}), value }));
    figures.push({ ...about, values });
  }
  return figures;
};
