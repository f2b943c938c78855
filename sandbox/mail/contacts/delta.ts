import { badRequest, GraphError } from '../graph-error.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import { linkWith, openToken, parseQuery, sealToken, selectFields } from '../odata/index.ts';
import type { GraphRequest } from '../route.ts';
import type { Contact } from './state.ts';
import { contactId, contactsIn, renderContact } from './store.ts';

type Round = { folderId: string; since: number; until: number; after: string; select: string[] | undefined };

const begin = (request: GraphRequest, folderId: string): Round => {
  const { select, filter, orderby, search, expand } = parseQuery(request.query, { entity: 'contact' });
  if (filter || orderby || search !== undefined || expand) {
    throw new GraphError(
      400,
      'ErrorInvalidUrlQuery',
      "The following parameters are not supported with change tracking over the 'Contacts' resource: '$orderby, $filter, $expand, $search'.",
    );
  }
  return { folderId, since: 0, until: request.mailbox.contacts.clock, after: '', select };
};

const resume = (token: string, mailbox: Mailbox, fresh: boolean): Round => {
  const { folderId, since, until, after, select } = openToken(token);
  const wellFormed =
    typeof folderId === 'string' && typeof since === 'number' && typeof until === 'number' && typeof after === 'string';
  if (!wellFormed) throw badRequest('Badly formed token.');
  const names = Array.isArray(select) ? select.filter((name) => typeof name === 'string') : undefined;
  if (since > mailbox.contacts.clock || since < mailbox.contacts.forgotten) {
    throw new GraphError(
      410,
      'SyncStateNotFound',
      'The sync state generation is not found; it may have expired. Start again with a full synchronization.',
    );
  }
  const round = { folderId, since, until, after, select: names };
  return fresh ? { ...round, since: until, until: mailbox.contacts.clock, after: '' } : round;
};

/** One page of a folder's changes: a nextLink until the round is over, then a deltaLink, never both. */
export const contactsDelta = (request: GraphRequest, folderId: string): Json => {
  const { mailbox, prefer } = request;
  const options = new Map([...request.query].map(([name, value]) => [name.toLowerCase(), value]));
  const [deltatoken, skiptoken] = [options.get('$deltatoken'), options.get('$skiptoken')];
  const token = deltatoken ?? skiptoken;
  const round = token === undefined ? begin(request, folderId) : resume(token, mailbox, deltatoken !== undefined);

  const found = new Map<string, Contact | undefined>();
  if (round.since > 0) {
    for (const gone of mailbox.contacts.removed) {
      if (gone.at > round.since && gone.folderId === round.folderId) found.set(gone.id, undefined);
    }
  }
  for (const contact of contactsIn(mailbox, round.folderId)) {
    if (contact.changedAt > round.since) found.set(contactId(mailbox, contact), contact);
  }
  const left = [...found].filter(([id]) => id > round.after).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const page = left.slice(0, Math.min(prefer.maxPageSize ?? 50, 1000));
  const last = page.at(-1);
  const fresh = { $select: undefined, $top: undefined, $deltatoken: undefined, $skiptoken: undefined };
  const link =
    left.length > page.length && last !== undefined
      ? { '@odata.nextLink': linkWith(request, { ...fresh, $skiptoken: sealToken({ ...round, after: last[0] }) }) }
      : { '@odata.deltaLink': linkWith(request, { ...fresh, $deltatoken: sealToken({ ...round, after: '' }) }) };
  return {
    value: page.map(([id, contact]) =>
      contact === undefined
        ? { '@odata.type': '#microsoft.graph.contact', id, '@removed': { reason: 'deleted' } }
        : { '@odata.type': '#microsoft.graph.contact', ...selectFields(renderContact(mailbox, contact), round.select) },
    ),
    ...link,
  };
};
