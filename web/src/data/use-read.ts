import { keepPreviousData, type Query, type QueryClient, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import type { Answer, Arguments, Item, Listing, Routes } from '../../../client/src/index.ts';
import { api } from './api.ts';
import { Reading } from './reading.ts';

type Readable = Extract<keyof Routes, `GET ${string}`>;

/** `stays`: until another answer is there, the one before it is shown. */
type Manner = { enabled?: boolean; stays?: boolean };

/** What a route answers, kept and looked at again when something changed. */
export const useRead = <R extends Readable>(route: R, ...rest: [...Arguments<R>, Manner?]) => {
  const [given = {}, { enabled = true, stays = false } = {}] = rest as unknown as [object?, Manner?];
  const isReading = useContext(Reading);
  return useQuery<Answer<R>>({
    queryKey: [route, given],
    queryFn: ({ signal }) => api.call(route, ...([{ ...given, signal }] as unknown as Arguments<R>)),
    enabled: enabled && isReading,
    ...(stays ? { placeholderData: keepPreviousData as never } : {}),
  });
};

/** A list, page after page: `items` are those that were loaded so far. */
export const useList = <R extends Listing & Readable>(route: R, query: object = {}, params?: object) => {
  const isReading = useContext(Reading);
  const list = useInfiniteQuery({
    queryKey: [route, 'pages', query, params],
    queryFn: async ({ pageParam, signal }) => {
      const given = { query: { ...query, ...(pageParam === '' ? {} : { cursor: pageParam }) }, params, signal };
      return (await api.call(route, ...([given] as unknown as Arguments<R>))) as {
        items: Item<R>[];
        nextCursor?: string;
      };
    },
    enabled: isReading,
    initialPageParam: '',
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
  return { ...list, items: list.data?.pages.flatMap(({ items }) => items) ?? [] };
};

/** More than this no drop-down can hold. */
const far = 10_000;

/** A whole list, for names and drop-downs: nothing is left out because it stands on a later page. */
export const useAll = <R extends Listing & Readable>(
  route: R,
  query: object = {},
  { enabled = true }: { enabled?: boolean } = {},
) => {
  const isReading = useContext(Reading);
  return useQuery<{ items: Item<R>[] }>({
    queryKey: [route, 'all', query],
    queryFn: async ({ signal }) => {
      const given = [{ query: { limit: 100, ...query }, signal }] as unknown as Arguments<R>;
      const items: Item<R>[] = [];
      for await (const item of api.all(route, ...given)) {
        items.push(item);
        if (items.length === far) break;
      }
      return { items };
    },
    enabled: enabled && isReading,
  });
};

/** What has a name that others show. */
const named = new Set(['accounts', 'agents', 'tools', 'triggers']);

const under = (words: readonly string[]) => ({
  predicate: ({ queryKey: [route] }: { queryKey: readonly unknown[] }) => {
    if (route === 'GET /v1/names') return words.some((word) => named.has(word));
    return typeof route === 'string' && words.some((word) => `${route}/`.startsWith(`GET /v1/${word}/`));
  },
});

type Which = { predicate: (query: Query) => boolean };

/** Looks again at all of these. */
export const lookAgain = async (client: QueryClient, { predicate }: Which): Promise<void> => {
  // A first read that is under way is not begun anew, and may have been answered before what was changed.
  const isFirstUnderWay =
    client.isFetching({ predicate: (query) => predicate(query) && query.state.data === undefined }) > 0;
  await client.invalidateQueries({ predicate });
  if (isFirstUnderWay) await client.invalidateQueries({ predicate });
};

/** Looks again at everything under these words of the API: `refresh(client, ['accounts', 'triggers'])`. */
export const refresh = (client: QueryClient, words: readonly string[]): Promise<void> =>
  lookAgain(client, under(words));

/**
 * What was looked for and is looked through page after page, each of which may take the server more than a second: read again
 * with each hint, it would never come to its end. What waits is read again all the same: others decide about it.
 */
const isLookedThrough = ({ queryKey: [route, kind, asked], state: { data } }: Query): boolean => {
  if (kind !== 'pages' || route === 'GET /v1/approvals') return false;
  const { query, to } = asked as { query?: string; to?: string };
  const { pages } = (data ?? { pages: [] }) as { pages: unknown[] };
  return (query !== undefined || to !== undefined) && pages.length > 1;
};

/**
 * The same where hints come one after the other: what is being read is read to its end, or a slow list would never be. Tells
 * whether something was, which may be too old by then.
 */
export const refreshInTurn = async (client: QueryClient, words: readonly string[]): Promise<boolean> => {
  const { predicate } = under(words);
  const wanted = { predicate: (query: Query) => predicate(query) && !isLookedThrough(query) };
  const isUnderWay = client.isFetching(wanted) > 0;
  await client.invalidateQueries(wanted, { cancelRefetch: false });
  return isUnderWay;
};
