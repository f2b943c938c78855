import { conflict, GraphError, itemNotFound } from '../graph-error.ts';
import { changeKey, etag } from '../ids.ts';
import type { Json } from '../mailbox.ts';
import {
  compareBy,
  linkWith,
  nextLink,
  openToken,
  pageOf,
  parseQuery,
  sealToken,
  selectFields,
} from '../odata/index.ts';
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
import { contactsDelta } from './delta.ts';
import { readContact } from './fields.ts';
import { folderRoutes } from './folder-routes.ts';
import type { Contact } from './state.ts';
import {
  contactsIn,
  createContact,
  defaultFolderId,
  findContact,
  findFolderId,
  removeContact,
  renderContact,
  updateContact,
} from './store.ts';

const reading = ['Contacts.Read', 'Contacts.ReadWrite'];
const writing = ['Contacts.ReadWrite'];

/** The folder that the path names; the default one where it names none. */
const folderOf = ({ mailbox, params }: GraphRequest): string =>
  params['folderId'] === undefined ? defaultFolderId(mailbox) : findFolderId(mailbox, params['folderId']);

type Seen = { contact: Contact; entity: Json };

const words = (value: unknown): string[] =>
  JSON.stringify(value)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u);

/** `$search` answers, by word prefix; where the real results have been wrong nobody should rely on it. */
const searched = (seen: readonly Seen[], text: string): Seen[] => {
  const wanted = words(text.replace(/^\w+:/, '')).filter(Boolean);
  return seen.filter(({ entity: { displayName, emailAddresses, companyName, nickName } }) => {
    const have = words([displayName, emailAddresses, companyName, nickName]);
    return wanted.every((word) => have.some((other) => other.startsWith(word)));
  });
};

const list = (request: GraphRequest): GraphAnswer => {
  const { mailbox, prefer } = request;
  const query = parseQuery(request.query, { entity: 'contact' });
  const all: Seen[] = contactsIn(mailbox, folderOf(request)).map((contact) => ({
    contact,
    entity: {
      ...renderContact(mailbox, contact, prefer.immutableIds),
      singleValueExtendedProperties: contact.extended,
    },
  }));
  const found = query.search === undefined ? all : searched(all, query.search);
  const kept = query.filter === undefined ? found : found.filter(({ entity }) => query.filter?.test(entity));
  const compare = compareBy(query.orderby ?? []);
  const sorted = query.orderby === undefined ? kept : kept.toSorted((a, b) => compare(a.entity, b.entity));
  const at = query.skiptoken === undefined ? undefined : openToken(query.skiptoken)['at'];
  const { items, next } = pageOf(sorted, typeof at === 'number' ? { ...query, skip: at } : query);
  const link =
    query.search === undefined || next === undefined
      ? nextLink(request, next)
      : { '@odata.nextLink': linkWith(request, { $skiptoken: sealToken({ at: next }) }) };
  return ok({
    '@odata.context': contextOf(request, query.select ? `contacts(${query.select.join(',')})` : 'contacts'),
    ...(query.count ? { '@odata.count': sorted.length } : {}),
    value: items.map(({ contact }) => show(request, contact)),
    ...link,
  });
};

const show = (request: GraphRequest, contact: Contact): Json => {
  const whole = renderContact(request.mailbox, contact, request.prefer.immutableIds);
  if (request.method !== 'GET') return whole;
  const query = parseQuery(request.query, { entity: 'contact' });
  const shown: Json = selectFields(whole, query.select);
  for (const { name, query: inner } of query.expand ?? []) {
    if (name !== 'singleValueExtendedProperties') continue;
    const properties = contact.extended.filter((property) => inner.filter?.test(property) ?? true);
    if (properties.length > 0) return { ...shown, [name]: properties };
  }
  return shown;
};

const answer = (request: GraphRequest, contact: Contact): Json => ({
  '@odata.context': contextOf(request, 'contacts/$entity'),
  ...show(request, contact),
});

const addressed = (request: GraphRequest): Contact => {
  const contact = findContact(request.mailbox, request.params['contactId'] ?? '');
  if (request.params['folderId'] !== undefined && contact.folderId !== folderOf(request)) throw itemNotFound();
  const wanted = request.method === 'GET' ? undefined : request.header('if-match');
  if (wanted !== undefined && wanted !== '*' && wanted !== etag(changeKey(contact.seq, contact.version)))
    throw conflict();
  return contact;
};

const create = (request: GraphRequest): GraphAnswer => {
  const folderId = folderOf(request);
  const changes = readContact(jsonBody(request));
  if (Object.keys(changes.fields).length === 0) {
    throw new GraphError(400, 'ErrorInvalidRequest', 'The contact needs at least one property.');
  }
  return created(answer(request, createContact(request.world, request.mailbox, folderId, changes)));
};

const patch = (request: GraphRequest): GraphAnswer => {
  const contact = addressed(request);
  updateContact(request.world, request.mailbox, contact, readContact(jsonBody(request)));
  return ok(answer(request, contact));
};

const remove = (request: GraphRequest): GraphAnswer => {
  removeContact(request.world, request.mailbox, addressed(request));
  return noContent();
};

const count = (request: GraphRequest): GraphAnswer => ({
  status: 200,
  raw: { contentType: 'text/plain', content: String(contactsIn(request.mailbox, folderOf(request)).length) },
});

const delta = (request: GraphRequest): GraphAnswer =>
  ok({
    '@odata.context': `${request.base}/$metadata#Collection(contact)`,
    ...contactsDelta(request, folderOf(request)),
  });

const routes: [GraphRoute['method'], string, readonly string[], GraphRoute['handle']][] = [
  ['GET', 'contacts', reading, list],
  ['POST', 'contacts', writing, create],
  ['GET', 'contacts/$count', reading, count],
  ['GET', 'contacts/delta', reading, delta],
  ['GET', 'contacts/:contactId', reading, (request) => ok(answer(request, addressed(request)))],
  ['PATCH', 'contacts/:contactId', writing, patch],
  ['DELETE', 'contacts/:contactId', writing, remove],
];

export const contactRoutes: GraphRoute[] = [
  ...['', 'contactFolders/:folderId/'].flatMap((prefix) =>
    routes.map(([method, path, scopes, handle]) => ({ method, path: `${prefix}${path}`, scopes, handle })),
  ),
  ...folderRoutes,
];
