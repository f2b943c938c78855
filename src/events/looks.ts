import { sql } from 'kysely';
import type { Clock, Intervals } from '#clock';
import { type CaughtUp, Fault, type Sighting, type Watching } from '#kit';
import type { Log } from '#log';
import type { Store } from '#store';
import type { Arrivals } from './arrivals.ts';
import type { Assess } from './assess.ts';
import type { Arrival, EventDraft } from './draft.ts';
import { failed } from './judge.ts';
import { lookDiedWords, mostLapses } from './lapses.ts';
import { ownObstacleMs } from './obstacle.ts';
import { type Own, throughUs } from './own.ts';
import { type PassedPause, pauseAt, pausedFrom } from './passed-pauses.ts';
import type { Registrar } from './registrar.ts';
import { forNewcomers, type Present } from './rewind.ts';
import type { ListedTrigger, Rosters } from './rosters.ts';
import type { ServiceTime } from './service-time.ts';
import type { NewArrival, Settle } from './settle.ts';
import { draftSighting, isPolled, lookContextOf, skippedUnseen } from './sightings.ts';
import { unlessGoneOn } from './skipped-in-pause.ts';
import type { Telling } from './telling.ts';
import { knownSince, type ToldAlreadyOf } from './told-already.ts';
import type { Watchers } from './watch-context.ts';
import type { SeenWatch, WatchReader } from './watch-reader.ts';
import { type HeldWatch, isPoll, type WatchRecords } from './watch-records.ts';

/** Looks through what happened since the stored cursor, and settles it together with the cursor. */
export type Looks = {
  look(held: HeldWatch): Promise<void>;
  /** Only for what the service could not tell of lately, where that costs less. */
  glance(held: HeldWatch): Promise<void>;
};

/** Another process took the watch over. */
const lost = Symbol('lost');
class Lost extends Fault {
  constructor() {
    super('conflict', 'Another process looks after this watch now.');
  }
}
const maxPages = 200;
const soonestMs = 500;
const longestUndecidedMs = 120_000;
/** The service was there and said no: somebody must do something. */
const refusals: ReadonlySet<string> = new Set([
  'invalid_input',
  'not_found',
  'reconnect_needed',
  'forbidden',
  'upstream_rejected',
]);

