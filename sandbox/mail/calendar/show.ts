import { GraphError } from '../graph-error.ts';
import type { Json } from '../mailbox.ts';
import { attachmentView } from '../messages/attachment-view.ts';
import { compareBy, type Expand, nextLink, type ODataQuery, pageOf, parseQuery, selectFields } from '../odata/index.ts';
import { contextOf, type GraphAnswer, type GraphRequest, ok } from '../route.ts';
import { findCalendar, renderCalendar } from './calendars.ts';
import { type Instance, occurrenceOn } from './instances.ts';
import { everydayView, renderEvent, viewZone } from './render.ts';

/** Calendars.ReadBasic leaves out the body. */
const readsBody = ({ session, mailbox }: GraphRequest): boolean => {
  const shared = session.person.id === mailbox.owner ? '' : '.shared';
  return ['calendars.read', 'calendars.readwrite'].some((scope) => session.scopes.has(scope + shared));
};

const expanded = (request: GraphRequest, { event }: Instance, expand: readonly Expand[]): Json => {
  const result: Json = {};
  for (const { name, query } of expand) {
    if (name === 'attachments') {
      result[name] = event.attachments.map((one) => selectFields(attachmentView(one), query.select));
    } else if (name === 'singleValueExtendedProperties') {
      const found = event.extended.filter((property) => query.filter?.test(property) ?? true);
      if (found.length > 0) result[name] = found;
    } else if (name === 'calendar') {
      result[name] = renderCalendar(request.world, request.mailbox, findCalendar(request.mailbox, event.calendarId));
    } else if (name === 'exceptionOccurrences') {
      const days = [...event.exceptions.keys()].toSorted((a, b) => a - b);
      result[name] = days.map((day) => renderEvent(request.mailbox, occurrenceOn(event, day), request.prefer));
    } else if (name === 'instances') {
      throw new GraphError(400, 'ExpandNotSupported', 'Instances cannot be expanded: request them with a time window.');
    } else result[name] = [];
  }
  return result;
};

/** An event as this request asked for it. */
export const showEvent = (request: GraphRequest, one: Instance, query: ODataQuery): Json => {
  const whole = renderEvent(request.mailbox, one, request.prefer);
  const complete = readsBody(request);
  if (!complete) for (const name of ['body', 'bodyPreview']) delete whole[name];
  // Only shown when selected.
  if (!query.select?.includes('cancelledOccurrences')) delete whole['cancelledOccurrences'];
  const shown = selectFields(whole, query.select) as Json;
  return query.expand && complete ? { ...shown, ...expanded(request, one, query.expand) } : shown;
};

/** An event alone, for reads and as the answer to a write. */
export const eventAnswer = (request: GraphRequest, one: Instance, status = 200): GraphAnswer => {
  const query = request.method === 'GET' ? parseQuery(request.query, { entity: 'event' }) : { count: false };
  return {
    status,
    body: { '@odata.context': contextOf(request, 'events/$entity'), ...showEvent(request, one, query) },
  };
};

/** Filters and sorts as UTC shows the times, whatever zone the answer is in. */
const arrange = (request: GraphRequest, all: readonly Instance[], query: ODataQuery): Instance[] => {
  if (query.filter === undefined && query.orderby === undefined) return [...all];
  const seen = all.map((one) => ({
    one,
    entity: { ...renderEvent(request.mailbox, one, everydayView), singleValueExtendedProperties: one.event.extended },
  }));
  const kept = query.filter === undefined ? seen : seen.filter(({ entity }) => query.filter?.test(entity));
  const compare = compareBy(query.orderby ?? []);
  if (query.orderby !== undefined) kept.sort((a, b) => compare(a.entity, b.entity));
  return kept.map(({ one }) => one);
};

export const listEvents = (
  request: GraphRequest,
  all: readonly Instance[],
  below: string,
  options: { unselectable?: readonly string[] } = {},
): GraphAnswer => {
  const query = parseQuery(request.query, { entity: 'event' });
  // A zone nobody knows is refused even where there is nothing to show in it.
  viewZone(request.prefer);
  const found = arrange(request, all, query);
  const { items, next } = pageOf(found, query);
  const hidden = query.select === undefined ? [] : (options.unselectable ?? []);
  return ok({
    '@odata.context': contextOf(request, query.select ? `${below}(${query.select.join(',')})` : below),
    ...(query.count ? { '@odata.count': found.length } : {}),
    value: items.map((one) => {
      const shown = showEvent(request, one, query);
      for (const name of hidden) delete shown[name];
      return shown;
    }),
    ...nextLink(request, next),
  });
};

export const countEvents = (request: GraphRequest, all: readonly Instance[]): GraphAnswer => {
  const query = parseQuery(request.query, { entity: 'event' });
  return { status: 200, raw: { contentType: 'text/plain', content: String(arrange(request, all, query).length) } };
};
