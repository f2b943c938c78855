import { publishedZones, windowsZones } from '../calendar/zone-table.ts';
import { badRequest, GraphError } from '../graph-error.ts';
import { immutableId, readId, restId } from '../ids.ts';
import type { Json, Mailbox } from '../mailbox.ts';
import { parseQuery, selectFields } from '../odata/index.ts';
import type { Person } from '../people.ts';
import { contextOf, type GraphAnswer, type GraphRequest, type GraphRoute, jsonBody, ok } from '../route.ts';
import { pick, readEnum, readTexts } from '../values.ts';

export const userView = (person: Person): Json => ({
  id: person.id,
  businessPhones: [],
  displayName: person.displayName,
  givenName: person.givenName,
  jobTitle: person.jobTitle,
  // Personal accounts have no directory entry with an address.
  mail: person.kind === 'work' ? person.address : null,
  mobilePhone: null,
  officeLocation: null,
  preferredLanguage: 'en-US',
  surname: person.surname,
  userPrincipalName: person.address,
});

const me = (request: GraphRequest): GraphAnswer => {
  const person = request.world.people.get(request.mailbox.owner) as Person;
  const own = person.id === request.session.person.id;
  if (!request.session.scopes.has(own ? 'user.read' : 'user.readbasic.all')) {
    throw new GraphError(403, 'Authorization_RequestDenied', 'Insufficient privileges to complete the operation.');
  }
  const { select } = parseQuery(request.query, { entity: 'user' });
  const whole = select?.includes('mailboxSettings')
    ? { ...userView(person), mailboxSettings: request.mailbox.settings }
    : userView(person);
  return ok({ '@odata.context': `${request.base}/$metadata#users/$entity`, ...selectFields(whole, select) });
};

const zones = (request: GraphRequest): GraphAnswer => {
  const standard = request.params['args'] ?? '';
  const iana = /^TimeZoneStandard=(?:microsoft\.graph\.timeZoneStandard)?'Iana'$/i.test(standard);
  if (standard !== '' && !iana && !/'Windows'$/i.test(standard)) throw badRequest('The TimeZoneStandard is not valid.');
  const value = [
    ...(iana ? [] : [{ alias: 'UTC', displayName: '(UTC) Coordinated Universal Time' }]),
    ...(iana ? publishedZones : windowsZones).map((zone) => ({
      alias: iana ? zone.iana : zone.windows,
      displayName: iana ? zone.iana : zone.windows,
    })),
  ];
  return ok({ '@odata.context': `${request.base}/$metadata#Collection(microsoft.graph.timeZoneInformation)`, value });
};

const formats = ['entryId', 'ewsId', 'immutableEntryId', 'restId', 'restImmutableEntryId'] as const;

const translated = (mailbox: Mailbox, id: string, target: (typeof formats)[number]): Json => {
  try {
    const read = readId(id);
    const message = mailbox.messages.get(read.seq);
    if (read.kind === 'folder' || message === undefined) return { sourceId: id, targetId: id };
    const stable = target === 'restImmutableEntryId' || target === 'immutableEntryId';
    return { sourceId: id, targetId: stable ? immutableId(mailbox, message) : restId(mailbox, message) };
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    return { sourceId: id, errorDetails: { code: error.code, message: error.message } };
  }
};

const translate = (request: GraphRequest): GraphAnswer => {
  const body = jsonBody(request);
  const ids = readTexts(pick(body, 'inputIds'), 'inputIds');
  readEnum(pick(body, 'sourceIdType'), 'sourceIdType', formats);
  const target = readEnum(pick(body, 'targetIdType'), 'targetIdType', formats);
  if (ids.length > 1000) throw badRequest('At most 1000 ids can be translated at once.');
  const value = ids.map((id) => translated(request.mailbox, id, target));
  return ok({ '@odata.context': `${request.base}/$metadata#Collection(microsoft.graph.convertIdResult)`, value });
};

/** Whom the mailbox's owner writes with, most often first. */
const people = (request: GraphRequest): GraphAnswer => {
  const query = parseQuery(request.query, { entity: 'person' });
  const counts = new Map<string, { name: string; count: number }>();
  for (const { from } of request.mailbox.timeline.slice(-500)) {
    if (from === null) continue;
    const known = counts.get(from.address) ?? { name: from.name, count: 0 };
    counts.set(from.address, { ...known, count: known.count + 1 });
  }
  const wanted = (query.search ?? '').toLowerCase();
  const value = [...counts]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .filter(([address, { name }]) => `${name} ${address}`.toLowerCase().includes(wanted))
    .slice(0, query.top ?? 10)
    .map(([address, { name, count }]) => ({
      id: address,
      displayName: name,
      userPrincipalName: address,
      scoredEmailAddresses: [{ address, relevanceScore: count }],
      personType: { class: 'Person', subclass: 'OrganizationUser' },
    }));
  return ok({
    '@odata.context': contextOf(request, 'people'),
    value: value.map((person) => selectFields(person, query.select)),
  });
};

const signedIn = ['User.Read'];

export const userRoutes: GraphRoute[] = [
  { method: 'GET', path: '', scopes: [], handle: me },
  { method: 'GET', path: 'outlook/supportedTimeZones', scopes: signedIn, handle: zones },
  { method: 'GET', path: 'outlook/supportedTimeZones(/:args', scopes: signedIn, handle: zones },
  { method: 'POST', path: 'translateExchangeIds', scopes: ['User.Read', 'User.ReadBasic.All'], handle: translate },
  { method: 'GET', path: 'people', scopes: [], handle: people },
];
