import { z } from 'zod';
import { collectMistakes, defineStep, path, quoted } from '#kit';
import { CalendarInput, calendarPath, under, zonesOf } from '../calendars.ts';
import { eventFields, refuseSilence, SendInvites, toSpan, toWire } from '../event-input.ts';
import { Event, showEvent, WireEvent } from '../event-shapes.ts';
import { findMarked, marked } from '../marker.ts';
import { Mailbox } from '../shapes.ts';
import { prefer } from '../wire.ts';
import { utcZone } from '../zones.ts';

const { subject, start, bodyFormat, timeZone, ...others } = eventFields;

export const createEvent = defineStep({
  name: 'create_event',
  title: 'Create Event',
  group: 'Calendar',
  purpose: 'Create an event in a calendar; whoever is invited gets mail about it.',
  effect: 'send',
  scopes: [['Calendars.ReadWrite']],
  input: z.object({
    subject,
    start,
    end: others.end.optional(),
    timeZone,
    body: others.body.optional(),
    bodyFormat,
    isAllDay: others.isAllDay.optional(),
    location: others.location.optional(),
    attendees: others.attendees.optional(),
    sendInvites: SendInvites,
    recurrence: others.recurrence.optional(),
    isOnlineMeeting: others.isOnlineMeeting.optional(),
    showAs: others.showAs.optional(),
    sensitivity: others.sensitivity.optional(),
    importance: others.importance.optional(),
    reminderMinutes: others.reminderMinutes.optional(),
    categories: others.categories.optional(),
    responseRequested: others.responseRequested.optional(),
    allowNewTimeProposals: others.allowNewTimeProposals.optional(),
    hideAttendees: others.hideAttendees.optional(),
    calendar: CalendarInput,
    mailbox: Mailbox,
  }),
  output: Event,
  summary: ({ subject, attendees }) =>
    `Created the event ${quoted(subject)}${attendees.length === 0 ? '' : ` with ${attendees.length} invited`}.`,
  run: async (input, context) => {
    const { mailbox, calendar } = input;
    const mistakes = collectMistakes();
    mistakes.from(() => refuseSilence(input));
    const times = [input.start, ...(input.end === undefined ? [] : [input.end])];
    const known = await mistakes.fromLater(zonesOf(context, input.timeZone, times));
    const zones = known ?? { asked: undefined, home: utcZone };
    const placed = mistakes.from(() => toSpan(input.start, input.end, input.isAllDay, zones));
    const begin = placed?.begin ?? { date: '2000-01-01', time: '00:00:00', zone: utcZone };
    const wire = mistakes.from(() => toWire(input, begin));
    if (placed === undefined || wire === undefined || mistakes.areThere()) throw mistakes.told();
    const { begin: _begin, ...span } = placed;
    if (input.recurrence !== undefined && span.start.timeZone === 'UTC' && zones.home.iana !== 'UTC') {
      context.warn('The service has no such zone, so the series keeps its time in UTC, not on local clocks.');
    }
    const mark = context.mark(1);
    const body = { ...wire, ...span, transactionId: mark, ...marked(mark) };
    const place = under(await calendarPath(context, mailbox, calendar), path`/events`);
    const made = WireEvent.parse(await context.upstream.post(place, { body, headers: prefer() }));
    const { body: _, bodyTruncated: _cut, ...event } = showEvent(made, zones.home);
    if (input.isOnlineMeeting === true && event.joinUrl === undefined) {
      context.warn('No online meeting was made: this account has no provider for one.');
    }
    return event;
  },
  find: async ({ mailbox, calendar }, context) => {
    const place = under(await calendarPath(context, mailbox, calendar), path`/events`);
    return findMarked(context.upstream, place, context.mark(1));
  },
});
