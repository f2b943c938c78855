import { createHash, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock, Intervals } from '#clock';
import type { Notice, Notification, Occurrence } from '#kit';
import type { Store } from '#store';
import type { Arrivals } from './arrivals.ts';
import type { Assess } from './assess.ts';
import type { Arrival } from './draft.ts';
import type { NewArrival, Settle } from './settle.ts';
import type { Tally } from './tally.ts';
import { createTurns } from './turns.ts';
import type { Watchers } from './watch-context.ts';
import type { SeenWatch, WatchReader } from './watch-reader.ts';

export type HookAnswer = { status: number; body?: string | undefined };

/** The door for notifications. It answers 200 only after what they tell is committed. */
export type Intake = (integration: string, token: string, notification: Notification) => Promise<HookAnswer>;

export const digestOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

// Told "gone", a service stops sending: the watch was removed.
const gone: HookAnswer = { status: 410 };
const taken: HookAnswer = { status: 200 };

/** A notification that is verified and tells all there is to know. */
type Sight = { watch: SeenWatch; occurrences: readonly Occurrence[] };

/** What happened to nothing that others could happen to is by itself. */
const subjectOf = (sight: Sight | undefined): string | undefined => {
  const [first, ...more] = sight?.occurrences ?? [];
  return more.length > 0 ? undefined : (first?.subject ?? first?.key);
};

