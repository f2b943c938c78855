import type { EmailAddress, Mailbox } from '../mailbox.ts';
import type { World } from '../world.ts';
import { defaultCalendar } from './calendars.ts';
import type { Attendee, EventItem } from './state.ts';
import { addEvent, changeEvent, copyOf } from './store.ts';

export const sameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

const unanswered = { response: 'notResponded', time: '0001-01-01T00:00:00Z' } as const;

const placeOf = (event: EventItem): string =>
  JSON.stringify([event.start, event.end, event.isAllDay, event.recurrence]);

/** Puts a meeting into the calendar of somebody invited to it, or brings it up to date there. */
export const placeCopy = (world: World, meeting: EventItem, address: string): void => {
  const mailbox = world.mailboxOf(address);
  if (mailbox === undefined || sameAddress(address, meeting.organizer.address)) return;
  const now = world.now();
  const old = copyOf(mailbox, meeting.iCalUId);
  if (old === undefined) {
    const copy: EventItem = {
      ...structuredClone(meeting),
      seq: mailbox.nextSeq++,
      version: 1,
      created: now,
      modified: now,
      calendarId: defaultCalendar(mailbox).id,
      isOrganizer: false,
      transactionId: null,
      categories: [],
      responseStatus: { ...unanswered },
      showAs: meeting.showAs === 'free' ? 'free' : 'tentative',
      extended: [],
    };
    return addEvent(world, mailbox, copy);
  }
  const moved = placeOf(old) !== placeOf(meeting);
  changeEvent(world, mailbox, old, (copy) => {
    const own = {
      seq: copy.seq,
      version: copy.version,
      created: copy.created,
      calendarId: copy.calendarId,
      isOrganizer: false,
      transactionId: null,
      categories: copy.categories,
      isReminderOn: copy.isReminderOn,
      reminderMinutesBeforeStart: copy.reminderMinutesBeforeStart,
      extended: copy.extended,
      // Another time asks for another answer.
      responseStatus: moved ? { ...unanswered } : copy.responseStatus,
      showAs: moved ? 'tentative' : copy.showAs,
    } as const;
    const kept = moved ? undefined : ownDays(copy, meeting);
    Object.assign(copy, structuredClone(meeting), own, kept);
  });
};

/** Days declined and answers to single occurrences belong to the one who gave them. */
const ownDays = (copy: EventItem, meeting: EventItem): Pick<EventItem, 'exceptions' | 'cancelledDays'> => {
  const exceptions = structuredClone(meeting.exceptions);
  for (const [day, { responseStatus, showAs }] of copy.exceptions) {
    if (responseStatus && showAs) exceptions.set(day, { ...exceptions.get(day), responseStatus, showAs });
  }
  return { exceptions, cancelledDays: [...new Set([...meeting.cancelledDays, ...copy.cancelledDays])] };
};

/** The copies of a meeting in the calendars of those invited. */
export const copiesOf = (
  world: World,
  meeting: EventItem,
  attendees: readonly Attendee[] = meeting.attendees,
): { mailbox: Mailbox; copy: EventItem }[] =>
  attendees.flatMap(({ emailAddress }) => {
    const mailbox = world.mailboxOf(emailAddress.address);
    const copy = mailbox && copyOf(mailbox, meeting.iCalUId);
    return mailbox && copy && !copy.isOrganizer ? [{ mailbox, copy }] : [];
  });

export const addressesOf = (attendees: readonly Attendee[]): EmailAddress[] =>
  attendees.map(({ emailAddress }) => emailAddress);

/** A cancelled meeting stays visible to those invited, marked as such, until they remove it. */
export const markCancelled = (world: World, meeting: EventItem, attendees: readonly Attendee[], day?: number): void => {
  for (const { mailbox, copy } of copiesOf(world, meeting, attendees)) {
    changeEvent(world, mailbox, copy, (event) => {
      if (day !== undefined) {
        event.cancelledDays = [...event.cancelledDays, day];
        return;
      }
      event.isCancelled = true;
      event.showAs = 'free';
      event.subject = `Canceled: ${event.subject}`;
    });
  }
};
