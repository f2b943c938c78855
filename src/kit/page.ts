import { wrong } from './fault.ts';

/** One page of a list, newest first. Where what is asked for is rare, a page may be short and yet not the last. */
export type Page<T> = { items: T[]; nextCursor?: string };

export type PageRequest = { limit: number; cursor?: string | undefined };

/** Of those alone whose name holds this. */
export type NamedRequest = PageRequest & { query?: string | undefined };

const shape = /^[a-z]{2,4}_[0-9a-z]{26}$/;

/**
 * The id after which the page begins, or `undefined` for the first page. Cursors are opaque to callers; one of another list
 * would lead past things that were never shown.
 */
export const afterId = (prefix: string, { cursor }: PageRequest): string | undefined => {
  if (cursor === undefined) return undefined;
  const id = Buffer.from(cursor, 'base64url').toString();
  if (!shape.test(id) || !id.startsWith(`${prefix}_`))
    throw wrong('cursor', 'This cursor is not one of this list; use the nextCursor of its last answer.');
  return id;
};

/** Leads to what comes after this id. */
export const cursorAfter = (id: string): string => Buffer.from(id).toString('base64url');

/** Makes a page from `limit + 1` rows: the extra one only tells that there is more. */
export const toPage = <Row extends { id: string }, T>(
  rows: readonly Row[],
  { limit }: PageRequest,
  show: (row: Row) => T,
  cursorOf = cursorAfter,
): Page<T> => {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const items = shown.map(show);
  return last === undefined ? { items } : { items, nextCursor: cursorOf(last.id) };
};

/** So many are looked through by one statement, and so long until whoever waits is given what was found. */
export const searching = { stretch: 20_000, patienceMs: 1_500 };

/** Between these ids, the newer end not included. */
export type Stretch = { first: string | undefined; after: string | undefined };

/**
 * Rows that no index finds, newest first, looked for a stretch at a time. Whoever waits for a page is given what was found
 * when patience ends, and where to go on.
 */
export const lookThrough = async <Row extends { id: string }, T>(
  page: PageRequest,
  look: {
    /** Where it begins. */
    after: string | undefined;
    /** The last id of the stretch that begins there; nothing where the rest is shorter than one. */
    endOf: (after: string | undefined) => Promise<string | undefined>;
    /** So many of those wanted, at most. */
    find: (within: Stretch, most: number) => Promise<readonly Row[]>;
    patienceMs: number;
    /** Leads to what comes after a place; of a list that is not in the order of its ids. */
    cursorOf?: (place: string) => string;
  },
  show: (row: Row) => T,
): Promise<Page<T>> => {
  const { cursorOf = cursorAfter } = look;
  const begun = performance.now();
  const found: Row[] = [];
  let { after } = look;
  do {
    const first = await look.endOf(after);
    found.push(...(await look.find({ first, after }, page.limit + 1 - found.length)));
    after = first;
  } while (after !== undefined && found.length <= page.limit && performance.now() - begun < look.patienceMs);
  const shown = toPage(found, page, show, cursorOf);
  return after === undefined || shown.nextCursor !== undefined ? shown : { ...shown, nextCursor: cursorOf(after) };
};
