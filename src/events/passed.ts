import { type Kysely, sql } from 'kysely';
import { replaysOfEvent, type Tables } from '#store';
import type { EventDraft } from './draft.ts';

/**
 * What was skipped for a reason that is over is open again, so that what is stored now takes its place: an occurrence has one
 * event. What has been replayed meanwhile stays as it is, unless the replay was skipped for that reason, too.
 */
export const openPassed = async (tx: Kysely<Tables>, drafts: readonly EventDraft[]): Promise<void> => {
  const open = drafts.flatMap(({ trigger, key, outcome, passed = [] }) =>
    passed
      .filter((reason) => !('reason' in outcome && outcome.reason === reason))
      .map((reason) => ({ triggerId: trigger.id, key, reason })),
  );
  if (open.length === 0) return;
  // In one order everywhere, so that two processes never wait for each other.
  const { rows } = await sql<{ id: string }>`
    select s.id from unnest(${open.map(({ triggerId }) => triggerId)}::text[], ${open.map(({ key }) => key)}::text[],
        ${open.map(({ reason }) => reason)}::text[]) g (trigger_id, key, reason)
      join events s using (trigger_id, key)
    where s.outcome = 'skipped' and s.reason = g.reason order by s.trigger_id, s.key for update of s`.execute(tx);
  if (rows.length === 0) return;
  // Only now: whoever replays one of them holds it until that is stored.
  await sql`update events e set outcome = 'failed', retry = 'retrying' where e.id = any(${rows.map(({ id }) => id)}::text[])
    and not exists (select from ${replaysOfEvent} and not (r.outcome = 'skipped' and r.reason = e.reason))`.execute(tx);
};
