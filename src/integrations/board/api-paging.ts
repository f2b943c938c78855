import { z } from 'zod';
import type { Cut, Path, QueryValue, UpstreamAnswer } from '#kit';

type Query = Readonly<Record<string, QueryValue>>;

// These take `limit` and `before` and answer newest first; the rest come whole.
const feeds = /^\/1\/(?:boards|cards|lists|members|organizations)\/[^/]+\/(?:actions|notifications|cards)(?:\/[^/]+)?$/;
const whole = /\/cards(?:\/[^/]+)?$/;

export const isPaged = (method: string, path: Path): boolean => method === 'GET' && feeds.test(path);

const most = 1000;
const usual = 50;

/** How many one answer holds at most; cards come all at once unless a limit is set. */
export const pageSize = (path: Path, query: Query): number => {
  const asked = Number(query['limit'] ?? Number.NaN);
  if (Number.isInteger(asked) && asked > 0) return asked;
  return whole.test(path) ? Number.POSITIVE_INFINITY : usual;
};

const Items = z.array(z.looseObject({ id: z.string() }));

/** The id to go on from, if there may be more. */
export const nextOf = ({ status, body }: UpstreamAnswer, size: number): string | undefined => {
  const items = Items.safeParse(body).data;
  return status === 200 && items !== undefined && items.length >= size ? items.at(-1)?.id : undefined;
};

/**
 * Reads page after page, until `wanted` items are there or a page is not full. An answer that is no page, such as a
 * refusal, ends it and comes as it is.
 */
export const readPages = async (
  ask: (query: Query) => Promise<UpstreamAnswer>,
  query: Query,
  wanted: number,
  maxBytes: number,
): Promise<{ answer: UpstreamAnswer; next: string | undefined }> => {
  const all: unknown[] = [];
  let bytes = 0;
  let before = query['before'];
  for (;;) {
    const limit = Math.min(most, wanted - all.length);
    const answer = await ask({ ...query, limit, ...(before === undefined ? {} : { before }) });
    if (answer.status !== 200 || !Array.isArray(answer.body)) return { answer, next: undefined };
    all.push(...answer.body);
    bytes += JSON.stringify(answer.body).length;
    const next = nextOf(answer, limit);
    const done = next === undefined || all.length >= wanted || bytes > maxBytes || next === before;
    if (done) return { answer: { ...answer, body: all, bytes: undefined }, next };
    before = next;
  }
};

// Written anew, 1e20 has 21 digits and a control character takes six; nothing grows more than that.
const longestWritten = 8;

/**
 * As much of an answer as fits. Of a list, whole items are kept; of anything else, the beginning of its text. `lastId` is
 * where the list goes on: after what was kept, or after a first item that does not fit.
 */
export const cutTo = (
  { body, bytes = Number.POSITIVE_INFINITY }: Pick<UpstreamAnswer, 'body' | 'bytes'>,
  maxBytes: number,
): { data: unknown; cut?: Cut; lastId?: string | undefined } => {
  // A text gets its quotes.
  if (bytes * longestWritten + 2 <= maxBytes) return { data: body };
  const text = JSON.stringify(body) ?? '';
  const size = Buffer.byteLength(text);
  if (size <= maxBytes) return { data: body };
  if (!Array.isArray(body)) {
    return { data: Buffer.from(text).subarray(0, maxBytes).toString(), cut: { what: 'rest', bytes: size } };
  }
  let used = 2;
  const kept = body.findIndex((item) => {
    used += Buffer.byteLength(JSON.stringify(item) ?? '') + 1;
    return used > maxBytes;
  });
  return {
    data: body.slice(0, kept),
    cut: kept === 0 ? { what: 'first item', bytes: used } : { what: 'rest', bytes: size },
    lastId: body.length === 1 ? undefined : Items.safeParse(body.slice(0, Math.max(kept, 1))).data?.at(-1)?.id,
  };
};
