import { type EventActor, Fault, type Identity, type Judgement, type Occurrence } from '#kit';
import type { Delivery } from '#store';
import type { ListedTrigger } from './rosters.ts';
import type { SeenWatch } from './watch-reader.ts';

/** An event about to be written: one occurrence judged for one trigger. */
export type EventDraft = {
  trigger: Pick<ListedTrigger, 'id' | 'name' | 'workspaceId' | 'agentId'> & { type: string };
  watchId: string | null;
  account: { id: string; name: string; endUserId: string | null };
  key: string;
  /** What agents know it by, where its key is that of a replay. */
  identity?: string;
  upstreamId: string;
  outcome: Judgement | { outcome: 'failed'; reason: string; retryAfterMs: number };
  occurredAt: Date;
  receivedAt: Date;
  delivery: Delivery;
  subject: string | null;
  order: string;
  summary: string;
  actor: EventActor | null;
  data: unknown;
  /** For these it may have been skipped before, and is not any more. */
  passed?: readonly string[];
  /** Kept when it may have to be judged again. */
  occurrence: Occurrence | null;
};

/** Where and how occurrences came to us. */
export type Arrival = {
  watch: SeenWatch;
  receivedAt: Date;
  delivery: 'live' | 'catchup';
  /** It has been kept since it was found, so however old it is: nothing came of it yet. */
  isPending?: boolean;
  /** Somebody asks for it, in whichever pause it happened. */
  isReplay?: boolean;
};

const longest = 300;

export const draftOf = (
  { watch, receivedAt, delivery }: Arrival,
  trigger: ListedTrigger,
  occurrence: Occurrence,
): Omit<EventDraft, 'outcome'> => ({
  trigger: { ...trigger, type: trigger.definition.id },
  watchId: watch.id,
  account: { id: watch.account_id, name: watch.account_name, endUserId: watch.end_user_id },
  key: occurrence.key,
  upstreamId: occurrence.upstreamId ?? occurrence.key,
  occurredAt: occurrence.at,
  receivedAt,
  delivery,
  subject: occurrence.subject,
  order: occurrence.order,
  summary: '',
  actor: null,
  data: null,
  occurrence: null,
});

/** Mail tells people by their addresses, boards by their ids. */
export const seenFrom = (
  { id, address, username }: Identity,
  actor: Omit<EventActor, 'isSelf'> | undefined,
): EventActor | null => {
  if (actor === undefined) return null;
  const known = actor.id.toLowerCase();
  return { ...actor, isSelf: [id, address, username].some((own) => own?.toLowerCase() === known) };
};

/** The same as an event of its own: it was asked for, and waits for nothing else that happened to its subject. */
export const asReplay = (draft: EventDraft, key: string): EventDraft => ({
  ...draft,
  key,
  identity: draft.key,
  delivery: 'replay',
  subject: null,
  order: '',
});

/** What went wrong with an event, in words that hold no content of it. */
export const failureOf = (error: unknown): { reason: string; retryAfterMs: number } =>
  error instanceof Fault
    ? { reason: error.message, retryAfterMs: error.retryAfterMs ?? 0 }
    : { reason: 'Something went wrong on our side while this was judged.', retryAfterMs: 0 };

/** No more than a line of it, and no half of a character where it was cut, which cannot be stored. */
export const shortened = (text: string): string =>
  text.length > longest ? `${text.slice(0, longest - 1).toWellFormed()}…` : text;

/** What an agent is told; `{{event…}}` in a tool's inputs reads it. */
export const envelopeOf = (event: EventDraft & { attempt?: number }): Record<string, unknown> => ({
  eventId: event.identity ?? event.key,
  type: event.trigger.type,
  occurredAt: event.occurredAt.toISOString(),
  receivedAt: event.receivedAt.toISOString(),
  delivery: event.delivery,
  attempt: event.attempt ?? 1,
  trigger: { id: event.trigger.id, name: event.trigger.name },
  account: { id: event.account.id, label: event.account.name },
  ...(event.actor === null ? {} : { actor: event.actor }),
  summary: event.summary,
  data: event.data,
});
