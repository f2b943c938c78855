import { createHash, randomUUID } from 'node:crypto';
import { GraphError, invalidProperty } from '../graph-error.ts';
import type { Mailbox } from '../mailbox.ts';
import { readAttachment } from '../messages/attachment-parse.ts';
import type { Person } from '../people.ts';
import type { World } from '../world.ts';
import { addressesOf, markCancelled, placeCopy, sameAddress } from './attendee-copies.ts';
import { defaultCalendar } from './calendars.ts';
import { type Instance, instantOfMoment, liveDays, occurrenceOn, wholeEvent } from './instances.ts';
import { sendNote } from './meeting-mail.ts';
import { dateOf, occurrenceDays } from './occurrence-days.ts';
import { type EventChanges } from './read-event.ts';
import { readRecurrence } from './recurrence.ts';
import type { Attendee, EventContent, EventItem } from './state.ts';
import { addEvent, changeEvent, removeEvent } from './store.ts';

const dayMs = 86_400_000;
const never = '0001-01-01T00:00:00Z';
const longestAlone = 366;

const checkTimes = ({ start, end, isAllDay }: Pick<EventContent, 'start' | 'end' | 'isAllDay'>): void => {
  if (isAllDay) {
    const midnight = start.wall % dayMs === 0 && end.wall % dayMs === 0 && start.zone === end.zone;
    if (!midnight || end.wall <= start.wall) {
      throw invalidProperty('An all-day event needs both start and end to be midnight, in the same time zone.');
    }
  } else if (instantOfMoment(end, false) < instantOfMoment(start, false)) {
    throw invalidProperty('The end of the event must not be before its start.');
  }
};

/** Puts the series where its first occurrence is; an occurrence has to be over before the next day of the series. */
const settle = (event: EventItem): void => {
  const { recurrence } = event;
  if (recurrence === null) return;
  const begin = Date.parse(recurrence.range.startDate) / dayMs;
  // Nearly every series shows itself within three years; those that leave decades out are looked for farther.
  const soon = occurrenceDays(recurrence, begin, begin + 3 * 366);
  const [first, second] = soon.length > 1 ? soon : occurrenceDays(recurrence, begin, begin + 200 * 366);
  if (first === undefined) throw invalidProperty('The recurrence has no occurrence.');
  if (event.end.wall - event.start.wall > ((second ?? first + longestAlone) - first) * dayMs) {
    throw new GraphError(
      400,
      'ErrorOccurrenceTimeSpanTooBig',
      'The time span of an occurrence is longer than the time to the next one.',
    );
  }
  const { start, end } = occurrenceOn({ ...event, exceptions: new Map() }, first).content;
  Object.assign(event, { start, end });
};

const joinBlob = (url: string): string =>
  `<div class="me-email-text" lang="en-US"><hr><p>Microsoft Teams meeting</p><a class="me-email-headline" href="${url}">Join the meeting now</a></div>`;

const makeOnline = (event: EventItem, person: Person): void => {
  // Personal accounts have no provider to choose: the wish is ignored.
  if (person.kind !== 'work') return;
  const thread = createHash('sha256').update(event.iCalUId).digest('base64url');
  const context = encodeURIComponent(JSON.stringify({ Tid: person.tenantId, Oid: person.id }));
  event.isOnlineMeeting = true;
  event.onlineMeetingProvider = 'teamsForBusiness';
  event.joinUrl = `https://teams.microsoft.com/l/meetup-join/19%3ameeting_${thread}%40thread.v2/0?context=${context}`;
  event.body = { contentType: 'html', content: `${event.body.content}${joinBlob(event.joinUrl)}` };
};

