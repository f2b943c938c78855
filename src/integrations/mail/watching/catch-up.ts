import { z } from 'zod';
import { type CaughtUp, Fault, path, type WatchContext } from '#kit';
import { pageAfter } from '../collect.ts';
import { toldLink } from '../told.ts';
import { below, prefer } from '../wire.ts';
import { inFilter, Light, lightFields, openPosition, type Position, Told } from './cursor.ts';
import { Delivery } from './delivery.ts';
import { folderChanges, messageChanges, mostAtOnce } from './delta.ts';
import type { Facts, FactsOf } from './facts.ts';
import { readEach } from './read-each.ts';

/*
 * What came is found twice over. Each folder tells what entered it (delta), however late and with whatever date. But with
 * immutable ids a message that moves on before it was seen may be told by no folder at all
 * (github.com/microsoftgraph/microsoft-graph-docs-contrib/issues/72), so the newest mail of the whole mailbox is swept too.
 */

const minuteMs = 60_000;
/** How much later than dated a message may show up and still be met by the sweep. */
const overlapMs = 15 * minuteMs;
const dayMs = 24 * 60 * minuteMs;
/** What a folder that begins anew tells of at least. */
const resyncMs = dayMs;
/** And at most: the service keeps junk for 30 days, out of which somebody may put mail there. */
const longestResyncMs = 31 * dayMs;
const enough = 50;
const mostPages = 40;
const sweepPage = 500;

type Look = {
  position: Position;
  facts: Facts;
  told: Told;
  /** Ids of messages that may be new, with what is remembered where one cannot be read. */
  found: Map<string, string>;
  /** Those of them that some list of this look had where mail is wanted: lists of one look tell different moments. */
  wanted: Set<string>;
  pages: number;
};
type Where = { mailbox: string | undefined; context: WatchContext };

const isFull = ({ found, pages }: Look): boolean => found.size >= enough || pages >= mostPages;

const recently = ({ since, swept }: Position, backMs: number): string =>
  new Date(Math.max(Date.parse(since), Date.parse(swept) - backMs)).toISOString();

/** Where a folder begins anew: as far back as it is known what was told, so that none of it is read again. */
const anewFrom = (position: Position, { knownSince }: WatchContext): string => {
  const [least, most] = [recently(position, resyncMs), recently(position, longestResyncMs)];
  const known = knownSince?.toISOString() ?? least;
  return least < known ? least : most > known ? most : known;
};

/** What is told of a message while it is junk or thrown away, so that it is told once more when somebody takes it out of there. */
const unwanted = (id: string): string => `${id} in junk`;

const note = ({ position, facts, told, found, wanted }: Look, message: Light): void => {
  if (message['@removed'] !== undefined || message.isDraft === true) return;
  const mark = facts.isUnwanted(message.parentFolderId) ? unwanted(message.id) : message.id;
  if (facts.outgoing.has(message.parentFolderId ?? '') || told.has(message.id) || told.has(mark)) return;
  const received = Date.parse(message.receivedDateTime ?? '');
  if (received < Date.parse(position.since)) return;
  found.set(message.id, mark);
  if (mark === message.id) wanted.add(message.id);
};

/** Which folders there are now. Answers whether some are called differently, or lie elsewhere, than is known of them. */
const discover = async (where: Where, { position, facts }: Look): Promise<boolean> => {
  let areOthers = false;
  for (let isLast = false; !isLast; ) {
    const changes = await folderChanges(where, position.tree);
    if (changes === 'gone') throw new Fault('not_found', 'There is no such mailbox; check its address.');
    if (changes === 'expired') {
      if (position.tree === null) throw new Fault('upstream_unavailable', 'The mail service lists no folders.');
      position.tree = null;
      continue;
    }
    for (const { '@removed': removed, ...folder } of changes.entries) {
      const { id } = folder;
      areOthers ||= !facts.isAsKnown(folder);
      if (removed !== undefined) delete position.folders[id];
      else if (!facts.outgoing.has(id)) position.folders[id] ??= null;
    }
    position.tree = changes.next;
    isLast = changes.isLast;
  }
  position.todo = Object.keys(position.folders);
  return areOthers;
};

/** One page of up to twenty folders. What is more than enough is left where it is, for the next stretch. */
const askFolders = async (where: Where, look: Look, todo: string[]): Promise<void> => {
  const { position } = look;
  const from = anewFrom(position, where.context);
  const spots = todo
    .slice(0, mostAtOnce)
    .map((folder) => ({ folder, position: position.folders[folder] ?? null, from }));
  const answers = await messageChanges(where, spots);
  for (const { folder, position: asked } of spots) {
    if (isFull(look)) return;
    look.pages += 1;
    const changes = answers.get(folder) ?? 'gone';
    if (changes === 'expired') {
      if (asked === null) throw new Fault('upstream_unavailable', 'The mail service lists no changes of a folder.');
      position.folders[folder] = null;
    } else if (changes === 'gone') {
      // Whether it is gone for good, the list of folders tells, which names it no second time unless it is read anew.
      delete position.folders[folder];
      position.tree = null;
      todo.splice(todo.indexOf(folder), 1);
    } else {
      for (const message of changes.entries) note(look, message);
      position.folders[folder] = changes.next;
      if (changes.isLast) todo.splice(todo.indexOf(folder), 1);
    }
  }
};

const List = z.object({ value: z.array(Light), '@odata.nextLink': toldLink });

