import { z } from 'zod';
import { type Path, type QueryValue, type UpstreamAnswer, wrong } from '#kit';

type Query = Readonly<Record<string, QueryValue>>;

const List = z.looseObject({ value: z.array(z.unknown()), '@odata.nextLink': z.string().optional() });
const Cursor = z.object({ path: z.string(), page: z.array(z.tuple([z.string(), z.string()])) });

const mostPages = 200;

/** Only the parameters of a link are kept, for the path that was asked: it cannot lead anywhere else. */
const sealCursor = (path: Path, link: string): string =>
  Buffer.from(JSON.stringify({ path, page: [...(URL.parse(link, 'http://localhost')?.searchParams ?? [])] })).toString(
    'base64url',
  );

export const openCursor = (path: Path, cursor: string): Query => {
  try {
    const read = Cursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    if (read.path === path) return Object.fromEntries(read.page);
  } catch {
    // Answered below, like a cursor of another list.
  }
  throw wrong('cursor', 'This cursor does not belong to this endpoint; use the nextCursor of its answer.');
};

const listOf = ({ status, body }: UpstreamAnswer): z.output<typeof List> | undefined =>
  status === 200 ? List.safeParse(body).data : undefined;

export const nextOf = (path: Path, answer: UpstreamAnswer): string | undefined => {
  const link = listOf(answer)?.['@odata.nextLink'];
  return link === undefined ? undefined : sealCursor(path, link);
};

/** Reads page after page until `wanted` items are there. An answer that is no page, such as a refusal, comes as it is. */
export const readPages = async (
  ask: (query: Query) => Promise<UpstreamAnswer>,
  path: Path,
  query: Query,
  { wanted, maxBytes }: { wanted: number; maxBytes: number },
): Promise<{ answer: UpstreamAnswer; nextCursor: string | undefined }> => {
  const all: unknown[] = [];
  let asked = query;
  let bytes = 0;
  for (let pages = 1; ; pages += 1) {
    const answer = await ask(asked);
    const list = listOf(answer);
    if (list === undefined) return { answer, nextCursor: undefined };
    all.push(...list.value);
    bytes += JSON.stringify(list.value).length;
    const { '@odata.nextLink': _, ...head } = list;
    const nextCursor = nextOf(path, answer);
    const enough = all.length >= wanted || bytes > maxBytes || pages >= mostPages;
    if (nextCursor === undefined || enough) {
      return { answer: { ...answer, body: { ...head, value: all } }, nextCursor };
    }
    asked = openCursor(path, nextCursor);
  }
};

/** As much of an answer as fits. Of a list, whole items are kept; of anything else, the beginning of its text. */
export const fit = (body: unknown, maxBytes: number): { data: unknown; cut: boolean } => {
  const text = JSON.stringify(body) ?? '';
  if (Buffer.byteLength(text) <= maxBytes) return { data: body, cut: false };
  const list = List.safeParse(body).data;
  if (list === undefined) {
    const whole = typeof body === 'string' ? body : text;
    return { data: new TextDecoder().decode(Buffer.from(whole).subarray(0, maxBytes)), cut: true };
  }
  let used = Buffer.byteLength(JSON.stringify({ ...list, value: [] }));
  const kept = list.value.findIndex((item) => {
    used += Buffer.byteLength(JSON.stringify(item)) + 1;
    return used > maxBytes;
  });
  return { data: { ...list, value: kept < 0 ? list.value : list.value.slice(0, kept) }, cut: true };
};
