import { type Kysely, sql } from 'kysely';
import type { Catalogue, Occurrence } from '#kit';
import type { Tables } from '#store';

/** Those that wait for such a thing, and '' for whatever it is, each with its moment: what a watch keeps of it. */
export const kindsOf = (
  catalogue: Catalogue,
  integration: string,
  { at, body }: Occurrence,
): Record<string, string> => {
  const meant = catalogue.triggers.filter(
    (each) => each.integration.name === integration && each.kind === 'webhook' && each.delivery.safeParse(body).success,
  );
  return Object.fromEntries(['', ...meant.map(({ id }) => id)].map((id) => [id, at.toISOString()]));
};

export type OthersSeen = { count: number; types: string[] };

/** What was seen where a trigger looks, since it counts, and was not for it: how much, and which triggers wait for that. */
export const othersSeen = async (db: Kysely<Tables>, workspaceId: string, id: string): Promise<OthersSeen> => {
  const { rows } = await sql<{ count: string; types: string[] }>`
    with watched as (
      select l.watch_id, t.since, t.type from triggers t
        join trigger_watches l on l.workspace_id = t.workspace_id and l.trigger_id = t.id
      where t.workspace_id = ${workspaceId} and t.id = ${id}
    ), unasked as (
      select w.id, w.others, k.key as type from watched d
        join watches w on w.workspace_id = ${workspaceId} and w.id = d.watch_id
        cross join lateral jsonb_each_text(w.other_kinds) k
      where k.value::timestamptz >= d.since
    ), neighbours as (
      select l.trigger_id, n.type, min(d.since) as since from watched d
        join trigger_watches l on l.workspace_id = ${workspaceId} and l.watch_id = d.watch_id and l.trigger_id <> ${id}
        join triggers n on n.workspace_id = l.workspace_id and n.id = l.trigger_id
      group by 1, 2 limit 50
    ), asked as (
      -- What another trigger waits for is no other change to their watch. The last few of some of them tell enough.
      select n.type, e.upstream_id from neighbours n cross join lateral (
        select upstream_id, occurred_at, delivery from events
        where workspace_id = ${workspaceId} and trigger_id = n.trigger_id order by id desc limit 50
      ) e where e.occurred_at >= n.since and e.delivery in ('live', 'catchup')
    )
    select coalesce((select sum(others) from unasked where type = ''), 0)
      + (select count(distinct upstream_id) from asked) as count,
      array(select type from unasked where type <> '' union select type from asked) as types`.execute(db);
  const [{ count, types }] = rows as [{ count: string; types: string[] }];
  return { count: Number(count), types };
};
