import type { CatalogueTrigger, JudgeContext, Occurrence } from '#kit';
import { type Arrival, draftOf, type EventDraft, failureOf, seenFrom, shortened } from './draft.ts';
import { pauseAt, pausedFrom } from './passed-pauses.ts';
import { pauses } from './pauses.ts';
import type { ListedTrigger } from './rosters.ts';
import type { Skew } from './service-time.ts';
import { pausedSince } from './skipped-in-pause.ts';
import type { SeenWatch } from './watch-reader.ts';

type Webhook = Extract<CatalogueTrigger, { kind: 'webhook' }>;

/** What a trigger makes of an occurrence without asking anybody. */
export type Judged =
  /** It belongs to other triggers, or to the time before this one. */
  | 'other'
  /** Facts must be read first. */
  | { incomplete: unknown }
  | { draft: EventDraft };

export const accountOf = ({ account_id: id, identity, scopes }: SeenWatch): JudgeContext['account'] => ({
  id,
  identity,
  scopes,
});

// Services tell the time in seconds, and the second in which a trigger was enabled counts.
export const isOlder = (at: Date, since: Date): boolean => at.getTime() < Math.floor(since.getTime() / 1_000) * 1_000;

const actorOf = (definition: Webhook, delivery: unknown, watch: SeenWatch): EventDraft['actor'] =>
  seenFrom(watch.identity, definition.actorOf(delivery));

/** When it is judged: by our own time, and how that of the service differs. */
export type Moment = { now: Date; skew: Skew };

/** Why nothing that happens now may start this trigger's agent. */
export const idleReason = (trigger: ListedTrigger, watch: SeenWatch): string | undefined => {
  if (trigger.state === 'paused') return pausedSince(trigger.pausedAt);
  return watch.account_state === 'paused' ? pauses.account : undefined;
};

const dayMs = 86_400_000;

/** Nothing is forgotten sooner than this. */
export const isYoung = ({ receivedAt }: Arrival, { at }: Occurrence): boolean =>
  at.getTime() >= receivedAt.getTime() - dayMs;

/**
 * What happened before the last look has been told. If it was told so long ago that this is not known any more, it must not
 * start a second time: old mail is met again whenever somebody files it.
 */
const forgottenReason = (arrival: Arrival, { at }: Occurrence): string | undefined => {
  const { receivedAt, isPending = false } = arrival;
  const {
    caught_up_at: caughtUpAt,
    keep_history_days: days,
    forgotten_before: before,
    read_at: readAt,
  } = arrival.watch;
  // A clock that is ahead makes nothing old.
  const isOld = at.getTime() < Math.min(receivedAt.getTime(), readAt.getTime()) - days * dayMs;
  const isForgotten = isOld || (before !== null && at < before);
  if (isPending || !isForgotten || caughtUpAt === null || at >= caughtUpAt) return undefined;
  if (!isOld)
    return 'It happened when history was kept for fewer days; whether it has started something already is not known.';
  const span = days === 1 ? 'a day' : `${days} days`;
  return `It happened more than ${span} ago; whether it has started something already is not known for so long.`;
};

/** Judges a delivery whose facts are complete. */
export const decide = (
  arrival: Arrival,
  trigger: ListedTrigger & { definition: Webhook },
  occurrence: Occurrence,
  delivery: unknown,
  { now, skew }: Moment,
): EventDraft => {
  const { watch, isReplay = false } = arrival;
  const { definition, config, since, passed } = trigger;
  const draft = draftOf(arrival, trigger, occurrence);
  const judgement = definition.judge(delivery, config, { account: accountOf(watch), since, now });
  const told: Omit<EventDraft, 'outcome'> = {
    ...draft,
    summary: shortened(definition.summaryOf(delivery)),
    actor: actorOf(definition, delivery, watch),
    ...(definition.passing?.isOver(delivery) === true ? { passed: definition.passing.reasons } : {}),
  };
  if (judgement.outcome !== 'fired') return { ...told, outcome: judgement };
  const forgotten = forgottenReason(arrival, occurrence);
  if (forgotten !== undefined) return { ...told, outcome: { outcome: 'skipped', reason: forgotten } };
  const pause = isReplay ? undefined : pauseAt(passed, occurrence.at, skew);
  const idle = pause === undefined ? idleReason(trigger, watch) : pausedFrom(pause);
  if (idle !== undefined) return { ...told, outcome: { outcome: 'skipped', reason: idle }, occurrence };
  const data: unknown = definition.event.parse(definition.toEvent(delivery, config, definition.pages));
  return { ...told, outcome: judgement, data };
};

/** Nothing can be read with a paused account: what needs that is skipped as everything else is. */
export const skippedUnread = (
  arrival: Arrival,
  trigger: ListedTrigger & { definition: Webhook },
  occurrence: Occurrence,
  delivery: unknown,
): EventDraft | undefined => {
  const { watch } = arrival;
  const reason = watch.account_state === 'paused' ? idleReason(trigger, watch) : undefined;
  if (reason === undefined) return undefined;
  return {
    ...draftOf(arrival, trigger, occurrence),
    summary: shortened(trigger.definition.summaryOf(delivery)),
    actor: actorOf(trigger.definition, delivery, watch),
    outcome: { outcome: 'skipped', reason },
    occurrence,
  };
};

/** An occurrence on which judging itself failed: it is kept, and judged again later. */
export const failed = (
  arrival: Arrival,
  trigger: ListedTrigger,
  occurrence: Occurrence,
  error: unknown,
): EventDraft => ({
  ...draftOf(arrival, trigger, occurrence),
  summary: 'Could not be judged yet',
  outcome: { outcome: 'failed', ...failureOf(error) },
  occurrence,
});

export const isWebhook = (trigger: ListedTrigger): trigger is ListedTrigger & { definition: Webhook } =>
  trigger.definition.kind === 'webhook';

export const judge = (arrival: Arrival, trigger: ListedTrigger, occurrence: Occurrence, moment: Moment): Judged => {
  if (!isWebhook(trigger) || isOlder(occurrence.at, trigger.since)) return 'other';
  const { definition, config } = trigger;
  const parsed = definition.delivery.safeParse(occurrence.body);
  if (!parsed.success) return 'other';
  if (definition.isIncomplete?.(parsed.data, config)) return { incomplete: parsed.data };
  return { draft: decide(arrival, trigger, occurrence, parsed.data, moment) };
};
