import { storableJson } from '#kit';
import type { Prepared, RunRow, Starts, StoredRun } from '#runs';
import { derivedId, newId } from '#store';
import type { EventDraft } from './draft.ts';
import type { OwnQuestion } from './own.ts';

/** An event, and what was taken for granted when it was judged. */
export type Guess = {
  draft: EventDraft;
  roster: number;
  accountSeen: string;
  /** What tells whether a write of ours caused it; `undefined` where that does not matter. */
  own: OwnQuestion | undefined;
};

/** What the database answers: an event that is open by its place, or a run that was stored. */
export type Written = StoredRun & { place: number | null; event_id: string };

/** The same occurrence for the same trigger, whichever way it came. */
export const placeOf = ({ trigger, key }: EventDraft): string => `${trigger.id} ${key}`;

/** An event as it is stored. */
export const eventRow = (draft: EventDraft, at: Date) => {
  const { outcome } = draft;
  return {
    id: newId('evt', at),
    workspace_id: draft.trigger.workspaceId,
    trigger_id: draft.trigger.id,
    watch_id: draft.watchId,
    key: draft.key,
    upstream_id: draft.upstreamId,
    outcome: outcome.outcome,
    clause: outcome.outcome === 'filtered' ? outcome.clause : null,
    reason: outcome.outcome === 'skipped' || outcome.outcome === 'failed' ? outcome.reason : null,
    wait_ms: outcome.outcome === 'failed' ? outcome.retryAfterMs : 0,
    occurred_at: draft.occurredAt,
    received_at: draft.receivedAt,
    delivery: draft.delivery,
    subject: draft.subject,
    upstream_order: draft.order,
    summary: draft.summary,
    actor: draft.actor,
    data: draft.data,
    occurrence: draft.occurrence,
    run_id: outcome.outcome === 'fired' ? derivedId('run', at, placeOf(draft)) : null,
  };
};
type EventRow = ReturnType<typeof eventRow>;

const grantedBy = ({ roster, accountSeen, draft, own }: Guess) => ({
  roster,
  account_seen: accountSeen,
  account_id: draft.account.id,
  traces: own?.traces ?? [],
  suspect: own?.suspect ?? false,
});

/** An event about to be stored, with the run that it starts. */
export type Candidate = {
  event: EventRow;
  run: RunRow | undefined;
  guess?: Guess;
  /** The same run, carried out as far as it goes before it is stored. */
  prepared?: Prepared | undefined;
};

const runColumns = (run: RunRow) => {
  const { agent_id, agent_version, tool_id, lane, started_by, input, may_send, created_at, end_user_id } = run;
  return { agent_id, agent_version, tool_id, lane, started_by, input, may_send, created_at, end_user_id };
};

type FirstWrite = NonNullable<Prepared['first']>;

const firstWriteOf = ({ id, accountId, ordinal, effect, method, path, request, digest }: FirstWrite) => ({
  effect_id: id,
  effect_account: accountId,
  ordinal,
  effect,
  method,
  path,
  request,
  digest: `\\x${digest.toString('hex')}`,
});

/** What is not given is null. */
const settlingRow = ({ event, run, guess, prepared }: Candidate, place: number) => ({
  place,
  ...event,
  ...(guess === undefined ? {} : grantedBy(guess)),
  ...(run === undefined ? {} : runColumns(run)),
  ...(prepared?.first === undefined
    ? {}
    : { tool_version: prepared.run.tool_version, ...firstWriteOf(prepared.first) }),
});

/** One text that cannot be stored would keep back all that comes after it, such as the rest of a mailbox. */
const writtenDown = (told: unknown): string => storableJson(JSON.stringify(told));

// Events of several workspaces at once, hence the house's own view.
export const settleEvents = {
  name: 'settle_events',
  text: 'select * from settle_events($1, $2, $3, make_interval(secs => $4), $5, $6, $7)',
};

type Terms = ReturnType<Starts['terms']>;

/** What that statement is given. */
export const settleValues = (
  candidates: readonly Candidate[],
  { taker, room, seconds }: Terms,
  tries: { retryMs: number; most: number; longestWaitMs: number },
): unknown[] => {
  const told = writtenDown(candidates.map(settlingRow));
  return [told, taker, room, seconds, tries.retryMs, tries.most, tries.longestWaitMs];
};
