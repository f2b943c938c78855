import type { Clock } from '#clock';
import { breath, Fault, type Occurrence, oneByOne, type WatchContext } from '#kit';
import type { Log } from '#log';
import type { Arrival, EventDraft } from './draft.ts';
import type { UnlessGivenUp } from './given-up.ts';
import { decide, failed, isWebhook, isYoung, judge, type Moment, skippedUnread } from './judge.ts';
import { ownObstacleMs } from './obstacle.ts';
import { type Own, throughUs } from './own.ts';
import { readingOnce } from './reading-once.ts';
import type { ListedTrigger, Rosters } from './rosters.ts';
import type { ServiceTime } from './service-time.ts';
import type { Guess } from './settling.ts';
import { readAgain } from './sightings.ts';
import { isForPause } from './skipped-in-pause.ts';
import type { SeenWatch } from './watch-reader.ts';

/** What became of some occurrences. */
export type Assessed = {
  drafts: EventDraft[];
  /** Occurrences that no trigger here asks for. */
  others: Occurrence[];
  /** Something must be read before these can be judged. */
  deferred: Occurrence[];
};

/** `obstacle`: why some are missing here, which is of our own making; those are to be judged again. */
export type Thorough = { drafts: EventDraft[]; obstacle?: unknown };

export type Assess = {
  /**
   * Judges without asking the service: for notifications, which must be answered at once, and for long lists. Where
   * processes died, nothing is judged along with others.
   */
  quickly(arrival: Arrival, occurrences: readonly Occurrence[]): Promise<Assessed>;
  /**
   * Judges by what is remembered of the watch, asking nobody. `undefined`: that does not do, for something must be read,
   * or nobody seems to ask for it, which only a fresh look can tell.
   */
  bySight(arrival: Arrival, occurrences: readonly Occurrence[]): Promise<Guess[] | undefined>;
  /** Judges one occurrence for each of the triggers, and reads what is missing. */
  thoroughly(
    arrival: Arrival,
    occurrence: Occurrence,
    context: WatchContext,
    options?: {
      only?: (trigger: ListedTrigger) => boolean;
      /** Nobody waits for ever for one of our own writes. */
      evenIfUndecided?: boolean;
    },
  ): Promise<Thorough>;
};

type Drafted = { trigger: ListedTrigger; draft: EventDraft };

