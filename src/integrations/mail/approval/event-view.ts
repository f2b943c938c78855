import { Fault, type Path, type Reading, type SendView, type UpstreamRequest } from '#kit';
import { instantIn, toService } from '../times.ts';
import { prefer } from '../wire.ts';
import { findZone } from '../zones.ts';
import { withKnownZones } from './known-zones.ts';
import { looseOf, peopleIn, viewOf } from './message-view.ts';
import { attachmentsOf } from './stored-message.ts';
import { targetsIn } from './targets.ts';

/** One event, or what is done with it. Names are read as the service does. */
const about = /^(.*\/events(?:\/[^/]+|\('[^']+'\)))(?:\/[^/]+)?\/?$/i;
const fields = [
  ...['subject', 'start', 'end', 'isAllDay', 'location', 'attendees', 'organizer', 'isOrganizer', 'type', 'body'],
  ...['originalStartTimeZone', 'recurrence'],
];

const eventIn = (path: string): Path | undefined => about.exec(path)?.[1] as Path | undefined;

/** The event as it stands, as far as it says to whom something goes and what about. */
const standing = async ({ upstream }: Reading, path: string): Promise<ReturnType<typeof looseOf> | undefined> => {
  const event = eventIn(path);
  if (event === undefined) return undefined;
  try {
    const query = { $select: fields.join(',') };
    return looseOf(await upstream.get(event, { query, headers: prefer() }));
  } catch (error) {
    // What is not there is the service's to refuse, and a calendar that cannot be read is shown by its request.
    if (error instanceof Fault && ['not_found', 'forbidden', 'upstream_rejected'].includes(error.code))
      return undefined;
    throw error;
  }
};

const unlike = (people: SendView['to'], others: SendView['to']): SendView['to'] => {
  const known = new Set(others.map(({ address }) => address.toLowerCase()));
  return people.filter(({ address }) => !known.has(address.toLowerCase()));
};

const changed = 'changed';
const actions: Record<string, string> = {
  accept: 'accepted',
  attachments: 'given a file',
  cancel: 'cancelled',
  decline: 'declined',
  forward: 'forwarded',
  permanentdelete: 'removed',
  tentativelyaccept: 'accepted for now',
};
const ofOne =
  /\/(?:events|instances|calendarView)(?:\/[^/]+|\('[^']+'\))(?:\/(?:microsoft\.graph\.)?([a-z]+)(?:\(\))?)?\/?$/i;

/** What becomes of an event: without a word for it, taking one back reads as an invitation does. */
const actIn = ({ method, path }: UpstreamRequest): string | undefined => {
  const found = ofOne.exec(path);
  if (found === null) return undefined;
  const [, action] = found;
  if (action !== undefined) return method === 'POST' ? actions[action.toLowerCase()] : undefined;
  return { DELETE: 'removed', PATCH: changed, PUT: changed }[method as string];
};

const toldAs = (request: UpstreamRequest, what = 'This event'): string[] => {
  const act = actIn(request);
  return act === undefined ? [] : [`${what} is ${act}.`];
};

/** Whoever is told of a change, or gets a forwarding, gets the files that hang on the event. */
export const filesAlong = async (request: UpstreamRequest, reading: Reading) => {
  const [event, act] = [eventIn(request.path), actIn(request)];
  const goAlong = act === actions['forward'] || act === changed;
  return event === undefined || !goAlong ? [] : attachmentsOf(reading, event, false);
};

/** What is said of an event: a file that is put into it is enclosed in it. */
export const saidOf = ({ method, path, body }: UpstreamRequest): ReturnType<typeof looseOf> =>
  method === 'POST' && /\/attachments(?:\/createUploadSession)?\/?$/i.test(path)
    ? { attachments: [body] }
    : looseOf(body instanceof Object ? body : {});

/** A time of an event by the clocks it was made by: the service tells it in UTC, in which hardly anybody reads a meeting. */
const byItsClocks = (event: ReturnType<typeof looseOf>, time: unknown): unknown => {
  const { originalstarttimezone: made } = event;
  const zone = typeof made === 'string' ? findZone(made) : undefined;
  const { datetime: dateTime, timezone: timeZone } = looseOf(time);
  const isTold = typeof dateTime === 'string' && typeof timeZone === 'string';
  const instant = isTold ? instantIn({ dateTime, timeZone }) : undefined;
  // A day has no clock.
  if (zone === undefined || instant === undefined || event['isallday'] === true) return withKnownZones(time);
  return withKnownZones(toService({ instant, zone }));
};

/** The words of its text are not all that it says: where links lead and what pictures load. */
const linksIn = (html: string | undefined): string[] | undefined => {
  const found = [...new Set(targetsIn(html ?? ''))];
  return found.length === 0 ? undefined : found;
};

const listed = (label: string, people: SendView['to']): string[] =>
  people.length === 0 ? [] : [`${label}: ${people.map(({ address }) => address).join(', ')}.`];

/** Whom a change of the guest list invites, and whom it does not invite any more: both are told, and stand in one list. */
const guestListChanges = ({ body }: UpstreamRequest, invited: SendView['to'], shown: SendView['to']): string[] =>
  looseOf(body)['attendees'] === undefined
    ? []
    : [...listed('Not invited any more', unlike(invited, shown)), ...listed('Newly invited', unlike(shown, invited))];

/**
 * What is done to a calendar. A change, a cancellation or an answer is mailed to people whom only the event itself names, so
 * it is shown as it stands; the decision is bound to it.
 */
export const eventView = async (request: UpstreamRequest, reading: Reading): Promise<SendView> => {
  const { method, path, query } = request;
  const own = reading.account.identity.address;
  const view = viewOf('event', saidOf(request), own);
  const shown = { ...view, fields: looseOf(withKnownZones(view.fields)) };
  const event = await standing(reading, path);
  const isNew = method === 'POST' && /\/events\/?$/i.test(path);
  if (event === undefined) {
    // Of an event that cannot be read nobody knows who is invited.
    return {
      ...shown,
      kind: isNew ? shown.kind : 'request',
      fields: { method, path, query, ...shown.fields },
      warnings: [...toldAs(request), ...shown.warnings],
    };
  }
  const { subject, start, end, isallday, location, attendees, organizer, isorganizer } = event;
  const isGuest = isorganizer === false;
  const invited = peopleIn(attendees);
  // Of a forwarding, guests are not told: only who gets it and, where a guest forwards, whoever invited.
  const isTold = isGuest || actIn(request) !== actions['forward'];
  const concerned = isGuest ? peopleIn([organizer]) : isTold ? invited : [];
  const files = await filesAlong(request, reading);
  const asItStands = viewOf('event', { subject, body: event['body'], attachments: files }, own);
  // Single days of a series can have guests of their own.
  const isSeries = String(event['type']).toLowerCase() === 'seriesmaster' && isorganizer !== false;
  return {
    ...shown,
    kind: isSeries ? 'request' : shown.kind,
    to: [...shown.to, ...unlike(concerned, shown.to)],
    subject: shown.subject ?? asItStands.subject,
    attachments: [...shown.attachments, ...asItStands.attachments],
    fields: {
      method,
      path,
      query,
      ...shown.fields,
      event: {
        subject,
        start: byItsClocks(event, start),
        end: byItsClocks(event, end),
        isAllDay: isallday,
        location: looseOf(location)['displayname'],
        invited: invited.map(({ address }) => address),
        body: asItStands.body?.text,
        links: linksIn(asItStands.body?.html),
        recurrence: event['recurrence'] ?? undefined,
      },
    },
    warnings: [
      ...toldAs(request, isSeries ? 'This whole series' : 'This event'),
      ...shown.warnings,
      ...(isGuest ? [] : guestListChanges(request, invited, shown.to)),
      ...(isTold ? [`Whoever ${isGuest ? 'invited' : 'is invited'} is told by the service.`] : []),
    ],
  };
};
