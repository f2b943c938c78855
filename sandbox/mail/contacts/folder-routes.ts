import { GraphError, invalidProperty } from '../graph-error.ts';
import type { Json } from '../mailbox.ts';
import { nextLink, pageOf, parseQuery, selectFields } from '../odata/index.ts';
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
import { pick, readText } from '../values.ts';
import type { ContactFolder } from './state.ts';
import { addFolder, defaultFolderId, findFolderId, removeFolder } from './store.ts';

const reading = ['Contacts.Read', 'Contacts.ReadWrite'];
const writing = ['Contacts.ReadWrite'];

const render = ({ id, displayName, parentId }: ContactFolder): Json => ({ id, displayName, parentFolderId: parentId });

const parentOf = ({ mailbox, params }: GraphRequest): string =>
  params['folderId'] === undefined ? defaultFolderId(mailbox) : findFolderId(mailbox, params['folderId']);

const found = (request: GraphRequest): ContactFolder => {
  const id = parentOf(request);
  const { folders } = request.mailbox.contacts;
  return folders.get(id) ?? { id, displayName: 'Contacts', parentId: id, version: 1 };
};

/** The default folder is not in the list: its contacts are at /contacts. */
const list = (request: GraphRequest): GraphAnswer => {
  const query = parseQuery(request.query, { entity: 'contactFolder' });
  const parent = parentOf(request);
  const all = [...request.mailbox.contacts.folders.values()]
    .filter(({ parentId }) => parentId === parent)
    .map(render)
    .filter((folder) => query.filter?.test(folder) ?? true);
  const { items, next } = pageOf(all, query);
  return ok({
    '@odata.context': contextOf(request, 'contactFolders'),
    ...(query.count ? { '@odata.count': all.length } : {}),
    value: items.map((folder) => selectFields(folder, query.select)),
    ...nextLink(request, next),
  });
};

const answer = (request: GraphRequest, folder: ContactFolder): Json => ({
  '@odata.context': contextOf(request, 'contactFolders/$entity'),
  ...render(folder),
});

const nameIn = (request: GraphRequest, parent: string): string => {
  const name = readText(pick(jsonBody(request), 'displayName') ?? '', 'displayName').trim();
  if (name === '') throw invalidProperty('A folder needs a displayName.');
  for (const { parentId, displayName } of request.mailbox.contacts.folders.values()) {
    if (parentId !== parent || displayName.toLowerCase() !== name.toLowerCase()) continue;
    throw new GraphError(409, 'ErrorFolderExists', 'A folder with the specified name already exists.');
  }
  return name;
};

const create = (request: GraphRequest): GraphAnswer => {
  const parent = parentOf(request);
  return created(answer(request, addFolder(request.mailbox, nameIn(request, parent), parent)));
};

const own = (request: GraphRequest): ContactFolder => {
  const folder = found(request);
  if (folder.id !== defaultFolderId(request.mailbox)) return folder;
  throw new GraphError(400, 'ErrorDeleteDistinguishedFolder', 'Distinguished folders cannot be changed.');
};

const patch = (request: GraphRequest): GraphAnswer => {
  const folder = own(request);
  folder.displayName = nameIn(request, folder.parentId);
  folder.version++;
  return ok(answer(request, folder));
};

const remove = (request: GraphRequest): GraphAnswer => {
  removeFolder(request.world, request.mailbox, own(request));
  return noContent();
};

export const folderRoutes: GraphRoute[] = [
  { method: 'GET', path: 'contactFolders', scopes: reading, handle: list },
  { method: 'POST', path: 'contactFolders', scopes: writing, handle: create },
  {
    method: 'GET',
    path: 'contactFolders/:folderId',
    scopes: reading,
    handle: (request) => ok(answer(request, found(request))),
  },
  { method: 'PATCH', path: 'contactFolders/:folderId', scopes: writing, handle: patch },
  { method: 'DELETE', path: 'contactFolders/:folderId', scopes: writing, handle: remove },
  { method: 'GET', path: 'contactFolders/:folderId/childFolders', scopes: reading, handle: list },
  { method: 'POST', path: 'contactFolders/:folderId/childFolders', scopes: writing, handle: create },
];
