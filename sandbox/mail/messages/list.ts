import { badRequest } from '../graph-error.ts';
import { searcher } from '../kql/index.ts';
import type { Mailbox, Message } from '../mailbox.ts';
import {
  compareBy,
  type FilterNode,
  linkWith,
  type ODataQuery,
  openToken,
  parseQuery,
  sealToken,
} from '../odata/index.ts';
import { contextOf, type GraphAnswer, type GraphRequest } from '../route.ts';
import type { World } from '../world.ts';
import { MessageLens } from './lens.ts';
import { show, viewOptions } from './show.ts';
import { lowerBound } from './timeline.ts';
import { writtenPage } from './written-page.ts';

const defaultTop = 10;
const searchCap = 1000;

type Found = { messages: Message[]; more: boolean; total: number | undefined };

/** The times between which a filter's matches must lie, from its top-level conditions on receivedDateTime. */
const bounds = (tree: FilterNode | undefined): { from: number; to: number } => {
  const range = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  const parts = tree?.kind === 'and' ? tree.parts : tree === undefined ? [] : [tree];
  for (const part of parts) {
    if (part.kind === 'and') {
      const inner = bounds(part);
      range.from = Math.max(range.from, inner.from);
      range.to = Math.min(range.to, inner.to);
    }
    if (part.kind !== 'compare' || part.left.kind !== 'path' || part.right.kind !== 'literal') continue;
    if (part.left.names.join('/') !== 'receivedDateTime') continue;
    const at = Date.parse(String(part.right.value));
    if (Number.isNaN(at)) continue;
    if (part.op === 'ge' || part.op === 'gt') range.from = Math.max(range.from, at);
    else if (part.op === 'le' || part.op === 'lt') range.to = Math.min(range.to, at + 1000);
    else if (part.op === 'eq')
      Object.assign(range, { from: Math.max(range.from, at), to: Math.min(range.to, at + 1000) });
  }
  return range;
};

const newestFirst = (source: readonly Message[], skip: number, top: number): Found => {
  const end = Math.max(0, source.length - skip);
  const start = Math.max(0, end - top);
  const messages: Message[] = [];
  for (let at = end - 1; at >= start; at--) messages.push(source[at] as Message);
  return { messages, more: start > 0, total: source.length };
};

/** Walks newest to oldest and stops as soon as the page is full, unless everything has to be counted. */
const walk = (mailbox: Mailbox, source: readonly Message[], query: ODataQuery, skip: number, top: number): Found => {
  const { from, to } = bounds(query.filter?.tree);
  const first = Number.isFinite(from) ? lowerBound(source, from, -1) : 0;
  const last = Number.isFinite(to) ? lowerBound(source, to, -1) : source.length;
  const messages: Message[] = [];
  let matched = 0;
  for (let at = last - 1; at >= first; at--) {
    const message = source[at] as Message;
    if (query.filter !== undefined && !query.filter.test(new MessageLens(mailbox, message))) continue;
    matched++;
    if (matched > skip && messages.length < top) messages.push(message);
    else if (matched > skip + top && !query.count) break;
  }
  return { messages, more: matched > skip + top, total: query.count ? matched : undefined };
};

const sorted = (mailbox: Mailbox, source: readonly Message[], query: ODataQuery, skip: number, top: number): Found => {
  const lenses: MessageLens[] = [];
  for (let at = source.length - 1; at >= 0; at--) {
    const lens = new MessageLens(mailbox, source[at] as Message);
    if (query.filter === undefined || query.filter.test(lens)) lenses.push(lens);
  }
  lenses.sort(compareBy(query.orderby ?? []));
  const messages = lenses.slice(skip, skip + top).map(({ message }) => message);
  return { messages, more: lenses.length > skip + top, total: lenses.length };
};

const isNewestFirst = ({ orderby }: ODataQuery): boolean =>
  orderby === undefined ||
  (orderby.length === 1 && orderby[0]?.descending === true && orderby[0].names.join('/') === 'receivedDateTime');

/** Messages that a `$search` finds, newest sent first, at most 1,000. */
const searched = (world: World, source: readonly Message[], text: string): Message[] => {
  const now = world.now();
  const matches = searcher(text, now);
  const indexedBefore = now - world.behaviour.searchLagMs;
  const found: Message[] = [];
  for (let at = source.length - 1; at >= 0 && found.length < searchCap; at--) {
    const message = source[at] as Message;
    if (message.created <= indexedBefore && matches(message)) found.push(message);
  }
  return found.toSorted((a, b) => b.sent - a.sent || b.seq - a.seq);
};

const search = (request: GraphRequest, source: readonly Message[], query: ODataQuery): Found & { next?: string } => {
  const state = query.skiptoken === undefined ? { at: 0 } : openToken(query.skiptoken);
  const at = state['at'];
  if (typeof at !== 'number' || !Number.isInteger(at) || at < 0) throw badRequest('Badly formed token.');
  const all = searched(request.world, source, query.search ?? '');
  const top = query.top ?? defaultTop;
  const more = all.length > at + top;
  return {
    messages: all.slice(at, at + top),
    more,
    total: undefined,
    ...(more ? { next: linkWith(request, { $skiptoken: sealToken({ at: at + top }) }) } : {}),
  };
};

export const listMessages = (request: GraphRequest, source: readonly Message[], below: string): GraphAnswer => {
  const query = parseQuery(request.query, { entity: 'message' });
  const { mailbox } = request;
  const skip = query.skip ?? 0;
  const top = query.top ?? defaultTop;
  const found: Found & { next?: string } =
    query.search !== undefined
      ? search(request, source, query)
      : !isNewestFirst(query)
        ? sorted(mailbox, source, query, skip, top)
        : query.filter === undefined
          ? newestFirst(source, skip, top)
          : walk(mailbox, source, query, skip, top);
  const next =
    found.next ?? (found.more && query.search === undefined ? linkWith(request, { $skip: skip + top }) : undefined);
  const options = viewOptions(request);
  const plain =
    query.select === undefined &&
    query.expand === undefined &&
    !options.immutable &&
    !options.basic &&
    options.bodyType !== 'text';
  const head = {
    '@odata.context': contextOf(request, query.select === undefined ? below : `${below}(${query.select.join(',')})`),
    ...(query.count && found.total !== undefined ? { '@odata.count': found.total } : {}),
  };
  if (!plain) {
    const value = found.messages.map((message) => show(request, message, query, options));
    return { status: 200, body: { ...head, value, ...(next === undefined ? {} : { '@odata.nextLink': next }) } };
  }
  const tail = next === undefined ? '' : `,"@odata.nextLink":${JSON.stringify(next)}`;
  return {
    status: 200,
    json: writtenPage(mailbox, `${JSON.stringify(head).slice(0, -1)},"value":[`, found.messages, `]${tail}}`),
  };
};

export const countMessages = (request: GraphRequest, source: readonly Message[]): GraphAnswer => {
  const query = parseQuery(request.query, { entity: 'message' });
  const count =
    query.search !== undefined
      ? searched(request.world, source, query.search).length
      : query.filter === undefined
        ? source.length
        : (walk(request.mailbox, source, { ...query, count: true }, 0, 0).total ?? 0);
  return { status: 200, raw: { contentType: 'text/plain', content: String(count) } };
};