export const createIntake = (options: {
  store: Store;
  clock: Clock;
  intervals: Pick<Intervals, 'missedMs' | 'lookMs'>;
  reader: WatchReader;
  watchers: Watchers;
  assess: Assess;
  settle: Settle;
  arrivals: Arrivals;
  tally: Tally;
  /** Called when a watch should be looked at or checked without waiting for its time. */
  poke: () => void;
}): Intake => {
  const { store, clock, intervals, reader, watchers, assess, settle, arrivals, tally, poke } = options;
  const turns = createTurns(clock);

  const proofOf = (watch: SeenWatch) => ({
    url: watch.callback ?? '',
    signingSecret: reader.signingSecretOf(watch),
    isOurSecret: (shown: string) => {
      const digest = digestOf(shown);
      // All are compared, so that the time tells nothing.
      return watch.secret_digests.map((known) => timingSafeEqual(known, digest)).includes(true);
    },
  });

  /** A service that loses one notification after the other says so each time: to look through everything for each uses up its calls. */
  const soon = (isAtOnce: boolean) =>
    sql`greatest(clock_timestamp(),
      greatest(caught_up_at, glanced_at) + ${isAtOnce ? 0 : intervals.missedMs}::float * interval '1 ms')`;

  /** Whoever has not been looked through for long is looked through as a whole. */
  const isLookedThrough = ({ caught_up_at: lookedAt, read_at: now }: SeenWatch): boolean =>
    lookedAt !== null && now.getTime() - lookedAt.getTime() < 2 * intervals.lookMs;

  const heed = async (watch: SeenWatch, notices: readonly Notice[]): Promise<void> => {
    if (notices.length === 0) return;
    const isRemoved = notices.includes('removed');
    const isMissed = notices.includes('missed') && !isRemoved;
    const { watching } = watchers.of(watch.integration);
    const glance = isMissed && watching.glance !== undefined && isLookedThrough(watch);
    const look = isRemoved || (isMissed && !glance);
    const check = notices.includes('renew') || notices.includes('removed');
    await sql`update watches set
        registration = case when ${isRemoved} then null else registration end,
        next_look_at = case when not ${look} or next_look_at between clock_timestamp() and ${soon(isRemoved)} then next_look_at
          else ${soon(isRemoved)} end,
        glance_at = case when not ${glance} or glance_at between clock_timestamp() and ${soon(false)} then glance_at
          else ${soon(false)} end,
        next_check_at = case when ${check} then clock_timestamp() else next_check_at end
      where workspace_id = ${watch.workspace_id} and id = ${watch.id}`.execute(store.of(watch.workspace_id));
    poke();
  };

  // An account that must be connected again cannot act; what happens meanwhile waits for it.
  const mustWait = (watch: SeenWatch): boolean => watch.account_state === 'needs_reconnect';

  const later = ({ watch, receivedAt, delivery }: Arrival, key: string, occurrence: Occurrence | null): NewArrival => ({
    waits: mustWait(watch),
    workspaceId: watch.workspace_id,
    watchId: watch.id,
    key,
    occurrence,
    delivery,
    receivedAt,
  });

  /** What changes a remembered state: the state and the occurrence are stored in one go, and judged after that. */
  const absorb = async (arrival: Arrival, occurrences: readonly Occurrence[]): Promise<string[]> => {
    const { watch } = arrival;
    const { state } = watchers.of(watch.integration).watching;
    if (state === undefined || occurrences.length === 0) return [];
    const { settled } = await store.system.transaction().execute(async (tx) => {
      const row = await tx
        .selectFrom('watches')
        .select('remembered')
        .where('id', '=', watch.id)
        .forUpdate()
        .executeTakeFirst();
      const absorbed = state.absorb(row?.remembered, occurrences);
      await tx
        .updateTable('watches')
        .set({ remembered: JSON.stringify(absorbed.state) })
        .where('id', '=', watch.id)
        .execute();
      const fresh = occurrences.filter(({ key }) => !absorbed.covered.has(key));
      return settle.within(tx, [{ drafts: [], arrivals: fresh.map((each) => later(arrival, each.key, each)) }]);
    });
    return settled.flatMap(({ arrivalIds }) => arrivalIds);
  };

  const take = async (arrival: Arrival, occurrences: readonly Occurrence[], hints: readonly string[]) => {
    const { watch } = arrival;
    const { state } = watchers.of(watch.integration).watching;
    const isStateful = (occurrence: Occurrence) => watch.remembers && state?.concerns(occurrence) === true;
    const plain = occurrences.filter((occurrence) => !isStateful(occurrence));
    const absorbed = await absorb(arrival, occurrences.filter(isStateful));
    const waits = mustWait(watch);
    const assessed = waits ? { drafts: [], deferred: plain, others: [] } : await assess.quickly(arrival, plain);
    const postponed = [
      ...assessed.deferred.map((occurrence) => later(arrival, occurrence.key, occurrence)),
      ...hints.map((hint) => later(arrival, hint, null)),
    ];
    const stored =
      assessed.drafts.length + postponed.length === 0
        ? []
        : (await settle.together({ drafts: assessed.drafts, arrivals: postponed })).arrivalIds;
    tally.notified(watch, assessed.others);
    if (!waits) arrivals.begin(watch, [...absorbed, ...stored]);
  };

  /** What is plainly told, as far as what is remembered of its watch says; `undefined` where that must be read first. */
  const sightOf = (integration: string, token: string, notification: Notification): Sight | undefined => {
    const watch = reader.remembered(token);
    if (watch?.integration !== integration || watch.account_state !== 'connected') return undefined;
    const { state, push } = watchers.of(watch.integration).watching;
    const received = push.receive(notification, proofOf(watch));
    if ('answer' in received) return undefined;
    const { occurrences, hints, notices } = received;
    const isStateful = (each: Occurrence) => watch.remembers && state?.concerns(each) === true;
    if (hints.length + notices.length > 0 || occurrences.some(isStateful)) return undefined;
    return { watch, occurrences };
  };

  /**
   * What is plainly told is judged by what is remembered of the watch, and stored if that is still so: one statement in
   * all. Otherwise it goes the usual way, by a fresh look at the watch.
   */
  const takeBySight = async ({ watch, occurrences }: Sight): Promise<HookAnswer | undefined> => {
    const arrival: Arrival = { watch, receivedAt: clock.now(), delivery: 'live' };
    const guesses = await assess.bySight(arrival, occurrences);
    if (guesses === undefined || !(await settle.ifUnchanged(guesses))) return undefined;
    tally.notified(watch);
    return taken;
  };

  const takeUsually: Intake = async (integration, token, notification) => {
    const watch = await reader.byToken(token);
    if (watch === undefined || watch.integration !== integration || watch.account_state === 'disconnected') return gone;
    const { watching } = watchers.of(watch.integration);
    const received = watching.push.receive(notification, proofOf(watch));
    if ('answer' in received) return received.answer;
    const arrival: Arrival = { watch, receivedAt: clock.now(), delivery: 'live' };
    await heed(watch, received.notices);
    if (received.occurrences.length + received.hints.length > 0) {
      await take(arrival, received.occurrences, received.hints);
    }
    return taken;
  };

  return (integration, token, notification) => {
    const usual = () => takeUsually(integration, token, notification);
    // Whoever only asks whether somebody is there tells nothing.
    if (notification.method !== 'POST') return usual();
    const sight = sightOf(integration, token, notification);
    const quick = async () => (sight === undefined ? undefined : takeBySight(sight));
    return turns({ watch: token, subject: subjectOf(sight) }, { quick, usual });
  };
};
