import { z } from 'zod';
import { type CaughtUp, Fault, path, type WatchContext, type Watching } from '#kit';
import { unlessGone } from '../faults.ts';
import { firstIdAt, justBefore, secondsBefore } from '../ids.ts';
import { readChange } from './label-state.ts';
import { Action, occurrenceOf } from './occurrence.ts';
import { feedOf, filterOf, parseResource } from './resources.ts';

/**
 * `from`: nothing up to it is ever told. `after`: what follows it is read. `steps`: where to pause on the way to the
 * newest, oldest first, when there is more than one answer holds. `seen`: what was told of the last minutes, which are
 * read again. `at`: when the last look was. `isClosed`: whether the board was closed, by what happened on it last; so it is
 * with its `name`.
 */
const Cursor = z.object({
  from: z.string(),
  after: z.string(),
  steps: z.array(z.string()),
  seen: z.array(z.string()),
  at: z.string(),
  isClosed: z.boolean().optional(),
  name: z.string().optional(),
});
type Cursor = z.output<typeof Cursor>;

// Actions may come to light a little after later ones.
const overlapSeconds = 120;
const mostAtOnce = 1000;
// Steps are shorter than an answer may be, so that what comes to light late still fits in.
const stepSize = 900;
const mostSteps = 200;
const mostSeen = 500;
const interruptionMs = 10 * 60_000;

type Query = Record<string, string | number>;

const gone = 'The board was deleted, or its account may not see it any more; choose another one.';

const closed = 'The board is closed, so nothing happens on it; reopen it, or choose another one.';

const Closing = z.object({
  type: z.literal('updateBoard'),
  data: z.object({ board: z.object({ closed: z.boolean() }), old: z.object({ closed: z.boolean() }) }),
});

/** The last word on that, if there is one. Nobody can do anything on a closed board but open it again. */
const isClosedBy = (ordered: readonly Action[], before: boolean | undefined): boolean | undefined =>
  ordered.flatMap((action) => Closing.safeParse(action).data?.data.board.closed ?? []).at(-1) ?? before;

const Naming = z.object({ data: z.object({ board: z.object({ id: z.string(), name: z.string() }) }) });

/** Each action tells what its board is called; the last word on that, if there is one. */
const nameBy = (ordered: readonly unknown[], resource: string, before?: string): string | undefined => {
  const { kind, id } = parseResource(resource);
  const boards = kind === 'board' ? ordered.flatMap((action) => Naming.safeParse(action).data?.data.board ?? []) : [];
  return boards.findLast((board) => board.id === id)?.name ?? before;
};

type Standing = Pick<Cursor, 'isClosed' | 'name'>;

const Standing = z.object({ closed: z.boolean(), name: z.string() });

/** What happened on it last tells it; of those that were watched before this was remembered, it is asked once. */
const standingOf = async (
  resource: string,
  ordered: readonly Action[],
  before: Standing,
  { upstream }: WatchContext,
): Promise<Standing> => {
  const { kind, id } = parseResource(resource);
  if (kind !== 'board') return { isClosed: false };
  const isClosed = isClosedBy(ordered, before.isClosed);
  const name = nameBy(ordered, resource, before.name);
  if (isClosed !== undefined && name !== undefined) return { isClosed, name };
  const read = await upstream.get(path`/1/boards/${id}`, { query: { fields: 'closed,name' } }).catch(() => undefined);
  const now = Standing.safeParse(read).data;
  return { isClosed: isClosed ?? now?.closed, name: name ?? now?.name };
};

const Ids = z.array(z.looseObject({ id: z.string() }));

const ask = (resource: string, query: Query, { upstream }: WatchContext): Promise<unknown> =>
  upstream.get(feedOf(resource), { query: { filter: filterOf(resource), ...query } }).catch((error: unknown) => {
    const isGone = error instanceof Fault && error.code === 'not_found' && parseResource(resource).kind === 'board';
    throw isGone ? new Fault('not_found', gone, { cause: error }) : error;
  });

/** Newest first. An action of a shape nobody knows is left out rather than in the way of all others. */
const read = async (resource: string, query: Query, context: WatchContext) => {
  const answer = z.array(z.unknown()).parse(await ask(resource, query, context));
  return { count: answer.length, actions: answer.flatMap((each) => Action.safeParse(each).data ?? []) };
};

