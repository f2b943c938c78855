import { storableJson } from '#kit';
import type { Prepared, RunRow, Starts } from '#runs';
import { areTellable, asOne, column } from '#store';
import type { Candidate, Guess, Written } from './settling.ts';

/** One that is as most are: fired, by what was remembered, and its run has got as far as its first write. */
export type Plain = Candidate & {
  run: RunRow & { agent_id: string; agent_version: number; tool_id: string };
  guess: Guess;
  prepared: Prepared & { first: NonNullable<Prepared['first']> };
};

const isPlain = (candidate: Candidate): candidate is Plain => {
  const { event, run, guess, prepared } = candidate;
  if (run === undefined || guess === undefined || prepared?.first === undefined) return false;
  if (run.agent_id === null || run.agent_version === null || run.tool_id === null) return false;
  if (event.watch_id === null || guess.own?.suspect === true) return false;
  const { key, upstream_id, subject, upstream_order, summary } = event;
  const texts = [key, upstream_id, subject, upstream_order, summary, run.lane, prepared.first.path];
  return areTellable(texts) && areTellable(guess.own?.traces ?? []);
};

/** Plain ASCII, which compares here as it does in the database. */
const placeIn = ({ lane_order: order, id }: RunRow): string => `${order ?? ''} ${id}`;

/** By lane, the run that is to go first, in whichever order they came. */
const firstOfLanes = (candidates: readonly Candidate[]): Map<string, RunRow> => {
  const first = new Map<string, RunRow>();
  for (const { run } of candidates) {
    if (run === undefined || run.lane === null) continue;
    const place = `${run.workspace_id} ${run.lane}`;
    const known = first.get(place);
    if (known === undefined || placeIn(run) < placeIn(known)) first.set(place, run);
  }
  return first;
};

/** Those that the statements for plain ones may store; of a lane, only the first can go on at once. */
export const plainOf = (candidates: readonly Candidate[], room: number): Plain[] => {
  const first = firstOfLanes(candidates);
  const plain: Plain[] = [];
  for (const candidate of candidates) {
    if (plain.length === room) break;
    if (!isPlain(candidate)) continue;
    const { run } = candidate;
    if (run.lane === null || first.get(`${run.workspace_id} ${run.lane}`) === run) plain.push(candidate);
  }
  return plain;
};

const json = (value: unknown): string => storableJson(JSON.stringify(value));
const jsonOrNull = (value: unknown): string | null => (value === null ? null : json(value));

/** In the order in which the statements are given them. */
const columns: readonly ((plain: Plain) => string | null)[] = [
  ({ event }) => event.id,
  ({ event }) => event.workspace_id,
  ({ event }) => event.trigger_id,
  ({ event }) => event.watch_id,
  ({ event }) => event.key,
  ({ event }) => event.upstream_id,
  ({ event }) => event.occurred_at.toISOString(),
  ({ event }) => event.received_at.toISOString(),
  ({ event }) => event.delivery,
  ({ run }) => run.id,
  ({ event }) => event.subject,
  ({ event }) => event.upstream_order,
  ({ event }) => event.summary,
  ({ event }) => jsonOrNull(event.actor),
  ({ event }) => jsonOrNull(event.data),
  ({ event }) => jsonOrNull(event.occurrence),
  ({ guess }) => `${guess.roster}`,
  ({ guess }) => guess.accountSeen,
  ({ guess }) => asOne(guess.own?.traces ?? []),
  ({ run }) => run.agent_id,
  ({ run }) => `${run.agent_version}`,
  ({ run }) => run.tool_id,
  ({ prepared }) => `${prepared.run.tool_version}`,
  ({ run }) => run.lane,
  ({ run }) => json(run.started_by),
  ({ run }) => json(run.input),
  ({ run }) => `${run.may_send}`,
  ({ run }) => run.created_at.toISOString(),
  ({ run }) => run.end_user_id,
  ({ prepared }) => prepared.first.id,
  ({ prepared }) => prepared.first.accountId,
  ({ prepared }) => `${prepared.first.ordinal}`,
  ({ prepared }) => prepared.first.effect,
  ({ prepared }) => prepared.first.method,
  ({ prepared }) => prepared.first.path,
  ({ prepared }) => storableJson(prepared.first.request),
  ({ prepared }) => prepared.first.digest.toString('hex'),
];

const given = [...columns, 'taker'].map((_, at) => `$${at + 1}`).join(', ');
const lasting = `make_interval(secs => $${columns.length + 2})`;

// Events of several workspaces at once, hence the house's own view.
export const settleFired = { name: 'settle_fired', text: `select * from settle_fired(${given}, ${lasting})` };

// For one that comes alone; several are stored for less together.
export const settleAlone = { name: 'settle_alone', text: `select * from settle_alone(${given}, ${lasting})` };

/** What the statement for one answers. */
export type WrittenAlone = { stored: boolean; taken: boolean; intended_at: Date };

/** What the statement for several answers of each that it stored. */
export type WrittenPlain = Omit<WrittenAlone, 'stored'> & { id: string };

type Terms = Pick<ReturnType<Starts['terms']>, 'taker' | 'seconds'>;

export const plainValues = (plain: readonly Plain[], { taker, seconds }: Terms): unknown[] => [
  ...columns.map((valueOf) => column(plain.map(valueOf))),
  taker,
  seconds,
];

export const aloneValues = (plain: Plain, { taker, seconds }: Terms): unknown[] => [
  ...columns.map((valueOf) => valueOf(plain)),
  taker,
  seconds,
];

/** The same in the words of the statement for all cases. */
export const writtenPlain = (
  { event, run, prepared }: Plain,
  { taken, intended_at }: Omit<WrittenAlone, 'stored'>,
): Written => ({
  place: null,
  event_id: event.id,
  run_id: run.id,
  version: prepared.run.tool_version,
  taken,
  ready: taken,
  intended_at: taken ? intended_at : null,
});
