import type { Routes } from './generated/routes.ts';

export { SwitchboardError } from './error.ts';
export type * from './generated/routes.ts';
export { type LiveEvent, liveEvents } from './live-events.ts';

import { refusalOf, SwitchboardError } from './error.ts';
import { type LiveEvent, liveEvents } from './live-events.ts';

type Nothing = { [name in never]: unknown };

type Given<Part extends string, Value> = [Value] extends [undefined]
  ? { [P in Part]?: never }
  : Nothing extends Value
    ? { [P in Part]?: Value }
    : { [P in Part]: Value };

/** What a route is given: what stands in its path, after its `?`, and in its body. */
export type Request<R extends keyof Routes> = Given<'params', Routes[R]['params']> &
  Given<'query', Routes[R]['query']> &
  Given<'body', Routes[R]['body']> & {
    /** Sent again with the same key, a write is answered from the first time. */
    idempotencyKey?: string;
    signal?: AbortSignal;
  };

type Loose = {
  params?: Record<string, string | number> | undefined;
  query?: Record<string, string | number | boolean | undefined> | undefined;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
};

export type Arguments<R extends keyof Routes> = Nothing extends Request<R> ? [Request<R>?] : [Request<R>];

export type Answer<R extends keyof Routes> = Routes[R]['answer'];

export type Listing = {
  [R in keyof Routes]: Answer<R> extends { items: unknown[]; nextCursor?: string } ? R : never;
}[keyof Routes];
export type Item<R extends Listing> = Answer<R> extends { items: (infer I)[] } ? I : never;
type Streaming = Extract<keyof Routes, `GET ${string}/stream`>;

export type Options = {
  /** Where Switchboard is, e.g. https://switchboard.example. */
  origin: string;
  /** An API key; in a browser, leave it out to use the session of the signed-in person. */
  apiKey?: string;
  fetch?: typeof fetch;
};

const addressOf = (origin: string, path: string, { params = {}, query = {} }: Loose): string => {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = String(params[name] ?? '');
    if (value === '') throw new TypeError(`${path} needs params.${name}`);
    return encodeURIComponent(value);
  });
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString();
  return `${origin}${filled}${search === '' ? '' : `?${search}`}`;
};

/** How to go on without an answer. */
const nextStep = (route: string): string =>
  route.startsWith('GET ')
    ? '. Try again later.'
    : '; what was asked for may have happened. Look before you repeat it.';

/** An answer that broke off; whoever hung up hears of that as it is. */
const brokenOff = (error: unknown, signal: AbortSignal | undefined, message: string): unknown =>
  signal?.aborted ? error : new SwitchboardError(0, { code: 'unreachable', message });

/** A client of one Switchboard, checked against its description. */
export const createClient = ({ origin, apiKey, fetch: ask = fetch }: Options) => {
  const base = origin.replace(/\/$/, '');
  const identity: Record<string, string> =
    apiKey === undefined ? { 'x-switchboard-csrf': '1' } : { authorization: `Bearer ${apiKey}` };

  const send = async (route: string, given: Loose, accept: string): Promise<Response> => {
    const [method = 'GET', path = ''] = route.split(' ');
    const { body, idempotencyKey, signal } = given;
    const isFile = body instanceof Blob;
    const headers = {
      ...identity,
      accept,
      ...(body === undefined || isFile ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' };
    if (body !== undefined) init.body = isFile ? body : JSON.stringify(body);
    if (signal !== undefined) init.signal = signal;
    const response = await ask(addressOf(base, path, given), init).catch((error: unknown) => {
      throw brokenOff(error, signal, `The server does not answer${nextStep(route)}`);
    });
    if (!response.ok) throw await refusalOf(response);
    return response;
  };

  const read = async <T>(route: string, answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> =>
    answer.catch((error: unknown) => {
      throw brokenOff(error, signal, `The server's answer could not be read to its end${nextStep(route)}`);
    });

  return {
    /** One request, e.g. `call('GET /v1/accounts/{id}', { params: { id } })`. */
    call: async <R extends keyof Routes>(route: R, ...[given = {} as Request<R>]: Arguments<R>): Promise<Answer<R>> => {
      const response = await send(route, given, 'application/json');
      if (response.status === 204) return undefined;
      // A file stays one, also when it holds JSON.
      const isFile = response.headers.get('content-disposition')?.startsWith('attachment') ?? false;
      const isJson = !isFile && (response.headers.get('content-type')?.includes('json') ?? false);
      const body = isJson ? response.json() : response.blob();
      return (await read(route, body, given.signal)) as Answer<R>;
    },

    /** Every item of a list, page after page. */
    async *all<R extends Listing>(route: R, ...[given]: Arguments<R>): AsyncGenerator<Item<R>> {
      let { query = {}, ...rest } = (given ?? {}) as Loose;
      for (;;) {
        const response = await send(route, { ...rest, query }, 'application/json');
        const page = await read<unknown>(route, response.json(), rest.signal);
        const { items, nextCursor } = page as { items: Item<R>[]; nextCursor?: string };
        yield* items;
        if (nextCursor === undefined) return;
        query = { ...query, cursor: nextCursor };
      }
    },

    /** What happens, as it happens. Ends when the server ends it. */
    async *live<R extends Streaming>(route: R, ...[given]: Arguments<R>): AsyncGenerator<LiveEvent> {
      const asked: Loose = given ?? {};
      const response = await send(route, asked, 'text/event-stream');
      try {
        if (response.body !== null) yield* liveEvents(response.body);
      } catch (error) {
        throw brokenOff(error, asked.signal, 'The stream broke off. Connect again: it begins with how things stand.');
      }
    },
  };
};

export type Client = ReturnType<typeof createClient>;
