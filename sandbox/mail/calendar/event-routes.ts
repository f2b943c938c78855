import { conflict, GraphError, itemNotFound } from '../graph-error.ts';
import { changeKey, etag } from '../ids.ts';
import type { Json } from '../mailbox.ts';
import {
  accepted,
  caseless,
  type GraphAnswer,
  type GraphRequest,
  type GraphRoute,
  jsonBody,
  noContent,
} from '../route.ts';
import { readAddresses, readFlag, readObject, readText } from '../values.ts';
import { findCalendar } from './calendars.ts';
import { calendarDelta } from './delta.ts';
import { byStart, findInstance, type Instance, instancesWithin, wholeEvent } from './instances.ts';
import { readEvent, readMoment, validAddress } from './read-event.ts';
import { type Answer, cancel, forward, respond } from './respond.ts';
import { countEvents, eventAnswer, listEvents, showEvent } from './show.ts';
import { readWindow } from './window.ts';
import { createEvent, deleteEvent, patchEvent } from './write-event.ts';

const reading = ['Calendars.ReadBasic', 'Calendars.Read', 'Calendars.ReadWrite'];
const writing = ['Calendars.ReadWrite'];
const forwarding = ['Calendars.Read', 'Calendars.ReadWrite'];

/** The calendar that the path names; the default one where it names none. */
const calendarOf = (request: GraphRequest): string => findCalendar(request.mailbox, request.params['calendarId']).id;

const inCalendar = (request: GraphRequest) => {
  const id = calendarOf(request);
  return [...request.mailbox.calendar.events.values()].filter(({ calendarId }) => calendarId === id);
};

/** The event that the path names; below a calendar only if it is in that one. */
export const addressed = (request: GraphRequest): Instance => {
  const one = findInstance(request.mailbox, request.params['eventId'] ?? '');
  if (request.params['calendarId'] !== undefined && one.event.calendarId !== calendarOf(request)) throw itemNotFound();
  return one;
};

/** If-Match is honoured where it is sent. */
const matched = (request: GraphRequest): Instance => {
  const one = addressed(request);
  const wanted = request.header('if-match');
  if (wanted !== undefined && wanted !== '*' && wanted !== etag(changeKey(one.event.seq, one.event.version)))
    throw conflict();
  return one;
};

const list = (request: GraphRequest): GraphAnswer => listEvents(request, inCalendar(request).map(wholeEvent), 'events');
const count = (request: GraphRequest): GraphAnswer => countEvents(request, inCalendar(request).map(wholeEvent));

const create = (request: GraphRequest): GraphAnswer => {
  const calendarId = calendarOf(request);
  const one = createEvent(request.world, request.mailbox, calendarId, readEvent(jsonBody(request)));
  return eventAnswer(request, one, 201);
};

const patch = (request: GraphRequest): GraphAnswer => {
  const one = matched(request);
  patchEvent(request.world, request.mailbox, one, readEvent(jsonBody(request)));
  return eventAnswer(request, addressed(request));
};

const remove = (request: GraphRequest): GraphAnswer => {
  deleteEvent(request.world, request.mailbox, matched(request));
  return noContent();
};

const expandView = (request: GraphRequest): Instance[] => {
  const { from, to } = readWindow(request.query);
  return inCalendar(request)
    .flatMap((event) => instancesWithin(event, from, to))
    .toSorted(byStart);
};

// https://learn.microsoft.com/graph/api/user-list-calendarview: these two do not support $select there.
const unselectable = ['createdDateTime', 'lastModifiedDateTime'];
const view = (request: GraphRequest): GraphAnswer =>
  listEvents(request, expandView(request), 'calendarView', { unselectable });
const viewCount = (request: GraphRequest): GraphAnswer => countEvents(request, expandView(request));

const delta = (request: GraphRequest): GraphAnswer => {
  const render = (one: Instance): Json => ({
    '@odata.type': '#microsoft.graph.event',
    ...showEvent(request, one, { count: false }),
  });
  const page = calendarDelta(request, calendarOf(request), render);
  return { status: 200, body: { '@odata.context': `${request.base}/$metadata#Collection(event)`, ...page } };
};

const instances = (request: GraphRequest): GraphAnswer => {
  const { event } = addressed(request);
  const { from, to } = readWindow(request.query);
  if (event.recurrence === null) {
    throw new GraphError(400, 'ErrorInvalidRequest', 'The event is not a series and has no instances.');
  }
  return listEvents(request, instancesWithin(event, from, to).toSorted(byStart), 'events');
};

const parameters = (request: GraphRequest): Map<string, unknown> =>
  request.body.length === 0 ? new Map() : caseless(jsonBody(request));
const commentOf = (given: Map<string, unknown>): string => readText(given.get('comment') ?? '', 'comment');

const answering =
  (answer: Answer) =>
  (request: GraphRequest): GraphAnswer => {
    const given = parameters(request);
    const time = given.get('proposednewtime');
    const slot = time === undefined || time === null ? undefined : caseless(readObject(time, 'proposedNewTime'));
    respond(request.world, request.mailbox, addressed(request), answer, {
      comment: commentOf(given),
      sendResponse: readFlag(given.get('sendresponse') ?? true, 'sendResponse'),
      proposed: slot && {
        start: readMoment(slot.get('start'), 'proposedNewTime/start'),
        end: readMoment(slot.get('end'), 'proposedNewTime/end'),
      },
    });
    return accepted();
  };

const cancelled = (request: GraphRequest): GraphAnswer => {
  cancel(request.world, request.mailbox, addressed(request), commentOf(parameters(request)));
  return accepted();
};

const forwarded = (request: GraphRequest): GraphAnswer => {
  const given = parameters(request);
  const to = readAddresses(given.get('torecipients') ?? [], 'toRecipients');
  if (to.length === 0 || !to.every(({ address }) => validAddress(address))) {
    throw new GraphError(400, 'ErrorInvalidRecipients', 'At least one recipient is not valid.');
  }
  forward(request.world, request.mailbox, addressed(request), to, commentOf(given));
  return accepted();
};

const routes: [GraphRoute['method'], string, readonly string[], GraphRoute['handle']][] = [
  ['GET', 'events', reading, list],
  ['POST', 'events', writing, create],
  ['GET', 'events/$count', reading, count],
  ['GET', 'events/:eventId', reading, (request) => eventAnswer(request, addressed(request))],
  ['PATCH', 'events/:eventId', writing, patch],
  ['DELETE', 'events/:eventId', writing, remove],
  ['GET', 'events/:eventId/instances', reading, instances],
  ['POST', 'events/:eventId/accept', writing, answering('accepted')],
  ['POST', 'events/:eventId/decline', writing, answering('declined')],
  ['POST', 'events/:eventId/tentativelyAccept', writing, answering('tentativelyAccepted')],
  ['POST', 'events/:eventId/cancel', writing, cancelled],
  ['POST', 'events/:eventId/forward', forwarding, forwarded],
  ['GET', 'calendarView', reading, view],
  ['GET', 'calendarView/$count', reading, viewCount],
  ['GET', 'calendarView/delta', reading, delta],
];

/** The same below the mailbox, its default calendar and any calendar. */
export const belowCalendars = (below: typeof routes): GraphRoute[] =>
  ['', 'calendar/', 'calendars/:calendarId/'].flatMap((prefix) =>
    below.map(([method, path, scopes, handle]) => ({ method, path: `${prefix}${path}`, scopes, handle })),
  );

export const eventRoutes: GraphRoute[] = belowCalendars(routes);