/** Walks from the newest down to `after` and answers where to pause, oldest first. */
const stepsDown = async (resource: string, after: string, context: WatchContext): Promise<string[]> => {
  const steps: string[] = [];
  for (let page = 0; page < mostSteps; page += 1) {
    const [last] = steps;
    const query = { limit: stepSize, since: after, fields: 'id', ...(last === undefined ? {} : { before: last }) };
    const ids = Ids.parse(await ask(resource, query, context)).map(({ id }) => id);
    if (ids.length < stepSize) break;
    steps.unshift(ids.at(-1) ?? '');
  }
  return steps;
};

const later = (a: string, b: string): string => (a > b ? a : b);

const wantsAll = (triggers: ReadonlySet<string>): boolean =>
  triggers.has('new_board_activity') || triggers.has('custom_webhook_events');

/** Said only when nobody looked for a while, to those who asked for everything. */
const gapsOf = (resource: string, { at }: Cursor, { now, triggers }: WatchContext): string[] => {
  const isInterrupted = now.getTime() - Date.parse(at) > interruptionMs;
  if (!isInterrupted || !wantsAll(triggers) || parseResource(resource).kind !== 'board') return [];
  return [
    `Between ${at} and ${now.toISOString()} notifications may have been missed. Changes of checklist items, renamed ` +
      'checklists, edited and deleted comments and votes of that time are not listed by the service and cannot be found.',
  ];
};

export const catchingUp: Pick<Watching, 'begin' | 'again' | 'catchUp' | 'read' | 'recent'> = {
  begin: async (resource, since, context): Promise<Cursor> => {
    // By the service's own count, in case its clock is behind ours.
    const [newest] = Ids.parse(await ask(resource, { limit: 1, fields: 'id,data' }, context));
    const first = firstIdAt(since);
    const from = newest !== undefined && newest.id < first ? newest.id : first;
    // Whoever chose it was asked for one that is open.
    const name = nameBy([newest], resource);
    return { from, after: from, steps: [], seen: [], at: context.now.toISOString(), isClosed: false, name };
  },

  again: (given, since): Cursor => {
    const cursor = Cursor.parse(given);
    const first = firstIdAt(since);
    const after = first < cursor.after ? later(cursor.from, first) : cursor.after;
    return { ...cursor, after, seen: cursor.seen.filter((id) => id < first) };
  },

  catchUp: async (resource, given, context): Promise<CaughtUp> => {
    const cursor = Cursor.parse(given);
    const { from, after } = cursor;
    const [step, ...steps] = cursor.steps;
    const at = context.now.toISOString();
    const query = { limit: mostAtOnce, since: after, ...(step === undefined ? {} : { before: step }) };
    const { count, actions } = await read(resource, query, context);
    if (step === undefined && count === mostAtOnce) {
      const down = await stepsDown(resource, after, context);
      return { occurrences: [], cursor: { ...cursor, steps: down }, more: true };
    }
    const ordered = actions.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const seen = new Set(cursor.seen);
    const occurrences = ordered.filter(({ id }) => !seen.has(id)).map((action) => occurrenceOf(action));
    const standing = await standingOf(resource, ordered, cursor, context);
    const { isClosed, name } = standing;
    if (step !== undefined) {
      return { occurrences, cursor: { ...cursor, ...standing, after: justBefore(step), steps }, more: true, name };
    }
    const newest = ordered.at(-1)?.id;
    const again = newest === undefined ? after : later(from, secondsBefore(newest, overlapSeconds));
    const next = later(after, again);
    const recent = ordered.map(({ id }) => id).filter((id) => id > next);
    const gaps = gapsOf(resource, cursor, context);
    return {
      occurrences,
      cursor: { from, after: next, steps: [], seen: recent.slice(-mostSeen), at, ...standing },
      more: false,
      gaps,
      hindrance: isClosed === true ? closed : undefined,
      name,
    };
  },

  read: async (resource, hint, { upstream }) => {
    if (!/^[0-9a-f]{24}$/.test(hint)) return undefined;
    const body = await unlessGone(upstream.get(path`/1/actions/${hint}`));
    const action = Action.safeParse(body).data;
    const { kind, id } = parseResource(resource);
    // A hint may name anything; only what happened on this board is this watch's business.
    if (action === undefined || (kind === 'board' && action.data.board?.id !== id)) return undefined;
    // Without a signature, changes of labels are told from the state alone, so that nothing is told twice.
    return readChange(action) === undefined ? occurrenceOf(action) : undefined;
  },

  recent: async (resource, limit, context) => {
    const { actions } = await read(resource, { limit: Math.min(limit, mostAtOnce) }, context);
    return actions.map((action) => occurrenceOf(action));
  },
};
