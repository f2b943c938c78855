import {
  type CatalogueTrigger,
  Fault,
  type LookContext,
  type Occurrence,
  type Sighting,
  type WatchContext,
} from '#kit';
import { type Arrival, draftOf, type EventDraft, seenFrom, shortened } from './draft.ts';
import { idleReason } from './judge.ts';
import { type PassedPause, pausedFrom } from './passed-pauses.ts';
import type { ListedTrigger } from './rosters.ts';

type Poll = Extract<CatalogueTrigger, { kind: 'poll' }>;
type PolledTrigger = ListedTrigger & { definition: Poll };

export const isPolled = (trigger: ListedTrigger): trigger is PolledTrigger => trigger.definition.kind === 'poll';

export const lookContextOf = (
  { definition, config, since }: PolledTrigger,
  { upstream, account, now }: Omit<WatchContext, 'triggers'>,
  cursor: unknown,
): LookContext<unknown> => ({ upstream, account, config, cursor, since, now, pages: definition.pages });

/** An event as a look tells it, and whether it belongs to a pause. */
export const draftSighting = (
  arrival: Arrival,
  trigger: ListedTrigger,
  sighting: Sighting,
  pause?: PassedPause,
): EventDraft => {
  const { key, order, subject, at, event, actor, summary, judgement = { outcome: 'fired' as const } } = sighting;
  const told = {
    ...draftOf(arrival, trigger, { key, order, subject, at, body: null }),
    summary: shortened(summary),
    actor: seenFrom(arrival.watch.identity, actor),
  };
  if (judgement.outcome !== 'fired') return { ...told, outcome: judgement };
  const data: unknown = trigger.definition.event.parse(event);
  // What it would have told is kept for a replay: not all of it can be read again.
  return {
    ...told,
    outcome: pause === undefined ? judgement : { outcome: 'skipped', reason: pausedFrom(pause) },
    data,
  };
};

/** What is skipped without being read: it can be caught up with, and replayed. */
export const skippedUnseen = (
  arrival: Arrival,
  trigger: ListedTrigger,
  occurrence: Occurrence,
  reason: string,
): EventDraft => ({
  ...draftOf(arrival, trigger, occurrence),
  summary: trigger.definition.title,
  outcome: { outcome: 'skipped', reason },
  occurrence,
});

/** Tries once more what a look could not read. */
export const readAgain = async (
  arrival: Arrival,
  trigger: ListedTrigger,
  occurrence: Occurrence,
  context: WatchContext,
): Promise<EventDraft> => {
  const idle = idleReason(trigger, arrival.watch);
  if (idle !== undefined) return skippedUnseen(arrival, trigger, occurrence, idle);
  const sighting = isPolled(trigger)
    ? await trigger.definition.read?.(occurrence, lookContextOf(trigger, context, undefined))
    : undefined;
  if (sighting === undefined)
    throw new Fault('conflict', 'The service keeps no record of this that could be read again.');
  return draftSighting(arrival, trigger, sighting);
};
