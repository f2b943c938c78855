import { badRequest } from '../graph-error.ts';
import type { ODataQuery } from './query.ts';

export type Page<T> = { items: T[]; next: number | undefined };

/** The part of a sorted list that a request asked for, and where the next one starts. */
export const pageOf = <T>(items: readonly T[], query: Pick<ODataQuery, 'top' | 'skip'>, defaultTop = 10): Page<T> => {
  const from = query.skip ?? 0;
  const to = from + (query.top ?? defaultTop);
  return { items: items.slice(from, to), next: to < items.length ? to : undefined };
};

/** The same request with some options replaced (undefined removes one): for nextLinks and deltaLinks. */
export const linkWith = (
  request: { base: string; path: string; query: URLSearchParams },
  changes: Record<string, string | number | undefined>,
): string => {
  const replaced = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
  const params = new URLSearchParams([...request.query].filter(([name]) => !replaced.has(name.toLowerCase())));
  for (const [name, value] of Object.entries(changes)) if (value !== undefined) params.set(name, String(value));
  return `${request.base}${request.path}?${params}`;
};

/** The link to the next page of a plain list. */
export const nextLink = (
  request: { base: string; path: string; query: URLSearchParams },
  next: number | undefined,
): { '@odata.nextLink'?: string } =>
  next === undefined ? {} : { '@odata.nextLink': linkWith(request, { $skip: next }) };

/** State inside $skiptoken or $deltatoken: nobody outside is to read it. */
export const sealToken = (state: object): string => Buffer.from(JSON.stringify(state)).toString('base64url');

export const openToken = (token: string): Record<string, unknown> => {
  try {
    const state: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    if (typeof state === 'object' && state !== null && !Array.isArray(state)) return { ...state };
  } catch {
    // Answered below, like any other token that was not made here.
  }
  throw badRequest('Badly formed token.');
};
