import { type Kysely, sql } from 'kysely';
import type { Clock } from '#clock';
import { type Catalogue, Fault } from '#kit';
import { holdSame, isOpen, sameAs, triedAlready } from '#runs';
import { replayedBy, replayKey, replaysOfEvent, type Store, type Tables } from '#store';
import type { Assess } from './assess.ts';
import { asReplay, type EventDraft, seenFrom, shortened } from './draft.ts';
import { createEventReading, type EventRow, type EventSummary, sampleId } from './event-reading.ts';
import { occurrenceFrom } from './occurrence.ts';
import type { Rosters } from './rosters.ts';
import { hintKey, type Settle } from './settle.ts';
import { unknownTrigger } from './trigger-records.ts';
import { parseConfig, triggerOf } from './trigger-settings.ts';
import type { Watchers } from './watch-context.ts';
import type { WatchReader } from './watch-reader.ts';
import { isPoll } from './watch-records.ts';

/** A replay of a replay replays the same: whichever was pressed, the newest takes the place of all the others. */
const replayedIn = ({ delivery, key, id }: EventRow): string => (delivery === 'replay' ? replayedBy(key) : id);

/** What happened, what became of it, and starting from it again. */
export const createHistory = (options: {
  store: Store;
  clock: Clock;
  catalogue: Catalogue;
  reader: WatchReader;
  rosters: Rosters;
  watchers: Watchers;
  assess: Assess;
  settle: Settle;
}) => {
  const { store, clock, catalogue, reader, rosters, watchers, assess, settle } = options;
  const { rowOf, made, ...reading } = createEventReading(store);

  const triggerRow = async (workspaceId: string, id: string) => {
    const row = await store
      .of(workspaceId)
      .selectFrom('triggers')
      .innerJoin('accounts', (join) =>
        join
          .onRef('accounts.id', '=', 'triggers.account_id')
          .onRef('accounts.workspace_id', '=', 'triggers.workspace_id'),
      )
      .select([
        'triggers.id',
        'triggers.name',
        'triggers.type',
        'triggers.agent_id',
        'triggers.config',
        'accounts.id as account_id',
        'accounts.name as account_name',
        'accounts.identity',
        'accounts.end_user_id',
      ])
      .where('triggers.workspace_id', '=', workspaceId)
      .where('triggers.id', '=', id)
      .executeTakeFirst();
    if (row === undefined) throw unknownTrigger();
    return row;
  };

  const triggerOfEvent = ({ workspace_id: workspaceId, trigger_id: id }: EventRow) =>
    triggerRow(workspaceId, id).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.code !== 'not_found') throw error;
      const words =
        'The trigger of this event was deleted, so nothing starts from it any more. A run that it started can be tried again by itself, and the agent can be started by hand.';
      throw new Fault('conflict', words);
    });

  /** What starts the agent by hand. */
  const draftFrom = (
    workspaceId: string,
    trigger: Awaited<ReturnType<typeof triggerRow>>,
    event: Pick<
      EventDraft,
      'key' | 'identity' | 'upstreamId' | 'occurredAt' | 'delivery' | 'summary' | 'actor' | 'data'
    >,
  ): EventDraft => ({
    ...event,
    trigger: { id: trigger.id, name: trigger.name, workspaceId, agentId: trigger.agent_id, type: trigger.type },
    watchId: null,
    account: { id: trigger.account_id, name: trigger.account_name, endUserId: trigger.end_user_id },
    outcome: { outcome: 'fired' },
    receivedAt: clock.now(),
    // It waits for nothing.
    subject: null,
    order: '',
    occurrence: null,
  });

  const whyUnread = async ({ workspace_id, trigger_id }: EventRow): Promise<string> => {
    const definition = catalogue.trigger((await triggerRow(workspace_id, trigger_id)).type);
    return definition?.kind === 'webhook' && definition.neverListed === true
      ? 'The service told of this once and keeps no list of its kind, so what was left out cannot be judged again.'
      : 'The service does not have this any more.';
  };

  /** Judges an occurrence anew that was not kept, by reading it back. */
  const judgeAnew = async (row: EventRow): Promise<EventDraft | undefined> => {
    const watch = row.watch_id === null ? undefined : await reader.byId(row.watch_id);
    if (watch === undefined) throw new Fault('conflict', 'This is not watched any more, so it cannot be read again.');
    if (row.occurrence === null && isPoll(watch.resource))
      throw new Fault('conflict', 'The service keeps no record of this that could be judged again.');
    const { watching, context } = watchers.of(watch.integration);
    const asking = context(watch, (await rosters.of(watch)).names);
    const occurrence =
      row.occurrence === null
        ? await watching.read(watch.resource, row.upstream_id, asking)
        : occurrenceFrom(row.occurrence);
    if (occurrence === undefined) throw new Fault('conflict', await whyUnread(row));
    const arrival = { watch, receivedAt: clock.now(), delivery: 'live' as const, isPending: true, isReplay: true };
    const { drafts, obstacle } = await assess.thoroughly(arrival, occurrence, asking, {
      only: ({ id }) => id === row.trigger_id,
      evenIfUndecided: true,
    });
    if (obstacle !== undefined) throw obstacle;
    return drafts[0];
  };

  /**
   * From now on the replay is what is tried again: a later look, or a try that is under way, must not start the agent as well.
   * What was known by a hint alone is known by what that named, under which it would be found.
   */
  const replaceFailed = async (tx: Kysely<Tables>, row: EventRow, draft: EventDraft): Promise<void> => {
    const isHint = row.key === hintKey(row.upstream_id);
    const ids = [row.id, replayedIn(row)];
    await sql`update events set retry = 'dead', next_try_at = null, replayed_at = clock_timestamp()
      where workspace_id = ${row.workspace_id} and upstream_id = ${row.upstream_id} and outcome = 'failed'
        and (id = any(${ids}::text[]) or delivery = 'replay' and split_part(key, ' ', 2) = any(${ids}::text[]))`.execute(
      tx,
    );
    if (!isHint) return;
    const { rows } = await sql<{ id: string }>`
      select id from events where trigger_id = ${row.trigger_id} and key = ${draft.key}`.execute(tx);
    const [known] = rows;
    if (known !== undefined) throw new Fault('conflict', `It could be read meanwhile: that is event ${known.id}.`);
    await sql`update events set key = ${draft.key} where workspace_id = ${row.workspace_id} and id = ${row.id}`.execute(
      tx,
    );
  };

  /** Which of an event, what it replays and what replays them started the agent. */
  const startedIn = async (db: Kysely<Tables>, workspaceId: string, id: string): Promise<string[]> => {
    const { rows } = await sql<{ id: string }>`
      select v.id from events e cross join lateral (
        select r.id, r.outcome from ${replaysOfEvent}
        union all select o.id, o.outcome from events o where o.workspace_id = e.workspace_id
          and o.id in (e.id, case e.delivery when 'replay' then split_part(e.key, ' ', 2) end)
      ) v where e.workspace_id = ${workspaceId} and e.id = ${id} and v.outcome = 'fired'`.execute(db);
    return rows.map((row) => row.id);
  };

  /** Nobody lets it start the agent from here on, nor what it replays; somebody may have done so since it was read. */
  const holdUnstarted = async (tx: Kysely<Tables>, row: EventRow, known: readonly string[]): Promise<void> => {
    await tx
      .selectFrom('events')
      .select('id')
      .where('workspace_id', '=', row.workspace_id)
      .where('id', 'in', [row.id, replayedIn(row)])
      // In one order everywhere, so that two processes never wait for each other.
      .orderBy('id')
      .forUpdate()
      .execute();
    const started = (await startedIn(tx, row.workspace_id, row.id)).find((id) => !known.includes(id));
    if (started === undefined) return;
    const words = `It has started the agent meanwhile: that is event ${started}. Replay that if it is meant once more.`;
    throw new Fault('conflict', words);
  };

  /** A replay is seen at the event, a retry is not. */
  const refuseRetried = async (tx: Kysely<Tables>, row: EventRow, known: readonly string[]): Promise<void> => {
    const same = await holdSame(tx, row.workspace_id, { eventId: row.id });
    const retry = same.find((run) => run.retry_of !== null && (isOpen(run) || !known.includes(run.id)));
    if (retry !== undefined) throw triedAlready('What this event started', retry);
  };

  /** Of a replay that of what it replays, for as long as that is kept. */
  const identityOf = async (workspaceId: string, { delivery, key }: EventRow): Promise<string> => {
    if (delivery !== 'replay') return key;
    const replayed = await rowOf(workspaceId, replayedBy(key)).catch((error: unknown) => {
      if (error instanceof Fault && error.code === 'not_found') return undefined;
      throw error;
    });
    return replayed === undefined ? key : identityOf(workspaceId, replayed);
  };

  return {
    ...reading,

    /** Starts the agent again from a stored event; one that was not admitted is judged anew. */
    replay: async (workspaceId: string, id: string): Promise<EventSummary> => {
      // First of all: whatever starts the agent from now on is met below.
      const before = await startedIn(store.of(workspaceId), workspaceId, id);
      const runs = await sameAs(store.of(workspaceId), workspaceId, { eventId: id });
      const row = await rowOf(workspaceId, id);
      const trigger = await triggerOfEvent(row);
      const key = replayKey(replayedIn(row), clock.now());
      const startOnce = async (
        known: readonly string[],
        draft: EventDraft,
        first: (tx: Kysely<Tables>) => Promise<void>,
      ) => {
        const { launch } = await store.system.transaction().execute(async (tx) => {
          await refuseRetried(tx, row, runs);
          await holdUnstarted(tx, row, known);
          await first(tx);
          return settle.within(tx, [{ drafts: [draft] }]);
        });
        launch();
        return made(workspaceId, row.trigger_id, key);
      };
      // Of what was admitted only a pause may have kept it back: of its agent, or while nobody looked.
      if (row.outcome === 'fired' || row.data !== null) {
        if (row.data === null)
          throw new Fault('conflict', 'What happened was erased with its account; the agent would be told nothing.');
        const draft = draftFrom(workspaceId, trigger, {
          key,
          identity: await identityOf(workspaceId, row),
          upstreamId: row.upstream_id,
          occurredAt: row.occurred_at,
          delivery: 'replay',
          summary: row.summary,
          actor: row.actor,
          data: row.data,
        });
        return startOnce(before, draft, async () => {});
      }
      const draft = await judgeAnew(row);
      if (draft === undefined)
        throw new Fault('conflict', 'This is older than the trigger, or not of its kind any more.');
      // What it replays may have started the agent by itself.
      const known = before.filter((each) => each !== replayedIn(row));
      return startOnce(known, asReplay(draft, key), (tx) => replaceFailed(tx, row, draft));
    },

    /** A sample event, never mixed with live ones. */
    test: async (workspaceId: string, triggerId: string): Promise<EventSummary> => {
      const trigger = await triggerRow(workspaceId, triggerId);
      const definition = triggerOf(catalogue, trigger.type);
      const config = parseConfig(definition, trigger.config);
      const at = clock.now();
      const id = sampleId(at);
      const delivery = definition.kind === 'webhook' ? definition.delivery.parse(definition.sample) : undefined;
      const data: unknown =
        definition.kind === 'webhook' ? definition.toEvent(delivery, config, definition.pages) : definition.sample;
      const actor = definition.kind === 'webhook' ? definition.actorOf(delivery) : undefined;
      const draft = draftFrom(workspaceId, trigger, {
        key: id,
        upstreamId: id,
        occurredAt: at,
        delivery: 'test',
        summary: shortened(
          `Test: ${definition.kind === 'webhook' ? definition.summaryOf(delivery) : definition.title}`,
        ),
        actor: seenFrom(trigger.identity, actor),
        data: definition.event.parse(data),
      });
      await settle.together({ drafts: [draft] });
      return made(workspaceId, triggerId, id);
    },
  };
};

export type History = ReturnType<typeof createHistory>;
