import { invalidBody } from './graph-error.ts';
import type { Json, Mailbox } from './mailbox.ts';
import type { Prefer } from './prefer.ts';
import type { Session } from './session.ts';
import type { World } from './world.ts';

/** One call of the API, from the wire or out of a $batch. */
export type GraphRequest = {
  world: World;
  session: Session;
  /** The mailbox addressed by `/me` or `/users/{id}`; of the signed-in person where the path names none. */
  mailbox: Mailbox;
  /** `/me` or `/users/{as written}`. */
  prefix: string;
  /** Scheme, host and `/v1.0`, no trailing slash: for nextLinks and contexts. */
  base: string;
  method: string;
  /** Path below `/v1.0` as written, without the query. */
  path: string;
  /** By name in the route's path. Ids keep their letter case. */
  params: Record<string, string>;
  /** Raw query string without `?`. */
  search: string;
  query: URLSearchParams;
  prefer: Prefer;
  header: (name: string) => string | undefined;
  body: Uint8Array;
};

/** `body` becomes JSON; `text` is sent as it is. Neither means no body. */
export type GraphAnswer = {
  status: number;
  body?: unknown;
  /** JSON already written, as bytes. */
  json?: Buffer;
  raw?: { contentType: string; content: string | Uint8Array };
  headers?: Record<string, string>;
};

/**
 * `path` is below the mailbox (`messages/:id`, `calendar/events`), matched without regard to letter case; both
 * `messages/{id}` and `messages('{id}')` arrive here. `scopes`: any one of them will do, and in somebody else's
 * mailbox its `.Shared` form is asked for (rights on the mailbox are checked too).
 */
export type GraphRoute = {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'PUT';
  path: string;
  scopes: readonly string[];
  handle: (request: GraphRequest) => GraphAnswer | Promise<GraphAnswer>;
};

export const ok = (body: unknown): GraphAnswer => ({ status: 200, body });
export const created = (body: unknown): GraphAnswer => ({ status: 201, body });
export const accepted = (): GraphAnswer => ({ status: 202 });
export const noContent = (): GraphAnswer => ({ status: 204 });

/** `@odata.context` for something below the mailbox, e.g. `messages` or `messages/$entity`. */
export const contextOf = (request: GraphRequest, below: string): string =>
  `${request.base}/$metadata#users('${request.mailbox.owner}')/${below}`;

/** The body as a JSON object. */
export const jsonBody = (request: GraphRequest): Json => {
  if (request.body.length === 0) throw invalidBody();
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(request.body));
  } catch {
    throw invalidBody();
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidBody();
  return value as Json;
};

/** Action parameters and properties are matched without regard to letter case. */
export const caseless = (object: Json): Map<string, unknown> =>
  new Map(Object.entries(object).map(([key, value]) => [key.toLowerCase(), value]));