/** A page of mail that has some, if there is one: an empty page may still lead on. */
const sweptPage = async ({ mailbox, context }: Where, look: Look, first: Record<string, string | number>) => {
  // However many were asked of the folders before, it is not given up on its first.
  for (let query = first, pages = 1; ; pages += 1) {
    const answer = await context.upstream.get(below(mailbox, path`/messages`), { query, headers: prefer() });
    const page = List.parse(answer);
    look.pages += 1;
    const { value, '@odata.nextLink': next } = page;
    if (value.length > 0 || next === undefined || pages >= mostPages) return page;
    query = Object.fromEntries(pageAfter(next));
  }
};

/** One page of the newest mail, from the newest down. Answers whether the sweep is over. */
const sweepOn = async (where: Where, look: Look): Promise<boolean> => {
  const { position } = look;
  const from = recently(position, overlapMs);
  const { newest = from, to, includesTo } = position.sweep ?? {};
  const upTo = to === undefined ? '' : ` and receivedDateTime ${includesTo === true ? 'le' : 'lt'} ${inFilter(to)}`;
  const query = {
    $filter: `receivedDateTime ge ${inFilter(from)}${upTo}`,
    $orderby: 'receivedDateTime desc',
    $select: lightFields,
    $top: sweepPage,
  };
  const { value, '@odata.nextLink': next } = await sweptPage(where, look, query);
  for (const message of value) note(look, message);
  const times = value.flatMap(({ receivedDateTime }) => Date.parse(receivedDateTime ?? '') || []);
  const top = new Date(Math.max(Date.parse(newest), ...times)).toISOString();
  const last = Math.min(...times);
  if (next === undefined || times.length === 0) {
    // Mail dated ahead of time must not carry the sweep past what is still to come.
    position.swept = new Date(Math.min(Date.parse(top), where.context.now.getTime())).toISOString();
    delete position.sweep;
    return true;
  }
  // A whole page of one second is passed over as a whole: the folders tell the rest of it.
  position.sweep = { newest: top, to: new Date(last).toISOString(), includesTo: Math.max(...times) > last };
  return false;
};

const lookFrom = async (where: Where, facts: FactsOf, position: Position): Promise<Look> => ({
  position,
  facts: await facts.of(where),
  told: new Told(position.told),
  found: new Map(),
  wanted: new Set(),
  pages: 0,
});

const sweep = async (where: Where, state: Look): Promise<boolean> => {
  let isOver = false;
  while (!isOver && !isFull(state)) isOver = await sweepOn(where, state);
  return isOver;
};

/** Through all folders, and through the newest mail then. Answers whether it is over. */
const lookThrough = async (where: Where, facts: FactsOf, state: Look): Promise<boolean> => {
  const { position } = state;
  if (position.todo === undefined && (await discover(where, state))) facts.forget(where);
  const todo = position.todo ?? [];
  while (todo.length > 0 && !isFull(state)) await askFolders(where, state, todo);
  const isOver = todo.length === 0 && (await sweep(where, state));
  if (isOver) delete position.todo;
  return isOver;
};

/** Those of what was found that were not told already, by a notification or by looks that this mailbox has forgotten. */
const unheard = async ({ context }: Where, { found, wanted, told }: Look): Promise<string[]> => {
  const heard = (await context.toldAlready?.([...found.keys()])) ?? new Map();
  return [...found].flatMap(([id, mark]) => {
    const known = heard.get(id);
    // What was skipped as junk and is there no more is told once more.
    if (known === undefined || (known.mayPass && wanted.has(id))) return [id];
    told.add(known.mayPass ? mark : id, known.at);
    return [];
  });
};

const readFound = async (where: Where, facts: FactsOf, found: Look, isOver: boolean): Promise<CaughtUp> => {
  const { position } = found;
  const at = { ...where, facts: await facts.of(where) };
  const named = await unheard(where, found);
  const none = { occurrences: [], sentCopies: new Map<string, Date>(), unread: named };
  const { occurrences, sentCopies, unread } = where.context.apart ? none : await readEach(at, named);
  for (const [id, received] of sentCopies) found.told.add(id, received);
  for (const { upstreamId = '', at: received, body } of occurrences) {
    const isUnwanted = at.facts.isUnwanted(Delivery.parse(body).folder.id);
    found.told.add(isUnwanted ? unwanted(upstreamId) : upstreamId, received);
  }
  // These are tried by themselves from now on, and rest among the dead if all tries are in vain.
  for (const id of unread) found.told.add(found.found.get(id) ?? id, where.context.now);
  position.told = found.told.kept(Date.parse(position.swept) - 2 * overlapMs);
  const since = Date.parse(position.since);
  return {
    occurrences: occurrences
      .filter(({ at: received }) => received.getTime() >= since)
      .toSorted((a, b) => (a.order < b.order ? -1 : 1)),
    hints: unread,
    cursor: position,
    more: !isOver,
  };
};

/** One stretch of what came since. */
export const catchUp = async (where: Where, facts: FactsOf, cursor: unknown): Promise<CaughtUp> => {
  const state = await lookFrom(where, facts, openPosition(cursor));
  return readFound(where, facts, state, await lookThrough(where, facts, state));
};

/** One stretch of the newest mail, in whatever folder: one call, where the folders take one each. */
export const glance = async (where: Where, facts: FactsOf, cursor: unknown): Promise<CaughtUp> => {
  const state = await lookFrom(where, facts, openPosition(cursor));
  return readFound(where, facts, state, await sweep(where, state));
};
