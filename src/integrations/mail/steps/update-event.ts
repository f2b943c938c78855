import { z } from 'zod';
import { allBut, defineStep, Fault, path, quoted, wrong } from '#kit';
import { sentBefore } from '../begun.ts';
import { CalendarInput, refuseOtherCalendar, zonesOf } from '../calendars.ts';
import { Change } from '../changes.ts';
import { effectOf, type Judged } from '../effects.ts';
import { eventChanges } from '../event-changes.ts';
import { holds } from '../event-holds.ts';
import {
  beginOf,
  eventFields,
  movedSeries,
  movedSpan,
  ownZoneOf,
  refuseSilence,
  SendInvites,
  toWire,
} from '../event-input.ts';
import { EventId, meantAndNamed, readEvent, Scope, tellsOthers } from '../event-reads.ts';
import { Event, showEvent, WireEvent } from '../event-shapes.ts';
import { keepMeetingLink } from '../meeting-link.ts';
import { Mailbox } from '../shapes.ts';
import { below, madeBy, prefer } from '../wire.ts';

const { bodyFormat, timeZone, start, end, isAllDay, reminderMinutes, ...others } = eventFields;

const clearable = <Field extends z.ZodType>(field: Field) =>
  field.nullish().describe(`${field.description ?? ''} null clears it.`);

const Input = z.object({
  eventId: EventId,
  scope: Scope,
  start: start
    .optional()
    .describe(
      `${start.description ?? ''} Without an end, the length stays. A series named by an occurrence moves as far as that one.`,
    ),
  end: end.optional(),
  timeZone,
  isAllDay: isAllDay.optional(),
  bodyFormat,
  reminderMinutes: reminderMinutes.optional(),
  subject: clearable(others.subject),
  body: clearable(others.body),
  location: clearable(others.location),
  attendees: clearable(others.attendees),
  sendInvites: SendInvites,
  recurrence: clearable(others.recurrence),
  isOnlineMeeting: others.isOnlineMeeting.optional(),
  showAs: clearable(others.showAs),
  sensitivity: clearable(others.sensitivity),
  importance: clearable(others.importance),
  categories: clearable(others.categories),
  responseRequested: others.responseRequested.optional(),
  allowNewTimeProposals: others.allowNewTimeProposals.optional(),
  hideAttendees: others.hideAttendees.optional(),
  calendar: CalendarInput.describe('Calendar that the event is in, by id or exact name. It cannot be moved.'),
  ifMatch: z.string().max(200).optional().describe('Only if the event still has this etag.'),
  mailbox: Mailbox,
});

/** What is changed of a meeting is mailed to those who were invited, too. */
const refuseToTellNobody = (sendInvites: boolean | undefined, before: WireEvent, request: Judged): void => {
  if (sendInvites !== false || !tellsOthers(before) || effectOf(request) === 'write') return;
  throw wrong(
    'sendInvites',
    'The service mails this change to everybody invited and cannot hold that back; leave sendInvites out to make it all the same.',
  );
};

const nothing = 'Nothing to change was given; name at least one field of the event.';

export const updateEvent = defineStep({
  name: 'update_event',
  title: 'Update Event',
  group: 'Calendar',
  purpose: 'Change an event, one occurrence or a whole series; attendees get mail about it.',
  effect: 'send',
  scopes: [['Calendars.ReadWrite']],
  input: Input,
  needsOneOf: {
    fields: allBut(
      Input,
      'eventId',
      'scope',
      'timeZone',
      'bodyFormat',
      'sendInvites',
      'calendar',
      'ifMatch',
      'mailbox',
    ),
    otherwise: nothing,
  },
  output: Event.extend({ changes: z.array(Change).describe('What is different now.') }),
  summary: ({ subject, changes }) =>
    changes.length === 0 ? `The event ${quoted(subject)} was so already.` : `Changed the event ${quoted(subject)}.`,
  run: async (input, context) => {
    const { eventId, scope, mailbox, ifMatch } = input;
    refuseSilence(input);
    const given = [input.start, input.end].filter((time) => time !== undefined);
    const zones = await zonesOf(context, input.timeZone, given);
    const { meant, named } = await meantAndNamed(context, mailbox, eventId, scope);
    const before = await context.before(WireEvent, async () => meant);
    await refuseOtherCalendar(context, mailbox, before, input.calendar);
    const compose = () => {
      const wire = toWire(input, beginOf(before, ownZoneOf(before) ?? zones.home));
      if (given.length > 0 || input.isAllDay !== undefined) {
        const moved = movedSpan(named, input, zones);
        const span = named.id === before.id ? moved : movedSeries(moved, named, before);
        Object.assign(wire, { start: span.start, end: span.end });
        if (span.isAllDay !== before.isAllDay) wire['isAllDay'] = span.isAllDay;
        if (input.recurrence)
          Object.assign(wire, toWire({ recurrence: input.recurrence, bodyFormat: 'text' }, span.begin));
      }
      if (wire['body'] !== undefined) wire['body'] = keepMeetingLink(before, wire['body']);
      return wire;
    };
    // Composed by what is there once an interrupted run has changed it, it would be another change.
    const [wire = compose()] = sentBefore(context, 'PATCH');
    if (Object.keys(wire).length === 0) throw new Fault('invalid_input', nothing);
    if (input.isOnlineMeeting === false && before.isOnlineMeeting === true) {
      context.warn('The service keeps the online meeting of an event once it is made.');
    }
    const place = below(mailbox, path`/events/${before.id}`);
    refuseToTellNobody(input.sendInvites, before, { method: 'PATCH', path: place, body: wire });
    const headers = { ...prefer(), ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }) };
    await context.upstream.patch(place, { body: wire, headers });
    const after = await readEvent(context, mailbox, before.id);
    const changes = eventChanges(before, after, { zone: zones.home, rewritten: wire['body'] !== undefined });
    const { body: _, bodyTruncated: _cut, ...event } = showEvent(after, zones.home);
    if (input.isOnlineMeeting === true && event.joinUrl === undefined) {
      context.warn('No online meeting was made: this account has no provider for one.');
    }
    return { ...event, changes };
  },
  find: async ({ mailbox }, { upstream, request, since, mark, held }) => {
    const event = WireEvent.parse(await upstream.get(request.path, { headers: prefer() }));
    const touched = Date.parse(event.lastModifiedDateTime ?? '') >= since.getTime();
    const { data: before } = WireEvent.safeParse(held);
    const etag = event['@odata.etag'];
    if (!touched || (etag !== undefined && etag === before?.['@odata.etag'])) return { made: [] };
    return holds(event, request.body)
      ? { made: [madeBy(event, `${mailbox ?? 'me'} ${event.id}`, mark(1))] }
      : 'unclear';
  },
});
