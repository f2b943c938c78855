import { folderView } from '../folders/store.ts';
import type { Json } from '../mailbox.ts';
import { openToken, parseQuery, sealToken, selectFields } from '../odata/index.ts';
import { contextOf, type GraphAnswer, type GraphRequest, type GraphRoute, ok } from '../route.ts';
import { syncStateGone } from './delta.ts';

const defaultPage = 100;

type State = { since: number; from: number; at: number; q: string; g: number };

const readState = (request: GraphRequest, token: string | undefined): State => {
  if (token === undefined) {
    return { since: request.mailbox.clock, from: 0, at: 0, q: request.query.toString(), g: request.world.generation };
  }
  const state = openToken(token) as Partial<State>;
  const sound =
    [state.since, state.from, state.at].every((part) => typeof part === 'number') && typeof state.q === 'string';
  if (!sound || state.g !== request.world.generation) throw syncStateGone();
  // The token of a finished round: the new round ends now.
  return (state.since === 0 ? { ...state, since: request.mailbox.clock } : state) as State;
};

/** Changes of folders themselves; all of them in the first round (`from` is 0). */
const folderDelta = (request: GraphRequest): GraphAnswer => {
  const asked = parseQuery(request.query, { entity: 'mailFolder' });
  const state = readState(request, asked.deltatoken ?? asked.skiptoken);
  const { mailbox } = request;
  const query = parseQuery(new URLSearchParams(state.q), { entity: 'mailFolder' });
  const touched =
    state.from === 0
      ? [...mailbox.folders.values()]
          .filter(({ isHidden, parentId }) => !isHidden && parentId !== null)
          .map(({ id }) => id)
      : [
          ...new Set(
            mailbox.folderChanges.filter(({ at }) => at > state.from && at <= state.since).map(({ id }) => id),
          ),
        ];
  const size = request.prefer.maxPageSize ?? defaultPage;
  const value = touched.slice(state.at, state.at + size).map((id): Json => {
    const folder = mailbox.folders.get(id);
    if (folder === undefined)
      return { '@odata.type': '#microsoft.graph.mailFolder', id, '@removed': { reason: 'deleted' } };
    return { '@odata.type': '#microsoft.graph.mailFolder', ...selectFields(folderView(folder), query.select) };
  });
  const more = touched.length > state.at + size;
  const next = sealToken({ ...state, at: state.at + size });
  const done = sealToken({ since: 0, from: state.since, at: 0, q: state.q, g: state.g });
  return ok({
    '@odata.context': contextOf(request, 'mailFolders/$delta').replace(/users\('.*'\)\//, ''),
    value,
    ...(more
      ? { '@odata.nextLink': `${request.base}${request.path}?$skiptoken=${next}` }
      : { '@odata.deltaLink': `${request.base}${request.path}?$deltatoken=${done}` }),
  });
};

export const folderDeltaRoutes: GraphRoute[] = [
  {
    method: 'GET',
    path: 'mailFolders/delta',
    scopes: ['Mail.ReadBasic', 'Mail.Read', 'Mail.ReadWrite'],
    handle: folderDelta,
  },
];