export const createEvent = (
  world: World,
  mailbox: Mailbox,
  calendarId: string | undefined,
  wanted: EventChanges,
  options: { silent?: boolean } = {},
): Instance => {
  const known = wanted.transactionId ? mailbox.calendar.byTransaction.get(wanted.transactionId) : undefined;
  const existing = known === undefined ? undefined : mailbox.calendar.events.get(known);
  if (existing !== undefined) return wholeEvent(existing);

  const person = world.people.get(mailbox.owner);
  if (wanted.start === undefined || wanted.end === undefined || person === undefined) {
    throw invalidProperty('The event needs a start and an end.');
  }
  const { recurrence, attachments = [], isOnlineMeeting, onlineMeetingProvider: _, ...content } = wanted;
  const now = world.now();
  const event: EventItem = {
    subject: '',
    body: { contentType: 'html', content: '' },
    isAllDay: false,
    importance: 'normal',
    sensitivity: 'normal',
    showAs: wanted.isAllDay ? 'free' : 'busy',
    categories: [],
    locations: [],
    attendees: [],
    isReminderOn: true,
    reminderMinutesBeforeStart: 15,
    responseStatus: { response: 'organizer', time: never },
    isCancelled: false,
    isDraft: false,
    allowNewTimeProposals: true,
    responseRequested: true,
    hideAttendees: false,
    transactionId: null,
    extended: [],
    ...content,
    start: wanted.start,
    end: wanted.end,
    seq: mailbox.nextSeq++,
    version: 1,
    changedAt: 0,
    calendarId: calendarId ?? defaultCalendar(mailbox).id,
    created: now,
    modified: now,
    iCalUId: `040000008200E00074C5B7101A82E008${randomUUID().replaceAll('-', '').toUpperCase()}`,
    organizer: { name: person.displayName, address: person.address },
    isOrganizer: true,
    isOnlineMeeting: false,
    onlineMeetingProvider: 'unknown',
    joinUrl: null,
    recurrence: recurrence ? readRecurrence(recurrence, wanted.start.zone) : null,
    exceptions: new Map(),
    cancelledDays: [],
    attachments: [],
  };
  checkTimes(event);
  settle(event);
  event.attachments = attachments.map((one) => readAttachment(mailbox, one, now));
  if (isOnlineMeeting === true) makeOnline(event, person);
  addEvent(world, mailbox, event);
  // Seeded meetings are in all calendars without any mail about them.
  if (options.silent) for (const { emailAddress } of event.attendees) placeCopy(world, event, emailAddress.address);
  else if (!event.isDraft) invite(world, wholeEvent(event), event.attendees, 'newMeetingRequest');
  return wholeEvent(event);
};

type Update = 'newMeetingRequest' | 'fullUpdate' | 'informationalUpdate';
const invite = (world: World, one: Instance, attendees: readonly Attendee[], request: Update): void => {
  sendNote(world, one.event.organizer, addressesOf(attendees), one, { kind: 'request', request });
  for (const { emailAddress } of attendees) placeCopy(world, one.event, emailAddress.address);
};

const withStatus = (wanted: readonly Attendee[], old: readonly Attendee[]): Attendee[] =>
  wanted.map((attendee) => ({
    ...attendee,
    status:
      old.find(({ emailAddress }) => sameAddress(emailAddress.address, attendee.emailAddress.address))?.status ??
      attendee.status,
  }));

const without = (attendees: readonly Attendee[], others: readonly Attendee[]): Attendee[] =>
  attendees.filter(
    ({ emailAddress }) => !others.some((other) => sameAddress(other.emailAddress.address, emailAddress.address)),
  );

/** Changes an event, a series, or one occurrence (which becomes an exception); those invited get mail about it. */
export const patchEvent = (world: World, mailbox: Mailbox, one: Instance, wanted: EventChanges): void => {
  if (wanted.transactionId !== undefined && wanted.transactionId !== one.event.transactionId) {
    throw invalidProperty('transactionId can only be set when the event is created.');
  }
  const before = one.content.attendees;
  const wasDraft = one.event.isDraft;
  const attendees = wanted.attendees && withStatus(wanted.attendees, before);
  const changes: EventChanges = attendees ? { ...wanted, attendees } : wanted;
  if (one.day === undefined) patchWhole(world, mailbox, one.event, changes);
  else patchOccurrence(world, mailbox, one.event, one.day, changes);

  const { event } = one;
  if (!event.isOrganizer || event.isDraft) return;
  const now = one.day === undefined ? wholeEvent(event) : occurrenceOn(event, one.day);
  const after = now.content.attendees;
  const added = wasDraft ? after : without(after, before);
  const dropped = without(before, after);
  const kept = without(after, added);
  const onlyAttendees = Object.keys(wanted).every((name) => name === 'attendees');
  const timed = ['start', 'end', 'isAllDay', 'recurrence', 'locations'].some((name) => name in wanted);
  invite(world, now, added, 'newMeetingRequest');
  if (!onlyAttendees) invite(world, now, kept, timed ? 'fullUpdate' : 'informationalUpdate');
  else for (const { emailAddress } of kept) placeCopy(world, event, emailAddress.address);
  sendNote(world, event.organizer, addressesOf(dropped), now, { kind: 'cancellation' });
  markCancelled(world, event, dropped, one.day);
};

