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
import { pick, readEnum, readText } from '../values.ts';
import { eventAttachmentRoutes } from './attachment-routes.ts';
import { addCalendar, defaultCalendar, findCalendar, renderCalendar } from './calendars.ts';
import { eventRoutes } from './event-routes.ts';
import { findMeetingTimes } from './meeting-times.ts';
import { getSchedule } from './schedule.ts';
import type { CalendarInfo } from './state.ts';
import { removeEvent } from './store.ts';
import { listTranscripts } from './transcripts.ts';

const reading = ['Calendars.ReadBasic', 'Calendars.Read', 'Calendars.ReadWrite'];
const writing = ['Calendars.ReadWrite'];
const colors = [
  'auto',
  'lightBlue',
  'lightGreen',
  'lightOrange',
  'lightGray',
  'lightYellow',
  'lightTeal',
  'lightPink',
  'lightBrown',
  'lightRed',
  'maxColor',
] as const;

const list = (request: GraphRequest): GraphAnswer => {
  const query = parseQuery(request.query, { entity: 'calendar' });
  defaultCalendar(request.mailbox);
  const all = [...request.mailbox.calendar.calendars.values()]
    .map((one) => renderCalendar(request.world, request.mailbox, one))
    .filter((one) => query.filter?.test(one) ?? true);
  const { items, next } = pageOf(all, query);
  return ok({
    '@odata.context': contextOf(request, 'calendars'),
    ...(query.count ? { '@odata.count': all.length } : {}),
    value: items.map((one) => selectFields(one, query.select)),
    ...nextLink(request, next),
  });
};

const answer = (request: GraphRequest, calendar: CalendarInfo): Json => {
  const select = request.method === 'GET' ? parseQuery(request.query, { entity: 'calendar' }).select : undefined;
  const shown = selectFields(renderCalendar(request.world, request.mailbox, calendar), select);
  return { '@odata.context': contextOf(request, 'calendars/$entity'), ...shown };
};

const addressed = (request: GraphRequest): CalendarInfo => findCalendar(request.mailbox, request.params['calendarId']);
const read = (request: GraphRequest): GraphAnswer => ok(answer(request, addressed(request)));

const nameFree = (request: GraphRequest, name: string): string => {
  if (name.trim() === '') throw invalidProperty('A calendar needs a name.');
  for (const calendar of request.mailbox.calendar.calendars.values()) {
    if (calendar.name.toLowerCase() !== name.toLowerCase()) continue;
    throw new GraphError(409, 'ErrorFolderExists', 'A folder with the specified name already exists.');
  }
  return name;
};

const create = (request: GraphRequest): GraphAnswer => {
  const body = jsonBody(request);
  defaultCalendar(request.mailbox);
  const name = nameFree(request, readText(pick(body, 'name') ?? '', 'name'));
  const color = readEnum(pick(body, 'color') ?? 'auto', 'color', colors);
  return created(answer(request, addCalendar(request.mailbox, name, color)));
};

const patch = (request: GraphRequest): GraphAnswer => {
  const calendar = addressed(request);
  const body = jsonBody(request);
  const [name, color] = [pick(body, 'name'), pick(body, 'color')];
  if (typeof name === 'string' && name !== calendar.name) calendar.name = nameFree(request, name);
  if (color !== undefined) calendar.color = readEnum(color, 'color', colors);
  calendar.version++;
  return ok(answer(request, calendar));
};

const remove = (request: GraphRequest): GraphAnswer => {
  const calendar = addressed(request);
  if (calendar.isDefault)
    throw new GraphError(400, 'ErrorDeleteDistinguishedFolder', 'Distinguished folders cannot be deleted.');
  for (const event of request.mailbox.calendar.events.values()) {
    if (event.calendarId === calendar.id) removeEvent(request.world, request.mailbox, event);
  }
  request.mailbox.calendar.calendars.delete(calendar.id);
  return noContent();
};

export const calendarRoutes: GraphRoute[] = [
  { method: 'GET', path: 'calendars', scopes: reading, handle: list },
  { method: 'POST', path: 'calendars', scopes: writing, handle: create },
  { method: 'GET', path: 'calendar', scopes: reading, handle: read },
  { method: 'PATCH', path: 'calendar', scopes: writing, handle: patch },
  { method: 'GET', path: 'calendars/:calendarId', scopes: reading, handle: read },
  { method: 'PATCH', path: 'calendars/:calendarId', scopes: writing, handle: patch },
  { method: 'DELETE', path: 'calendars/:calendarId', scopes: writing, handle: remove },
  { method: 'POST', path: 'calendar/getSchedule', scopes: reading, handle: (request) => ok(getSchedule(request)) },
  {
    method: 'POST',
    path: 'findMeetingTimes',
    scopes: ['Calendars.Read.Shared', 'Calendars.ReadWrite.Shared'],
    handle: (request) => ok(findMeetingTimes(request)),
  },
  {
    method: 'GET',
    path: 'onlineMeetings/:meetingId/transcripts',
    scopes: ['OnlineMeetingTranscript.Read.All'],
    handle: (request) => ok(listTranscripts(request)),
  },
  ...eventRoutes,
  ...eventAttachmentRoutes,
];
