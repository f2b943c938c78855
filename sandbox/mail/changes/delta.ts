import { badRequest, GraphError } from '../graph-error.ts';
import { immutableId, restId } from '../ids.ts';
import type { Folder, Json, Mailbox, Message } from '../mailbox.ts';
import { findFolder } from '../messages/find.ts';
import { MessageLens } from '../messages/lens.ts';
import { show, viewOptions } from '../messages/show.ts';
import { lowerBound } from '../messages/timeline.ts';
import { type FilterNode, nodesOf, type ODataQuery, openToken, parseQuery, sealToken } from '../odata/index.ts';
import { contextOf, type GraphAnswer, type GraphRequest, type GraphRoute, ok } from '../route.ts';

/** What a token remembers: the round's options, and how far it got. */
type State = {
  /** Folder id and mailbox. */
  f: string;
  /** Everything up to this count of changes is told when the round ends. */
  since: number;
  /** First round: the last message told. */
  cursor?: [number, number];
  /** Later rounds: where in the changes to go on. */
  from?: number;
  /** Frozen options. */
  q: string;
  /** Reset counts: tokens of an earlier generation of the mailbox are gone. */
  g: number;
};

const firstRoundCap = 5000;
const defaultPage = 10;

export const syncStateGone = (location?: string): GraphError =>
  new GraphError(
    410,
    'SyncStateNotFound',
    'The sync state generation is not found; the sync state is invalid or has expired. Start a full synchronization.',
    location === undefined ? {} : { headers: { Location: location } },
  );

const isReceivedFrom = (node: FilterNode): boolean =>
  node.kind === 'compare' &&
  (node.op === 'ge' || node.op === 'gt') &&
  node.left.kind === 'path' &&
  node.left.names.join('/') === 'receivedDateTime';

/** Delta takes few options; the rest is refused. */
const checkOptions = (query: ODataQuery): void => {
  if (query.search !== undefined)
    throw badRequest("The query parameter '$search' is not supported for change tracking.");
  if (
    query.filter !== undefined &&
    [...nodesOf(query.filter.tree)].some((node) => node.kind !== 'and' && !isReceivedFrom(node))
  ) {
    throw new GraphError(
      400,
      'ErrorInvalidUrlQueryFilter',
      'Change tracking supports $filter on receivedDateTime with ge or gt only.',
    );
  }
  const order = query.orderby?.[0];
  if (
    order !== undefined &&
    (query.orderby?.length !== 1 || !order.descending || order.names.join('/') !== 'receivedDateTime')
  ) {
    throw badRequest('Change tracking supports $orderby=receivedDateTime desc only.');
  }
};

/** Tokens come from outside: one that was not made here must not break anything. */
const isSound = (state: Partial<State>): state is State => {
  const { since, from = 0, cursor = [0, 0], q } = state;
  return (
    typeof q === 'string' &&
    [since, from].every((count) => Number.isSafeInteger(count)) &&
    Array.isArray(cursor) &&
    cursor.length === 2 &&
    cursor.every((part) => Number.isFinite(part))
  );
};

const readState = (request: GraphRequest, folder: Folder, query: ODataQuery): State => {
  const token = query.deltatoken ?? query.skiptoken;
  if (token === undefined) {
    const options = new URLSearchParams([...request.query].filter(([name]) => !/^\$(skip|delta)token$/i.test(name)));
    return { f: folder.id, since: request.mailbox.clock, q: options.toString(), g: request.world.generation };
  }
  const state: Partial<State> = openToken(token);
  if (!isSound(state) || state.f !== folder.id) throw syncStateGone();
  if (
    state.g !== request.world.generation ||
    state.since < folder.forgotten ||
    (state.from ?? state.since) < folder.forgotten
  ) {
    throw syncStateGone(`${request.base}${request.path}?${state.q}`);
  }
  return state;
};

const link = (request: GraphRequest, name: '$skiptoken' | '$deltatoken', state: State): string =>
  `${request.base}${request.path}?${name}=${sealToken(state)}`;

type Page = { value: Json[]; next?: State; done?: State };

/** Newest first, without what arrives meanwhile: that is told by the next round. */
const firstRound = (
  folder: Folder,
  mailbox: Mailbox,
  state: State,
  query: ODataQuery,
  size: number,
  show: (m: Message) => Json,
): Page => {
  let at = state.cursor === undefined ? folder.messages.length : lowerBound(folder.messages, ...state.cursor);
  const value: Json[] = [];
  let last: Message | undefined;
  let looked = 0;
  while (at > 0 && value.length < size && looked < firstRoundCap) {
    last = folder.messages[--at] as Message;
    looked++;
    if (query.filter === undefined || query.filter.test(new MessageLens(mailbox, last))) value.push(show(last));
  }
  const done = { f: state.f, since: state.since, from: state.since, q: state.q, g: state.g };
  if (at === 0 || last === undefined) return { value, done };
  return { value, next: { ...state, cursor: [last.received, last.seq] } };
};

