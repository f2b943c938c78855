import { badRequest } from '../graph-error.ts';
import type { Folder, Json, Mailbox } from '../mailbox.ts';
import { findFolder, wellKnownFolder } from '../messages/find.ts';
import { compareBy, nextLink, type ODataQuery, pageOf, parseQuery, selectFields } from '../odata/index.ts';
import {
  contextOf,
  created,
  type GraphAnswer,
  type GraphRequest,
  type GraphRoute,
  jsonBody,
  noContent,
  ok,
} from '../route.ts';
import { pick, readFlag, readText } from '../values.ts';
import { addFolder, copyFolder, folderView, moveFolder, removeFolder, renameFolder } from './store.ts';

const reading = ['Mail.ReadBasic', 'Mail.Read', 'Mail.ReadWrite'];
const writing = ['Mail.ReadWrite'];

const hiddenToo = (request: GraphRequest): boolean => {
  for (const [name, value] of request.query) {
    if (name.toLowerCase() === 'includehiddenfolders') return value.toLowerCase() === 'true';
  }
  return false;
};

const childrenOf = (mailbox: Mailbox, parent: Folder, hidden: boolean): Folder[] =>
  parent.children.flatMap((id) => mailbox.folders.get(id) ?? []).filter((folder) => hidden || !folder.isHidden);

const shown = (request: GraphRequest, folder: Folder, query: ODataQuery): Json => {
  const view = selectFields(folderView(folder), query.select) as Json;
  const expand = query.expand?.find(({ name }) => name === 'childFolders');
  if (expand === undefined) return view;
  const children = childrenOf(request.mailbox, folder, hiddenToo(request));
  return { ...view, childFolders: children.map((child) => selectFields(folderView(child), expand.query.select)) };
};

const list = (request: GraphRequest, parent: Folder, below: string): GraphAnswer => {
  const query = parseQuery(request.query, { entity: 'mailFolder' });
  const { filter } = query;
  let folders = childrenOf(request.mailbox, parent, hiddenToo(request));
  if (filter !== undefined) folders = folders.filter((folder) => filter.test(folderView(folder)));
  if (query.orderby !== undefined) {
    const compare = compareBy(query.orderby);
    folders.sort((a, b) => compare(folderView(a), folderView(b)));
  }
  const { items, next } = pageOf(folders, query);
  return ok({
    '@odata.context': contextOf(request, below),
    ...(query.count ? { '@odata.count': folders.length } : {}),
    value: items.map((folder) => shown(request, folder, query)),
    ...nextLink(request, next),
  });
};

const addressed = (request: GraphRequest): Folder => findFolder(request.mailbox, request.params['folder'] ?? '');
const root = (request: GraphRequest): Folder => wellKnownFolder(request.mailbox, 'msgfolderroot');

const single = (request: GraphRequest, folder: Folder): Json => ({
  '@odata.context': contextOf(request, 'mailFolders/$entity'),
  ...shown(request, folder, parseQuery(request.query, { entity: 'mailFolder' })),
});

const create = (request: GraphRequest, parent: Folder): GraphAnswer => {
  const body = jsonBody(request);
  const name = pick(body, 'displayName');
  if (name === undefined || name === null) throw badRequest('The folder display name is required.');
  const hidden = readFlag(pick(body, 'isHidden') ?? false, 'isHidden');
  return created(single(request, addFolder(request.mailbox, parent, readText(name, 'displayName'), hidden)));
};

const rename = (request: GraphRequest): GraphAnswer => {
  const folder = addressed(request);
  const name = pick(jsonBody(request), 'displayName');
  if (name !== undefined && name !== null) renameFolder(request.mailbox, folder, readText(name, 'displayName'));
  return ok(single(request, folder));
};

const remove = (request: GraphRequest): GraphAnswer => {
  removeFolder(request.world, request.mailbox, addressed(request));
  return noContent();
};

const destination = (request: GraphRequest): Folder =>
  findFolder(request.mailbox, readText(pick(jsonBody(request), 'destinationId'), 'destinationId'));

const move = (request: GraphRequest): GraphAnswer => {
  const folder = addressed(request);
  moveFolder(request.mailbox, folder, destination(request));
  return ok(single(request, folder));
};

const copy = (request: GraphRequest): GraphAnswer =>
  ok(single(request, copyFolder(request.world, request.mailbox, addressed(request), destination(request))));

const count = (request: GraphRequest, parent: Folder): GraphAnswer => ({
  status: 200,
  raw: { contentType: 'text/plain', content: String(childrenOf(request.mailbox, parent, hiddenToo(request)).length) },
});

const children = (request: GraphRequest): GraphAnswer =>
  list(
    request,
    addressed(request),
    `mailFolders('${encodeURIComponent(request.params['folder'] ?? '')}')/childFolders`,
  );

export const folderRoutes: GraphRoute[] = [
  { method: 'GET', path: 'mailFolders', scopes: reading, handle: (r) => list(r, root(r), 'mailFolders') },
  { method: 'POST', path: 'mailFolders', scopes: writing, handle: (r) => create(r, root(r)) },
  { method: 'GET', path: 'mailFolders/$count', scopes: reading, handle: (r) => count(r, root(r)) },
  { method: 'GET', path: 'mailFolders/:folder', scopes: reading, handle: (r) => ok(single(r, addressed(r))) },
  { method: 'PATCH', path: 'mailFolders/:folder', scopes: writing, handle: rename },
  { method: 'DELETE', path: 'mailFolders/:folder', scopes: writing, handle: remove },
  { method: 'GET', path: 'mailFolders/:folder/childFolders', scopes: reading, handle: children },
  {
    method: 'GET',
    path: 'mailFolders/:folder/childFolders/$count',
    scopes: reading,
    handle: (r) => count(r, addressed(r)),
  },
  { method: 'POST', path: 'mailFolders/:folder/childFolders', scopes: writing, handle: (r) => create(r, addressed(r)) },
  { method: 'POST', path: 'mailFolders/:folder/move', scopes: writing, handle: move },
  { method: 'POST', path: 'mailFolders/:folder/copy', scopes: writing, handle: copy },
];