export const createAssess = (options: {
  rosters: Rosters;
  own: Own;
  clock: Clock;
  serviceTime: ServiceTime;
  log: Log;
  unlessGivenUp: UnlessGivenUp;
}): Assess => {
  const { rosters, own, clock, serviceTime, log, unlessGivenUp } = options;

  const momentOf = ({ integration }: SeenWatch): Moment => ({
    now: clock.now(),
    skew: serviceTime.skewOf(integration),
  });

  /** What we did ourselves starts nothing, unless the trigger asks for it. */
  const settleOwn = async (
    { watch }: Arrival,
    occurrence: Occurrence,
    drafts: readonly Drafted[],
    upstream?: WatchContext['upstream'],
  ): Promise<EventDraft[] | 'undecided'> => {
    const asks = drafts.some(({ trigger, draft }) => trigger.ignoresSelf && draft.outcome.outcome === 'fired');
    const isOwn = asks && (await own.decide(watch, occurrence, upstream));
    if (isOwn === 'undecided') return 'undecided';
    return drafts.map(({ trigger, draft }) =>
      isOwn && trigger.ignoresSelf && draft.outcome.outcome === 'fired'
        ? { ...draft, outcome: throughUs, data: null }
        : draft,
    );
  };

  const atOnce = async (
    arrival: Arrival,
    occurrence: Occurrence,
    triggers: readonly ListedTrigger[],
    pause: ReturnType<typeof breath>,
  ): Promise<Drafted[] | 'deferred'> => {
    const drafts: Drafted[] = [];
    const moment = momentOf(arrival.watch);
    for (const trigger of triggers) {
      const turn = pause();
      if (turn !== undefined) await turn;
      try {
        const judged = judge(arrival, trigger, occurrence, moment);
        if (judged === 'other') continue;
        if ('incomplete' in judged) return 'deferred';
        drafts.push({ trigger, draft: judged.draft });
      } catch (error) {
        log.error(
          { err: error, triggerId: trigger.id, watchId: arrival.watch.id },
          'an occurrence could not be judged',
        );
        drafts.push({ trigger, draft: failed(arrival, trigger, occurrence, error) });
      }
    }
    return drafts;
  };

  const completely = async (
    arrival: Arrival,
    trigger: ListedTrigger,
    occurrence: Occurrence,
    context: WatchContext,
  ): Promise<EventDraft | undefined> => {
    if (!isWebhook(trigger)) return readAgain(arrival, trigger, occurrence, context);
    const judged = judge(arrival, trigger, occurrence, momentOf(arrival.watch));
    if (judged === 'other') return undefined;
    if ('draft' in judged) return judged.draft;
    const skipped = skippedUnread(arrival, trigger, occurrence, judged.incomplete);
    if (skipped !== undefined) return skipped;
    const delivery = await trigger.definition.complete?.(judged.incomplete, context, trigger.config);
    return decide(arrival, trigger, occurrence, delivery ?? judged.incomplete, momentOf(arrival.watch));
  };

  return {
    quickly: async (arrival, occurrences) => {
      if (arrival.watch.is_apart) {
        return { drafts: [], deferred: await unlessGivenUp(arrival.watch, occurrences), others: [] };
      }
      const { triggers } = await rosters.of(arrival.watch);
      const pause = breath();
      const judged: { occurrence: Occurrence; drafts: Drafted[] | 'deferred' }[] = [];
      for (const occurrence of occurrences) {
        judged.push({ occurrence, drafts: await atOnce(arrival, occurrence, triggers, pause) });
      }
      const settle = async ({ occurrence, drafts }: (typeof judged)[number]) => {
        const settled = drafts === 'deferred' ? drafts : await settleOwn(arrival, occurrence, drafts);
        return settled === 'undecided' ? 'deferred' : settled;
      };
      const all = await Promise.all(judged.map(settle));
      const drafts = all.flatMap((each) => (each === 'deferred' ? [] : each));
      const deferred = occurrences.filter((_, at) => all[at] === 'deferred');
      const others = occurrences.filter((_, at) => all[at]?.length === 0);
      return { drafts, deferred, others };
    },

    bySight: async (arrival, occurrences) => {
      const { watch } = arrival;
      if (watch.is_apart) return undefined;
      const { triggers } = await rosters.of(watch);
      const moment = momentOf(watch);
      const guesses: Guess[] = [];
      for (const occurrence of occurrences) {
        if (!isYoung(arrival, occurrence)) return undefined;
        const question = own.question(watch, occurrence);
        // What an account of ours has written without an id yet is looked for in the usual way, and so is what must be read.
        if (question?.isUnplaced === true && question.suspect) return undefined;
        if (question !== undefined && (await own.isByColleague(watch, question))) return undefined;
        for (const trigger of triggers) {
          const judged = judge(arrival, trigger, occurrence, moment);
          if (judged === 'other') continue;
          if ('incomplete' in judged) return undefined;
          const { draft } = judged;
          if (isForPause(draft)) return undefined;
          const matters = trigger.ignoresSelf && draft.outcome.outcome === 'fired';
          const { roster, account_seen: accountSeen } = watch;
          guesses.push({ draft, roster, accountSeen, own: matters ? question : undefined });
        }
      }
      return guesses.length === 0 ? undefined : guesses;
    },

    thoroughly: async (arrival, occurrence, context, { only = () => true, evenIfUndecided = false } = {}) => {
      const { triggers } = await rosters.of(arrival.watch);
      const shared = { ...context, upstream: readingOnce(context.upstream) };
      let obstacle: unknown;
      const judged = await oneByOne(triggers.filter(only), async (trigger) => {
        try {
          const draft = await completely(arrival, trigger, occurrence, shared);
          return draft === undefined ? [] : [{ trigger, draft }];
        } catch (error) {
          if (ownObstacleMs(error) !== undefined) {
            obstacle ??= error;
            return [];
          }
          if (!(error instanceof Fault)) {
            log.error({ err: error, triggerId: trigger.id, watchId: arrival.watch.id }, 'judging met a defect');
          }
          return [{ trigger, draft: failed(arrival, trigger, occurrence, error) }];
        }
      });
      const drafts = await Promise.all(judged);
      const settled = await settleOwn(arrival, occurrence, drafts.flat(), shared.upstream);
      if (settled !== 'undecided') return { drafts: settled, obstacle };
      if (evenIfUndecided) return { drafts: drafts.flat().map(({ draft }) => draft), obstacle };
      throw new Fault('upstream_unavailable', 'Whether one of our own writes has caused this is not known yet.', {
        retryAfterMs: 1_000,
      });
    },
  };
};
