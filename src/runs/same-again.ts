import { sql } from 'kysely';
import { Fault } from '#kit';
import { type Database, firstOfEvent } from '#store';
import type { RunRow } from './run-records.ts';

type SameRun = Pick<RunRow, 'id' | 'status' | 'retry_of'>;

/** All that try the same as a run, or as what an event has started: retries of one another, and all that is started by an event and its replays. */
export const sameAs = async (
  tx: Database,
  workspaceId: string,
  of: { runId?: string; eventId?: string },
): Promise<string[]> => {
  const { rows } = await sql<{ id: string }>`with recursive earlier as (
      select r.id, r.retry_of, r.event_id from runs r
        where r.workspace_id = ${workspaceId} and r.id = ${of.runId ?? null}::text
      union select r.id, r.retry_of, r.event_id from runs r join earlier l on r.id = l.retry_of
        where r.workspace_id = ${workspaceId}
    ), happened as (
      select ${firstOfEvent} as id, e.upstream_id from events e
      where e.workspace_id = ${workspaceId} and e.id in (select event_id from earlier union select ${of.eventId ?? null}::text)
    ), begun as (
      select id from earlier
      union select e.run_id from happened h join events e on e.upstream_id = h.upstream_id
        where e.workspace_id = ${workspaceId} and ${firstOfEvent} = h.id and e.run_id is not null
    ), same as (
      select id from begun
      union select r.id from runs r join same s on r.retry_of = s.id where r.workspace_id = ${workspaceId}
    ) select id from same`.execute(tx);
  return rows.map(({ id }) => id);
};

/** Holds them until the transaction ends: whoever is about to begin one more, by a retry or a replay, waits and then sees it. */
export const holdSame = async (...of: Parameters<typeof sameAs>): Promise<SameRun[]> => {
  const [tx, workspaceId] = of;
  const runs = (ids: readonly string[]) =>
    tx
      .selectFrom('runs')
      .select(['id', 'status', 'retry_of'])
      .where('workspace_id', '=', workspaceId)
      .where(sql<boolean>`id = any(${ids}::text[])`)
      // In one order everywhere, so that two processes never wait for each other.
      .orderBy('id');
  await runs(await sameAs(...of))
    .forUpdate()
    .execute();
  return runs(await sameAs(...of)).execute();
};

const openStatuses: readonly RunRow['status'][] = ['queued', 'running', 'waiting_approval'];

export const isOpen = ({ status }: SameRun): boolean => openStatuses.includes(status);

export const triedAlready = (what: string, run: SameRun): Fault => {
  const state = isOpen(run) ? 'is being tried again already' : 'was tried again meanwhile';
  return new Fault('conflict', `${what} ${state}; look at that run.`, { details: { runId: run.id } });
};
