import { accessDenied, GraphError, noSuchSegment } from './graph-error.ts';
import type { Mailbox } from './mailbox.ts';
import type { Person } from './people.ts';
import { parsePrefer } from './prefer.ts';
import type { GraphAnswer, GraphRequest, GraphRoute } from './route.ts';
import { Router, segmentsOf } from './router.ts';
import { requireScope, type Session } from './session.ts';
import type { Throttle } from './throttle.ts';
import type { World } from './world.ts';

/** A call before it is known what it addresses. */
export type Call = {
  session: Session;
  method: string;
  /** Below `/v1.0`, with the query. */
  url: string;
  base: string;
  header: (name: string) => string | undefined;
  body: Uint8Array;
};

const writeCap = 4 * 1024 * 1024;

const sharedForm = (scopes: readonly string[]): string[] =>
  scopes.map((scope) => (scope.endsWith('.Shared') ? scope : `${scope}.Shared`));

/** The API below `/v1.0`: finds mailbox and route, checks scopes and rights, lets the handler answer. */
export class Graph {
  readonly world: World;
  readonly throttle: Throttle;
  #mailbox = new Router();
  #top = new Router();
  #buckets = new WeakMap<Person, Map<string, string>>();

  constructor(world: World, throttle: Throttle) {
    this.world = world;
    this.throttle = throttle;
  }

  /** Routes below `/me` and `/users/{id}`. */
  mailboxRoutes(routes: readonly GraphRoute[]): this {
    this.#mailbox.add(routes);
    return this;
  }

  /** Routes directly below `/v1.0`. */
  topRoutes(routes: readonly GraphRoute[]): this {
    this.#top.add(routes);
    return this;
  }

  /** What a call is counted against. */
  bucket(session: Session, url: string): string {
    const other = /^\/users(?:\/([^/?(]+)|\('([^']+)'\))/i.exec(url);
    const name = other?.[1] ?? other?.[2];
    const owner = name === undefined ? session.person : (this.world.person(safeDecode(name)) ?? session.person);
    const own = this.#buckets.get(owner) ?? new Map<string, string>();
    const bucket = own.get(session.appId) ?? `${session.appId} ${owner.address}`;
    // The same text every time is found again without being read.
    this.#buckets.set(owner, own.set(session.appId, bucket));
    return bucket;
  }

  answer(call: Call, running: number): GraphAnswer | Promise<GraphAnswer> {
    // Each part of a batch is counted on its own, so the batch is not.
    if (!isBatch(call.url)) this.throttle.admit(this.bucket(call.session, call.url), running, call.body.length);
    if (call.body.length > writeCap) {
      throw new GraphError(413, 'RequestEntityTooLarge', 'Request entity too large');
    }
    const question = call.url.indexOf('?');
    const path = question < 0 ? call.url : call.url.slice(0, question);
    const search = question < 0 ? '' : call.url.slice(question + 1);
    const segments = segmentsOf(path);
    const first = segments[0]?.toLowerCase();
    const below = first === 'me' ? 1 : first === 'users' && segments.length >= 2 ? 2 : 0;
    const nested = below === 0 ? segments : flattenFolders(segments.slice(below));
    const mailbox = this.#addressed(call.session, below === 2 ? segments[1] : undefined, nested.length > 0);
    const { route, params } = (below === 0 ? this.#top : this.#mailbox).find(
      call.method,
      nested.length === 0 && below > 0 ? [''] : nested,
    );
    this.#authorize(call.session, mailbox, route);
    const request: GraphRequest = {
      ...call,
      world: this.world,
      mailbox,
      prefix: below === 2 ? `/users/${encodeURIComponent(segments[1] ?? '')}` : '/me',
      path,
      params,
      search,
      query: new URLSearchParams(search),
      prefer: parsePrefer(call.header('prefer')),
    };
    return route.handle(request);
  }

  #addressed(session: Session, user: string | undefined, intoMailbox: boolean): Mailbox {
    const person = user === undefined ? session.person : this.world.person(user);
    const mailbox = person === undefined ? undefined : this.world.mailboxes.get(person.id);
    if (mailbox !== undefined) return mailbox;
    if (user !== undefined && person === undefined && intoMailbox) {
      throw new GraphError(404, 'ErrorInvalidUser', `The requested user '${user}' is invalid.`);
    }
    if (!intoMailbox) {
      throw new GraphError(
        404,
        'Request_ResourceNotFound',
        `Resource '${user}' does not exist or one of its queried reference-property objects are not present.`,
      );
    }
    throw new GraphError(
      404,
      'MailboxNotEnabledForRESTAPI',
      'The mailbox is either inactive, soft-deleted, or is hosted on-premise.',
    );
  }

  #authorize(session: Session, mailbox: Mailbox, route: GraphRoute): void {
    const own = mailbox.owner === session.person.id;
    if (route.scopes.length > 0) requireScope(session, ...(own ? route.scopes : sharedForm(route.scopes)));
    if (!own && route.path !== '' && mailbox.delegates.get(session.person.id)?.fullAccess !== true)
      throw accessDenied();
  }
}

export const isBatch = (url: string): boolean => /^\/\$batch\b/i.test(url);

const safeDecode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** `mailFolders/A/childFolders/B/…` is `mailFolders/B/…`: ids are unique in the mailbox. */
const flattenFolders = (segments: string[]): string[] => {
  const flat = [...segments];
  while (
    flat.length >= 4 &&
    flat[0]?.toLowerCase() === 'mailfolders' &&
    flat[2]?.toLowerCase() === 'childfolders' &&
    flat[3]?.toLowerCase() !== '$count'
  ) {
    flat.splice(1, 2);
  }
  if (flat.some((segment) => segment.length > 2000)) throw noSuchSegment('…');
  return flat;
};
