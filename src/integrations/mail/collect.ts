import { z } from 'zod';
import { Fault, type Path, type QueryValue, type Upstream, wrong } from '#kit';
import { foldText } from './filter/fold-text.ts';
import { createTrail } from './page-trail.ts';
import { toldLink } from './told.ts';
import { prefer } from './wire.ts';

/** A list of the service, and what is asked of it. */
export type Source = { path: Path; query: Readonly<Record<string, QueryValue>> };

/** Where a walk through several lists stands: which list, which page of it, which place on the page. */
const Position = z.object({
  source: z.int().min(0),
  page: z.array(z.tuple([z.string(), z.string()])).optional(),
  index: z.int().min(0),
  seen: z.array(z.string()).optional(),
});
type Position = z.output<typeof Position>;

const Answer = z.object({
  value: z.array(z.unknown()),
  '@odata.nextLink': toldLink,
  '@odata.count': z.number().optional(),
});

export const Limit = z.int().min(1).max(100).default(25).describe('How many to answer at most, up to 100.');
export const Cursor = z.string().max(20_000).optional().describe('Where to go on: nextCursor of an earlier answer.');

/** What every list answers besides its items. */
export const listEnd = {
  nextCursor: z.string().optional().describe('Pass it as cursor to go on.'),
  truncated: z.boolean().describe('Whether there is more.'),
};

const openCursor = (cursor: string | undefined): Position => {
  if (cursor === undefined) return { source: 0, index: 0 };
  try {
    return Position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw wrong('cursor', 'This cursor is not one of ours; use the nextCursor of an answer.');
  }
};

const sealCursor = (position: Position): string => Buffer.from(JSON.stringify(position)).toString('base64url');

/** Another page may be shown by other fields than the one before: of what is not asked for, nothing must be told. */
const selectOf = ({ query: { $select } }: Source) => ($select === undefined ? {} : { $select });

/** The next page is the same list with other parameters; where the link itself would lead does not matter. */
export const pageAfter = (link: string): [string, string][] => [...new URL(link, 'http://localhost').searchParams];

const ledBack = () =>
  new Fault(
    'upstream_unavailable',
    'The mail service leads back to a page of this list that it gave before, so what comes after it is not known; try again later.',
  );

/** `count` is the total of the list walked last, where the service was asked for it. */
export type Collected<T> = { items: T[]; nextCursor?: string; truncated: boolean; count?: number };

/**
 * Walks through lists page by page until enough items are kept, and on to the next that would be, on the same page or the
 * one after it: going on should find something. It stops after so many pages even if few were kept, and says where to go
 * on, so that no call reads a mailbox without end.
 */
export const collect = async <T>(
  upstream: Upstream,
  sources: readonly Source[],
  options: {
    limit: number;
    cursor?: string | undefined;
    maxPages: number;
    /** What is answered for an entry; `undefined` leaves it out. `seen` is remembered from page to page. */
    keep(entry: unknown, seen: Set<string>): T | undefined;
  },
): Promise<Collected<T>> => {
  const at = openCursor(options.cursor);
  const seen = new Set(at.seen);
  const items: T[] = [];
  let count: number | undefined;
  const stop = (position: Omit<Position, 'seen'>): Collected<T> => ({
    items,
    nextCursor: sealCursor(seen.size > 0 ? { ...position, seen: [...seen] } : position),
    truncated: true,
    ...(count === undefined ? {} : { count }),
  });
  let { page, index } = at;
  let [pages, beyond] = [0, 0];
  const isFull = () => items.length >= options.limit;
  for (let source = at.source; source < sources.length; source += 1) {
    const list = sources[source];
    const trail = createTrail();
    while (list !== undefined) {
      if (pages >= options.maxPages || beyond > 0) return stop({ source, page, index });
      const query = page === undefined ? list.query : { ...Object.fromEntries(page), ...selectOf(list) };
      if (trail.isBack(query)) throw ledBack();
      const answer = Answer.parse(await upstream.get(list.path, { query, headers: prefer() }));
      pages += 1;
      if (isFull() && answer.value.length > 0) beyond += 1;
      // Every page tells the whole list's total, so pages do not add up.
      count = answer['@odata.count'] ?? count;
      for (; index < answer.value.length; index += 1) {
        // What is only looked at is not seen yet.
        const kept = options.keep(answer.value[index], isFull() ? new Set(seen) : seen);
        if (kept === undefined) continue;
        if (isFull()) return stop({ source, page, index });
        items.push(kept);
      }
      index = 0;
      const next = answer['@odata.nextLink'];
      if (next === undefined) break;
      // Which fields to ask for, the next call says anew; a cursor that repeats them costs a model a page of signs.
      page = pageAfter(next).filter(([name]) => name !== '$select' || list.query['$select'] === undefined);
    }
    page = undefined;
  }
  return { items, truncated: false, ...(count === undefined ? {} : { count }) };
};

const mostEntries = 1_000;
const mostPages = 100;

/** All of a list that is never long. A page may hold few of it or none at all, and still lead to another one. */
export const wholeList = async <T>(
  upstream: Upstream,
  path: Path,
  query: Source['query'],
  shape: z.ZodType<T>,
): Promise<T[]> => {
  const keep = (entry: unknown): T => shape.parse(entry);
  return (await collect(upstream, [{ path, query }], { limit: mostEntries, maxPages: mostPages, keep })).items;
};

/** Whether every word of a query stands somewhere in the texts, whatever the letter case and accents. */
export const mentions = (query: string, texts: readonly (string | null | undefined)[]): boolean => {
  const whole = texts.filter((text) => typeof text === 'string').map(foldText);
  return foldText(query)
    .split(' ')
    .every((word) => whole.some((text) => text.includes(word)));
};

/** A string inside a filter. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Which fields of a thing to answer, by the names they are answered under. */
export const fieldsOf = ({ shape }: z.ZodObject, which: string) =>
  z
    .array(z.enum(Object.keys(shape) as [string, ...string[]]))
    .min(1)
    .max(40)
    .optional()
    .describe(`Only these fields${which}; its id is always there.`);

/** A body that is not the whole one says so, also where only the body was asked for. */
const besideBody = (item: object, fields: readonly string[]): string[] => {
  const { bodyTruncated, quotedRemoved } = item as { bodyTruncated?: unknown; quotedRemoved?: unknown };
  if (!fields.includes('body')) return [];
  return [
    ...(bodyTruncated === true ? ['bodyTruncated', 'bodyLength'] : []),
    ...(quotedRemoved ? ['quotedRemoved'] : []),
  ];
};

/** Only the named fields, and the id. */
export const only = <T extends object>(item: T, fields: readonly string[] | undefined): Partial<T> => {
  if (fields === undefined) return item;
  const names = new Set(['id', ...fields, ...besideBody(item, fields)]);
  return Object.fromEntries(Object.entries(item).filter(([name]) => names.has(name))) as Partial<T>;
};
