import { type Selectable, sql } from 'kysely';
import { afterId, Fault, lookThrough, type Page, type PageRequest, type Stretch, searching, toPage } from '#kit';
import {
  type Delivery,
  firstIdAt,
  holdsWords,
  lastOfStretch,
  type Outcome,
  replaysOfEvent,
  type Store,
  sinceStored,
  type Tables,
} from '#store';
import { unknownTrigger } from './trigger-records.ts';

export type EventRow = Selectable<Tables['events']>;

type Replayed = { id: string; outcome: Outcome };

export type EventSummary = {
  id: string;
  triggerId: string;
  upstreamId: string;
  outcome: Outcome;
  clause?: string;
  reason?: string;
  retry?: { state: 'retrying' | 'dead'; attempts: number; nextTryAt: Date | null };
  occurredAt: Date;
  receivedAt: Date;
  delivery: Delivery;
  /** It was made up: by a test, or by one that this replays. */
  isSample?: true;
  runId?: string;
  /** The newest event that replayed this one, or what this one replays. */
  replayedAs?: Replayed;
  summary: string;
  actor?: { id: string; name: string; isSelf: boolean };
};

export type EventDetail = EventSummary & { data?: unknown };

export type EventFilter = {
  triggerId?: string | undefined;
  /** In whose accounts on an embedding platform it happened. */
  endUserId?: string | undefined;
  outcome?: Outcome | undefined;
  /** Of what failed. */
  retry?: 'retrying' | 'dead' | undefined;
  upstreamId?: string | undefined;
  /** It happened at this moment or later, and before that one. */
  from?: Date | undefined;
  to?: Date | undefined;
  /** Its words, each in what it was or in who did it. */
  query?: string | undefined;
};

/** What people remember of it: the line that lists show, and who it was. */
const told = sql<string>`concat_ws(' ', summary, actor ->> 'name', actor ->> 'id')`;

/** The clock of a service may be ahead of ours by so much. */
const aheadMs = 60 * 60_000;

const { stretch, patienceMs } = searching;

/** No service has this kind of id; a replay keeps that of what it replays. */
export const sampleId = (at: Date): string => `test ${at.getTime().toString(36)}`;
const isSample = ({ delivery, upstream_id: id }: Pick<EventRow, 'delivery' | 'upstream_id'>): boolean =>
  delivery === 'test' || (delivery === 'replay' && id.startsWith('test '));

const show = (
  row: Omit<EventRow, 'data' | 'occurrence' | 'replayed_at' | 'lapses'>,
  replayedAs?: Replayed,
): EventSummary => ({
  id: row.id,
  triggerId: row.trigger_id,
  upstreamId: row.upstream_id,
  outcome: row.outcome,
  ...(row.clause === null ? {} : { clause: row.clause }),
  ...(row.reason === null ? {} : { reason: row.reason }),
  ...(row.retry === null ? {} : { retry: { state: row.retry, attempts: row.attempts, nextTryAt: row.next_try_at } }),
  occurredAt: row.occurred_at,
  receivedAt: row.received_at,
  delivery: row.delivery,
  ...(isSample(row) ? { isSample: true } : {}),
  ...(row.run_id === null ? {} : { runId: row.run_id }),
  ...(replayedAs === undefined ? {} : { replayedAs }),
  summary: row.summary,
  ...(row.actor === null ? {} : { actor: row.actor }),
});

const listed = [
  'id',
  'workspace_id',
  'trigger_id',
  'watch_id',
  'key',
  'upstream_id',
  'outcome',
  'clause',
  'reason',
  'retry',
  'attempts',
  'next_try_at',
  'occurred_at',
  'received_at',
  'delivery',
  'run_id',
  'subject',
  'upstream_order',
  'summary',
  'actor',
] as const;