const patchWhole = (world: World, mailbox: Mailbox, event: EventItem, wanted: EventChanges): void => {
  const {
    recurrence,
    attachments: _a,
    transactionId: _t,
    onlineMeetingProvider: _p,
    isOnlineMeeting,
    ...content
  } = wanted;
  const next: EventItem = { ...event, ...content };
  const replaced =
    wanted.start !== undefined || wanted.end !== undefined || wanted.isAllDay !== undefined || recurrence !== undefined;
  if (recurrence === null) next.recurrence = null;
  else if (recurrence !== undefined) next.recurrence = readRecurrence(recurrence, next.start.zone);
  else if (next.recurrence !== null && wanted.start !== undefined) {
    const range = { ...next.recurrence.range, startDate: dateOf(Math.floor(wanted.start.wall / dayMs)) };
    next.recurrence = { ...next.recurrence, range };
  }
  if (replaced) {
    checkTimes(next);
    next.exceptions = new Map();
    next.cancelledDays = [];
    settle(next);
  }
  // The link lives in the body: a body without it is no longer an online meeting.
  if (wanted.body && event.joinUrl !== null && !wanted.body.content.includes(event.joinUrl)) {
    Object.assign(next, { isOnlineMeeting: false, onlineMeetingProvider: 'unknown', joinUrl: null });
  }
  const person = world.people.get(mailbox.owner);
  if (isOnlineMeeting === true && next.joinUrl === null && person !== undefined) makeOnline(next, person);
  changeEvent(world, mailbox, event, (target) => Object.assign(target, next));
};

const occurrenceKeys = new Set(
  'subject body start end isAllDay importance sensitivity showAs categories locations attendees isReminderOn reminderMinutesBeforeStart'.split(
    ' ',
  ),
);

const patchOccurrence = (world: World, mailbox: Mailbox, event: EventItem, day: number, wanted: EventChanges): void => {
  if (wanted.recurrence) throw invalidProperty('An occurrence cannot recur on its own.');
  const own = Object.fromEntries(Object.entries(wanted).filter(([name]) => occurrenceKeys.has(name)));
  const override: Partial<EventContent> = { ...event.exceptions.get(day), ...own };
  const content = { ...occurrenceOn(event, day).content, ...override };
  checkTimes(content);
  if (wanted.start !== undefined || wanted.end !== undefined) keepOrder(event, day, content);
  changeEvent(world, mailbox, event, (target) => target.exceptions.set(day, override));
};

/** An occurrence may not be moved to the day of its neighbours, or beyond. */
const keepOrder = (event: EventItem, day: number, content: EventContent): void => {
  const place = Math.floor(content.start.wall / dayMs);
  const near = liveDays(event, day - 800, day + 800);
  const at = near.indexOf(day);
  const dayAt = (neighbour: number | undefined, none: number): number =>
    neighbour === undefined ? none : Math.floor(occurrenceOn(event, neighbour).content.start.wall / dayMs);
  if (place > dayAt(near[at - 1], -Infinity) && place < dayAt(near[at + 1], Infinity)) return;
  throw new GraphError(
    400,
    'ErrorOccurrenceCrossingBoundary',
    'Modified occurrence is crossing or overlapping adjacent occurrence.',
  );
};

/** Deletes an event, series or occurrence. The organizer's delete sends cancellations. */
export const deleteEvent = (world: World, mailbox: Mailbox, one: Instance, comment = ''): void => {
  const { event, day, content } = one;
  if (event.isOrganizer && !event.isDraft && content.attendees.length > 0) {
    sendNote(world, event.organizer, addressesOf(content.attendees), one, { kind: 'cancellation' }, comment);
    markCancelled(world, event, content.attendees, day);
  }
  if (day === undefined) return removeEvent(world, mailbox, event);
  changeEvent(world, mailbox, event, (target) => {
    target.cancelledDays = [...target.cancelledDays, day];
    target.exceptions.delete(day);
  });
};