export const createLooks = (options: {
  store: Store;
  clock: Clock;
  intervals: Intervals;
  log: Log;
  reader: WatchReader;
  records: WatchRecords;
  rosters: Rosters;
  watchers: Watchers;
  registrar: Registrar;
  assess: Assess;
  settle: Settle;
  arrivals: Arrivals;
  own: Own;
  serviceTime: ServiceTime;
  telling: Telling;
  toldAlready: ToldAlreadyOf;
}): Looks => {
  const {
    store,
    clock,
    intervals,
    log,
    reader,
    records,
    rosters,
    watchers,
    registrar,
    assess,
    settle,
    arrivals,
    own,
    serviceTime,
    telling,
    toldAlready,
  } = options;
  const place = (watch: SeenWatch) => ({ workspaceId: watch.workspace_id, watchId: watch.id });

  const later = (arrival: Arrival, key: string, occurrence: NewArrival['occurrence']): NewArrival => ({
    workspaceId: arrival.watch.workspace_id,
    watchId: arrival.watch.id,
    key,
    occurrence,
    delivery: arrival.delivery,
    receivedAt: arrival.receivedAt,
  });

  /**
   * Events, what is to be judged later, gaps, and the cursor change in one transaction. Answers where to go on, and for whom,
   * where others may have come to be `present` meanwhile.
   */
  const keep = async (
    held: HeldWatch,
    watch: SeenWatch,
    reached: Pick<CaughtUp, 'cursor' | 'gaps' | 'hindrance' | 'name'> & { isOver: boolean },
    drafts: readonly EventDraft[],
    postponed: readonly NewArrival[],
    present?: Present,
  ) => {
    const outcome = await store.system.transaction().execute(async (tx) => {
      // Before the watch is held: whoever changes a trigger holds that first, and its watches then.
      const judged = await unlessGoneOn(tx, drafts);
      const roster = await records.advance(tx, held, reached);
      if (roster === undefined) return lost;
      const { watching } = watchers.of(watch.integration);
      const next = present && (await forNewcomers(tx, watch, watching, reached.cursor, present, roster));
      await records.recordGaps(tx, place(watch), reached.gaps ?? []);
      const settled = await settle.within(tx, [{ drafts: judged, arrivals: postponed, isListed: true }]);
      return { ...settled, next };
    });
    if (outcome === lost) throw new Lost();
    outcome.launch();
    arrivals.begin(
      watch,
      outcome.settled.flatMap(({ arrivalIds }) => arrivalIds),
    );
    return outcome.next;
  };

  /** Nobody asks for it any more. Whoever does later learns what is there by then: what changed until that is not new. */
  const forget = async (watch: SeenWatch): Promise<void> => {
    await sql`update watches set remembered = null, roster = roster + 1
      where workspace_id = ${watch.workspace_id} and id = ${watch.id}`.execute(store.of(watch.workspace_id));
  };

  /** What the service never lists is told from what is there now. */
  const compareState = async (watch: SeenWatch, names: ReadonlySet<string>): Promise<void> => {
    const { watching, context } = watchers.of(watch.integration);
    const { state } = watching;
    if (state === undefined) return;
    const snapshot = await state.snapshot(watch.resource, context(watch, names));
    if (snapshot === undefined) return watch.remembers ? forget(watch) : undefined;
    const arrival: Arrival = { watch, receivedAt: clock.now(), delivery: 'catchup' };
    const { settled } = await store.system.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('watches')
        .select('remembered')
        .where('id', '=', watch.id)
        .forUpdate()
        .executeTakeFirst();
      const { state: next, occurrences } = state.diff(row?.remembered ?? undefined, snapshot);
      await tx
        .updateTable('watches')
        .set({
          remembered: JSON.stringify(next),
          // From now on what is told goes by the state.
          ...(watch.remembers ? {} : { roster: sql<number>`roster + 1` }),
        })
        .where('id', '=', watch.id)
        .execute();
      return settle.within(tx, [{ drafts: [], arrivals: occurrences.map((each) => later(arrival, each.key, each)) }]);
    });
    arrivals.begin(
      watch,
      settled.flatMap(({ arrivalIds }) => arrivalIds),
    );
  };

  type Stretch = Watching['catchUp'];

  /** Stretch after stretch, each stored with what became of it. What only glances has not caught up with everything. */
  const goThrough = async (held: HeldWatch, watch: SeenWatch, stretch: Stretch, isWhole: boolean): Promise<void> => {
    const { watching, context } = watchers.of(watch.integration);
    const { ids, triggers, names } = await rosters.of(watch);
    const since = triggers.reduce((oldest, trigger) => (trigger.since < oldest ? trigger.since : oldest), clock.now());
    let cursor = held.cursor ?? (await watching.begin(watch.resource, since, context(watch, names)));
    let present: Present = { roster: watch.roster, ids };
    for (let page = 0; page < maxPages; page += 1) {
      const asking = {
        ...context(watch, names),
        apart: watch.is_apart,
        toldAlready: (some: readonly string[]) => toldAlready(watch, some),
        knownSince: knownSince(watch, since),
      };
      const caught = await stretch(watch.resource, cursor, asking);
      // Whoever was paused before something happened is seen as paused: triggers are looked at after the service.
      const seen = caught.occurrences.length === 0 ? watch : ((await reader.byId(watch.id)) ?? watch);
      const arrival: Arrival = { watch: seen, receivedAt: clock.now(), delivery: 'catchup' };
      const { drafts, deferred } = await assess.quickly(arrival, caught.occurrences);
      const postponed = [
        ...deferred.map((occurrence) => later(arrival, occurrence.key, occurrence)),
        ...(caught.hints ?? []).map((hint) => later(arrival, hint, null)),
      ];
      const { more, gaps, hindrance, name } = caught;
      const reached = { cursor: caught.cursor, isOver: isWhole && !more, gaps, hindrance, name };
      const next = await keep(held, watch, reached, drafts, postponed, present);
      if (next !== undefined) ({ cursor, present } = next);
      if (!caught.more) break;
    }
  };

  const catchUp = async (held: HeldWatch, watch: SeenWatch): Promise<number> => {
    await goThrough(held, watch, watchers.of(watch.integration).watching.catchUp, true);
    await compareState(watch, (await rosters.of(watch)).names);
    return registrar.isPushed(watch) && watch.registration !== null && watch.state !== 'degraded'
      ? intervals.lookMs
      : intervals.pollMs;
  };

  /** The first look after a pause meets all that came to be in it; what comes to light later, as when a date is moved, is new. */
  const pauseOf = (watch: SeenWatch, { passed }: ListedTrigger, at: Date): PassedPause | undefined => {
    const skew = serviceTime.skewOf(watch.integration);
    const lookedAt = watch.caught_up_at?.getTime() ?? Number.NEGATIVE_INFINITY;
    const unseen = passed.filter(({ until }) => until.getTime() > lookedAt);
    // What was past by the last look and was not there is younger than that, such as a date that was set in the pause.
    return at.getTime() < lookedAt + skew.least ? unseen[0] : pauseAt(unseen, at, skew);
  };

  /** What we did ourselves starts nothing, unless the trigger asks for it; `undecided` while our write is under way. */
  const settleOwn = async (
    watch: SeenWatch,
    trigger: ListedTrigger,
    { cause }: Sighting,
    draft: EventDraft,
  ): Promise<EventDraft | 'undecided'> => {
    if (cause === undefined || !trigger.ignoresSelf || draft.outcome.outcome !== 'fired') return draft;
    const { upstream } = watchers.of(watch.integration).context(watch);
    const isOwn = await own.decide(watch, cause, upstream);
    if (isOwn !== 'undecided') return isOwn ? { ...draft, outcome: throughUs, data: null } : draft;
    // Nobody waits for ever for one of our own writes.
    return clock.now().getTime() - draft.occurredAt.getTime() < longestUndecidedMs ? 'undecided' : draft;
  };

  const poll = async (held: HeldWatch, watch: SeenWatch): Promise<number> => {
    const { context } = watchers.of(watch.integration);
    const [trigger] = (await rosters.of(watch)).triggers;
    // While it is paused nothing is looked at; when it goes on, it begins where it stopped.
    if (trigger === undefined || !isPolled(trigger) || trigger.state === 'paused') return intervals.pollMs;
    const { definition, config } = trigger;
    const looked = await definition.look(lookContextOf(trigger, context(watch), held.cursor ?? undefined));
    const { unread = [] } = looked;
    const obstacle = unread.find(({ error }) => ownObstacleMs(error) !== undefined);
    if (obstacle !== undefined) throw obstacle.error;
    const arrival: Arrival = { watch, receivedAt: clock.now(), delivery: held.cursor === null ? 'catchup' : 'live' };
    const settled = await Promise.all(
      looked.sightings.map((sighting) =>
        settleOwn(
          watch,
          trigger,
          sighting,
          draftSighting(arrival, trigger, sighting, pauseOf(watch, trigger, sighting.at)),
        ),
      ),
    );
    const drafts = settled.filter((draft) => draft !== 'undecided');
    // All of it is seen once more in a moment.
    if (drafts.length < settled.length) return soonestMs;
    const unseen = unread.map(({ occurrence, error }) => {
      const pause = pauseOf(watch, trigger, occurrence.at);
      return pause === undefined
        ? failed(arrival, trigger, occurrence, error)
        : skippedUnseen(arrival, trigger, occurrence, pausedFrom(pause));
    });
    const { cursor, hindrance } = looked;
    await keep(held, watch, { cursor, isOver: true, hindrance }, [...drafts, ...unseen], []);
    const everySeconds = definition.pollSeconds?.(config) ?? definition.every.seconds;
    const isSlower = everySeconds > definition.every.seconds;
    const everyMs = isSlower ? 1_000 * everySeconds : Math.min(intervals.pollMs, 1_000 * everySeconds);
    const soonMs = looked.nextAt === undefined ? everyMs : looked.nextAt.getTime() - clock.now().getTime();
    return Math.max(soonestMs, Math.min(everyMs, soonMs));
  };

  /** Said once: when the watch breaks, not each time it is found broken. */
  const tellBroken = async (watch: SeenWatch, reason: string): Promise<void> => {
    if (!(await records.setState(place(watch), 'broken', reason))) return;
    // Whoever met the refused account first has told of all its triggers.
    if ((await reader.byId(watch.id))?.account_state === 'needs_reconnect') return;
    const { triggers } = await rosters.of(watch);
    const broken = triggers.map(({ id, agentId, definition }) => ({
      workspaceId: watch.workspace_id,
      triggerId: id,
      agentId,
      accountId: watch.account_id,
      type: definition.id,
      ...(watch.end_user_id === null ? {} : { endUserId: watch.end_user_id }),
      reason,
    }));
    await store
      .of(watch.workspace_id)
      .transaction()
      .execute((tx) => telling.broken(tx, broken));
  };

  /** A service that fails is asked less and less, but no less than one that answers; what we put in our own way, it cannot help. */
  const backoffMs = (error: unknown, failures: number): number =>
    ownObstacleMs(error) === undefined
      ? Math.min(intervals.pollMs * 2 ** (failures - 1), intervals.lookMs)
      : intervals.retryMs;

  const troubled = async (held: HeldWatch, watch: SeenWatch, error: unknown): Promise<void> => {
    if (error instanceof Lost) return;
    const fault = error instanceof Fault ? error : undefined;
    if (fault === undefined) log.error({ err: error, watchId: watch.id }, 'a look met a defect');
    const failures = held.failures + 1;
    const isFinal = fault !== undefined && refusals.has(fault.code);
    const reason = fault?.message ?? 'Something went wrong on our side while looking.';
    if (isFinal) await tellBroken(watch, reason);
    else if (failures >= 3) await records.setState(place(watch), 'degraded', reason);
    // While its account cannot be used nobody looks, so that the first look after that is not delayed.
    const idle = (await reader.byId(watch.id))?.account_state !== 'connected';
    const waitMs = idle ? 0 : Math.max(fault?.retryAfterMs ?? 0, backoffMs(error, failures));
    await records.release(held, { lookMs: waitMs, failures, isTroubled: true });
  };

  const look = async (held: HeldWatch, watch: SeenWatch): Promise<void> => {
    if (held.lapses >= mostLapses) {
      log.error({ watchId: held.id, lapses: held.lapses }, 'a watch is looked at seldom: its processes died');
      await records.setState(place(watch), 'degraded', lookDiedWords);
    }
    const nextMs = isPoll(watch.resource) ? await poll(held, watch) : await catchUp(held, watch);
    await records.release(held, { lookMs: nextMs, failures: 0 });
    // Of a pushed watch, the registration tells whether it is healthy.
    if (!registrar.isPushed(watch) || watch.state === 'broken') await records.setState(place(watch), 'healthy', null);
  };

  const glance = async (held: HeldWatch, watch: SeenWatch): Promise<void> => {
    const { watching } = watchers.of(watch.integration);
    // Where processes died, or nothing was looked at yet, it is done thoroughly.
    if (watching.glance === undefined || held.cursor === null || held.lapses > 0) return look(held, watch);
    await goThrough(held, watch, watching.glance, false);
    await records.release(held, { hasGlanced: true });
  };

  const withTrouble = (work: typeof look) => async (held: HeldWatch) => {
    const watch = await reader.byId(held.id);
    if (watch === undefined) return;
    try {
      await work(held, watch);
    } catch (error) {
      await troubled(held, watch, error);
    }
  };

  return { look: withTrouble(look), glance: withTrouble(glance) };
};