const kinds = (asked: string | null): Set<string> | undefined =>
  asked === null ? undefined : new Set(asked.toLowerCase().split(','));

/** What changed since, each message once; removals and read-state flips come whatever the filter says. */
const laterRound = (
  request: GraphRequest,
  folder: Folder,
  state: State,
  query: ODataQuery,
  size: number,
  show: (m: Message) => Json,
): Page => {
  const { mailbox } = request;
  const wanted = kinds(new URLSearchParams(state.q).get('changeType'));
  const from = state.from ?? state.since;
  let low = 0;
  let high = folder.changes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((folder.changes[middle]?.at ?? 0) <= from) low = middle + 1;
    else high = middle;
  }
  const newest = new Map<number, number>();
  const born = new Set<number>();
  for (let at = low; at < folder.changes.length; at++) {
    const { seq = 0, change } = folder.changes[at] ?? {};
    newest.set(seq, at);
    if (change === 'created') born.add(seq);
  }
  const value: Json[] = [];
  for (let at = low; at < folder.changes.length; at++) {
    const entry = folder.changes[at];
    if (entry === undefined || newest.get(entry.seq) !== at) continue;
    if (value.length === size) {
      return { value, next: { ...state, from: (folder.changes[at]?.at ?? 1) - 1 } };
    }
    const message = mailbox.messages.get(entry.seq);
    const here = message?.folderId === folder.id;
    const created = born.has(entry.seq);
    const kind = here ? (created ? 'created' : 'updated') : 'deleted';
    if (wanted !== undefined && !wanted.has(kind)) continue;
    if (message !== undefined && here) {
      if (created && query.filter !== undefined && !query.filter.test(new MessageLens(mailbox, message))) continue;
      value.push(show(message));
      continue;
    }
    const id = request.prefer.immutableIds ? immutableId(mailbox, { seq: entry.seq }) : restId(mailbox, entry);
    value.push({ '@odata.type': '#microsoft.graph.message', id, '@removed': { reason: 'deleted' } });
  }
  const end = folder.changes.at(-1)?.at ?? from;
  return { value, done: { f: state.f, since: Math.max(end, from), from: Math.max(end, from), q: state.q, g: state.g } };
};

const messagesDelta = (request: GraphRequest): GraphAnswer => {
  const folder = findFolder(request.mailbox, request.params['folder'] ?? '');
  const asked = parseQuery(request.query, { entity: 'message' });
  const state = readState(request, folder, asked);
  const query = parseQuery(new URLSearchParams(state.q), { entity: 'message' });
  checkOptions(query);
  const size = request.prefer.maxPageSize ?? query.top ?? defaultPage;
  const options = viewOptions(request);
  const shown = (message: Message): Json => ({
    '@odata.type': '#microsoft.graph.message',
    ...show(request, message, query, options),
  });
  const page =
    asked.deltatoken === undefined && state.from === undefined
      ? firstRound(folder, request.mailbox, state, query, size, shown)
      : laterRound(request, folder, state, query, size, shown);
  return ok({
    '@odata.context': contextOf(request, 'mailFolders/messages/$delta').replace(/users\('.*'\)\//, ''),
    value: page.value,
    ...(page.next === undefined ? {} : { '@odata.nextLink': link(request, '$skiptoken', page.next) }),
    ...(page.done === undefined ? {} : { '@odata.deltaLink': link(request, '$deltatoken', page.done) }),
  });
};

const wholeMailbox = (): GraphAnswer => {
  throw new GraphError(
    400,
    'ErrorInvalidRequest',
    'Change tracking is not supported against all messages; use one folder at a time.',
  );
};

export const deltaRoutes: GraphRoute[] = [
  {
    method: 'GET',
    path: 'mailFolders/:folder/messages/delta',
    scopes: ['Mail.ReadBasic', 'Mail.Read', 'Mail.ReadWrite'],
    handle: messagesDelta,
  },
  {
    method: 'GET',
    path: 'messages/delta',
    scopes: ['Mail.ReadBasic', 'Mail.Read', 'Mail.ReadWrite'],
    handle: wholeMailbox,
  },
];
