import { z } from 'zod';
import { type Cut, type Path, type QueryValue, queryOf, type UpstreamAnswer, wrong } from '#kit';
import { createTrail } from './page-trail.ts';
import { toldLink } from './told.ts';

type Query = Readonly<Record<string, QueryValue>>;

/** Where a list goes on: the page to ask for, and how many of its items were answered already. */
export type Place = { query: Query; given: number };

/** A page that was asked for, and where its first item stands among those to be answered. */
type Page = { query: Query; start: number };

type Read = { answer: UpstreamAnswer; pages: Page[]; next: Place | undefined };
type Ask = (query: Query) => Promise<UpstreamAnswer>;

const List = z.looseObject({ value: z.array(z.unknown()), '@odata.nextLink': toldLink });
const Cursor = z.object({
  path: z.string(),
  page: z.array(z.tuple([z.string(), z.string()])),
  given: z.int().min(0).default(0),
});

const mostPages = 200;

export const sealCursor = (path: Path, { query, given }: Place): string => {
  const page = Object.entries(query).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, `${each}`]));
  return Buffer.from(JSON.stringify({ path, page, ...(given === 0 ? {} : { given }) })).toString('base64url');
};

export const openCursor = (path: Path, cursor: string): Place => {
  try {
    const { page, given, ...read } = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (read.path === path) return { query: queryOf(page), given };
  } catch {
    // Answered below, like a cursor of another list.
  }
  throw wrong('cursor', 'This cursor does not belong to this endpoint; use the nextCursor of its answer.');
};

const listOf = ({ status, body }: UpstreamAnswer): z.output<typeof List> | undefined =>
  status === 200 ? List.safeParse(body).data : undefined;

/** Only the parameters of a link are kept, for the path that was asked: it cannot lead anywhere else. */
const nextOf = ({ '@odata.nextLink': link }: z.output<typeof List>): Place | undefined =>
  link === undefined
    ? undefined
    : { query: queryOf([...(URL.parse(link, 'http://localhost')?.searchParams ?? [])]), given: 0 };

/** The place of an item, by its number among all that were read. */
export const placeOf = (pages: readonly Page[], item: number): Place | undefined => {
  const page = pages.findLast(({ start }) => start <= item);
  return page === undefined ? undefined : { query: page.query, given: item - page.start };
};

/** Reads one page. What is no list comes as it is. */
export const readPage = async (ask: Ask, { query, given }: Place): Promise<Read> => {
  const answer = await ask(query);
  const list = listOf(answer);
  if (list === undefined) return { answer, pages: [], next: undefined };
  const body = given === 0 ? answer.body : { ...list, value: list.value.slice(given) };
  return { answer: { ...answer, body }, pages: [{ query, start: -given }], next: nextOf(list) };
};

/** Reads page after page until `wanted` items are there. An answer that is no page, such as a refusal, comes as it is. */
export const readPages = async (
  ask: Ask,
  from: Place,
  { wanted, maxBytes }: { wanted: number; maxBytes: number },
): Promise<Read> => {
  const all: unknown[] = [];
  const pages: Page[] = [];
  const trail = createTrail();
  trail.isBack(from.query);
  let place = from;
  let bytes = 0;
  for (;;) {
    const { query, given } = place;
    const answer = await ask(query);
    const list = listOf(answer);
    if (list === undefined) return { answer, pages: [], next: undefined };
    pages.push({ query, start: all.length - given });
    const items = list.value.slice(given);
    all.push(...items);
    bytes += JSON.stringify(items).length;
    const { '@odata.nextLink': _, ...head } = list;
    const next = nextOf(list);
    const enough = all.length >= wanted || bytes > maxBytes || pages.length >= mostPages;
    if (next === undefined || enough || trail.isBack(next.query)) {
      const body = { ...head, value: all.slice(0, wanted) };
      return { answer: { ...answer, body }, pages, next: all.length > wanted ? placeOf(pages, wanted) : next };
    }
    place = next;
  }
};

/**
 * As much of an answer as fits. Of a list, whole items are kept, and it goes on with `goesOn`: with what was cut, or after
 * a first item that does not fit. Of anything else, it is the beginning of its text.
 */
export const fit = (body: unknown, maxBytes: number): { data: unknown; cut?: Cut; goesOn?: number } => {
  const text = JSON.stringify(body) ?? '';
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { data: body };
  const list = List.safeParse(body).data;
  if (list === undefined) {
    const whole = typeof body === 'string' ? body : text;
    const data = new TextDecoder().decode(Buffer.from(whole).subarray(0, maxBytes));
    return { data, cut: { what: 'rest', bytes } };
  }
  let used = Buffer.byteLength(JSON.stringify({ ...list, value: [] }));
  const over = list.value.findIndex((item) => {
    used += Buffer.byteLength(JSON.stringify(item)) + 1;
    return used > maxBytes;
  });
  const kept = over < 0 ? list.value.length : over;
  const data = { ...list, value: list.value.slice(0, kept) };
  return over === 0
    ? { data, cut: { what: 'first item', bytes: used }, ...(list.value.length > 1 && { goesOn: 1 }) }
    : { data, cut: { what: 'rest', bytes }, goesOn: kept };
};
