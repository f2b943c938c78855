import { type Kysely, sql } from 'kysely';
import { clocksApartMs, type Database, newId, type Tables } from '#store';
import { pauses } from './pauses.ts';
import type { Skew } from './service-time.ts';

/** A pause that ended without catching up: what happened in it starts nobody, however late it is found. */
export type PassedPause = { whose: 'trigger' | 'account'; from: Date; until: Date };

const secondOf = (ms: number): number => Math.floor(ms / 1_000) * 1_000;

/**
 * Services tell the time in seconds, and the process that began or ended it may not have the same time as this one. What may
 * have happened before the pause or after it is not taken for part of it.
 */
const holds = ({ from, until }: PassedPause, at: Date, { least, most }: Skew): boolean =>
  at.getTime() >= from.getTime() + most + clocksApartMs &&
  at.getTime() < secondOf(until.getTime() + least - clocksApartMs);

/** The pause in which something happened, by the time of the service. */
export const pauseAt = (passed: readonly PassedPause[], at: Date, skew: Skew): PassedPause | undefined =>
  passed.find((pause) => holds(pause, at, skew));

export const pausedFrom = ({ whose, from, until }: PassedPause): string =>
  `${pauses[whose]} when it happened (from ${from.toISOString()} to ${until.toISOString()})`;

/** Those of a trigger `t`. What fell into its present pause as well belongs to that one: it may be caught up with. */
export const passedPauses = sql`(
  select json_agg(json_build_object('whose', p.whose, 'from', p.from_at, 'until',
    least(p.until_at, case when t.state = 'paused' then t.paused_at end)) order by p.id)
  from passed_pauses p where p.workspace_id = t.workspace_id and p.trigger_id = t.id)`;

type Row = { workspace_id: string; id: string };

/** Whoever judges is told all of them: one that goes off and on all the time must not make that endless. */
const mostKept = 100;

/** Kept for all of these triggers of a workspace. */
export const keepPause = async (
  tx: Kysely<Tables>,
  triggers: readonly Row[],
  { whose, from, until }: PassedPause,
): Promise<void> => {
  await sql`insert into passed_pauses (id, workspace_id, trigger_id, whose, from_at, until_at)
    select id, workspace_id, trigger_id, ${whose}, ${from}, ${until} from unnest(
      ${triggers.map(() => newId('pau', until))}::text[], ${triggers.map((each) => each.workspace_id)}::text[],
      ${triggers.map(({ id }) => id)}::text[]) as p (id, workspace_id, trigger_id)`.execute(tx);
  await sql`delete from passed_pauses where id = any(array(
      select old.id from unnest(${triggers.map((each) => each.workspace_id)}::text[],
        ${triggers.map(({ id }) => id)}::text[]) as t (workspace_id, id),
      lateral (select p.id from passed_pauses p where p.workspace_id = t.workspace_id and p.trigger_id = t.id
        order by p.id desc offset ${mostKept}) old))`.execute(tx);
};

/** What is caught up with from a moment on is in no pause any more. */
export const forgetPauses = async (tx: Kysely<Tables>, { workspace_id, id }: Row, from: Date): Promise<void> => {
  const theirs = sql`workspace_id = ${workspace_id} and trigger_id = ${id} and until_at > ${from}`;
  await sql`delete from passed_pauses where ${theirs} and from_at >= ${from}`.execute(tx);
  await sql`update passed_pauses set until_at = ${from} where ${theirs}`.execute(tx);
};

/** An account may have very many triggers: so many are seen to by one statement, each of which has its deadline. */
const atOnce = 5_000;

/** An account goes on: its pause was one of all its triggers. */
export const keepPauseOfAccount = async (
  tx: Database,
  { workspaceId, accountId }: { workspaceId: string; accountId: string },
  { from, until }: { from: Date; until: Date },
  most: number = atOnce,
): Promise<void> => {
  const theirs = sql`workspace_id = ${workspaceId} and account_id = ${accountId}`;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { rows }: { rows: Row[] } = await sql<Row>`select workspace_id, id from triggers
      where ${theirs} and id > ${after} order by id limit ${most} for key share`.execute(tx);
    await keepPause(tx, rows, { whose: 'account', from, until });
    after = rows.at(-1)?.id;
  }
  // Whoever keeps the lists of triggers learns of it.
  for (let after: string | null = ''; after !== null; ) {
    const { rows } = await sql<{ last: string | null }>`with next as materialized (
        select id from watches where ${theirs} and id > ${after} order by id limit ${most} for no key update
      ), told as (update watches set roster = roster + 1 where id in (select id from next))
      select max(id) as last from next`.execute(tx);
    after = rows[0]?.last ?? null;
  }
};