/** Finds what happened, and tells what became of it. */
export const createEventReading = (store: Store) => {
  const rowOf = async (workspaceId: string, id: string): Promise<EventRow> => {
    const row = await store
      .of(workspaceId)
      .selectFrom('events')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw new Fault('not_found', 'There is no such event.');
    return row;
  };

  const replaysOf = async (workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, Replayed>> => {
    if (ids.length === 0) return new Map();
    const { rows } = await sql<{ of: string } & Replayed>`
      select e.id as of, newest.id, newest.outcome from events e
      cross join lateral (select r.id, r.outcome from ${replaysOfEvent} order by r.id desc limit 1) newest
      where e.workspace_id = ${workspaceId} and e.id = any(${ids}::text[])`.execute(store.of(workspaceId));
    return new Map(rows.map(({ of, id, outcome }) => [of, { id, outcome }]));
  };

  /** Their triggers, those that are deleted, too. */
  const triggersOf = async (workspaceId: string, endUserId: string): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select t.id from accounts a join (
        select id, workspace_id, account_id from triggers union all select id, workspace_id, account_id from past_triggers
      ) t on t.workspace_id = a.workspace_id and t.account_id = a.id
      where a.workspace_id = ${workspaceId} and a.end_user_id = ${endUserId}`.execute(store.of(workspaceId));
    return rows.map(({ id }) => id);
  };

  const pageOf = async (workspaceId: string, filter: EventFilter, page: PageRequest) => {
    const after = afterId('evt', page);
    const theirs = filter.endUserId === undefined ? undefined : await triggersOf(workspaceId, filter.endUserId);
    const { triggerId, retry, outcome = retry && 'failed', upstreamId, from, to, query } = filter;
    const earliest = from && firstIdAt('evt', new Date(from.getTime() - aheadMs));
    const events = store.of(workspaceId).selectFrom('events').where('workspace_id', '=', workspaceId);
    const ofTrigger = ({ first = earliest, after: end }: Stretch) =>
      events
        .$if(first !== undefined, (rows) => rows.where('id', '>=', first as string))
        .$if(end !== undefined, (rows) => rows.where('id', '<', end as string))
        .$if(triggerId !== undefined, (rows) => rows.where('trigger_id', '=', triggerId as string))
        .$if(theirs !== undefined, (rows) => rows.where(sql<boolean>`trigger_id = any(${theirs}::text[])`))
        .orderBy('id', 'desc');
    const wanted = (within: Stretch, most: number) =>
      ofTrigger(within)
        .$if(outcome !== undefined, (rows) => rows.where('outcome', '=', outcome as Outcome))
        .$if(retry !== undefined, (rows) => rows.where('retry', '=', retry as 'dead'))
        .$if(upstreamId !== undefined, (rows) => rows.where('upstream_id', '=', upstreamId as string))
        .limit(most);
    // What was caught up with stands where it was received, days after it happened: no index leads there.
    if (query !== undefined || from !== undefined || to !== undefined) {
      const endOf = async (end: string | undefined) => {
        const rest = ofTrigger({ first: undefined, after: end }).select('id');
        return (await lastOfStretch(rest, stretch))?.id;
      };
      const find = (within: Stretch, most: number) =>
        wanted(within, most)
          .select(listed)
          .$if(from !== undefined, (rows) => rows.where('occurred_at', '>=', from as Date))
          .$if(to !== undefined, (rows) => rows.where('occurred_at', '<', to as Date))
          .$if(query !== undefined, (rows) => rows.where(holdsWords(told, query as string)))
          .execute();
      return lookThrough(page, { after, endOf, find, patienceMs }, (row) => row);
    }
    const all = wanted({ first: undefined, after }, page.limit + 1);
    // The index knows outcomes: what is rare is looked for there, without reading all the others.
    const found = await (outcome === undefined
      ? all.select(listed)
      : events.select(listed).where('id', 'in', all.select('id')).orderBy('id', 'desc')
    ).execute();
    return toPage(found, page, (row) => row);
  };

  return {
    rowOf,

    /** What was just stored for a trigger; one that was deleted meanwhile has no more events. */
    made: (workspaceId: string, triggerId: string, key: string): Promise<EventSummary> =>
      sinceStored(async () => {
        const row = await store
          .of(workspaceId)
          .selectFrom('events')
          .select(listed)
          .where('workspace_id', '=', workspaceId)
          .where('trigger_id', '=', triggerId)
          .where('key', '=', key)
          .executeTakeFirstOrThrow(unknownTrigger);
        return show(row);
      }),

    list: async (workspaceId: string, filter: EventFilter, page: PageRequest): Promise<Page<EventSummary>> => {
      const { items: rows, ...rest } = await pageOf(workspaceId, filter, page);
      const replays = await replaysOf(
        workspaceId,
        rows.map(({ id }) => id),
      );
      return { ...rest, items: rows.map((row) => show(row, replays.get(row.id))) };
    },

    /** What each of these was, in a few words. */
    summaries: async (workspaceId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> => {
      if (ids.length === 0) return new Map();
      const rows = await store
        .of(workspaceId)
        .selectFrom('events')
        .select(['id', 'summary'])
        .where('workspace_id', '=', workspaceId)
        .where('id', 'in', ids)
        .execute();
      return new Map(rows.filter(({ summary }) => summary !== '').map(({ id, summary }) => [id, summary]));
    },

    get: async (workspaceId: string, id: string): Promise<EventDetail> => {
      const row = await rowOf(workspaceId, id);
      const replays = await replaysOf(workspaceId, [id]);
      return { ...show(row, replays.get(id)), ...(row.data === null ? {} : { data: row.data }) };
    },
  };
};
