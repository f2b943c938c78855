import type { Attachment, Body, EmailAddress, ExtendedProperty, Json } from '../mailbox.ts';
import type { Recurrence } from './recurrence.ts';

/* Plain data: no classes, so that a snapshot is one structuredClone. */

export type Response = 'none' | 'organizer' | 'tentativelyAccepted' | 'accepted' | 'declined' | 'notResponded';
export type ResponseStatus = { response: Response; time: string };
/** `wall` is what the clock shows, as milliseconds of a UTC clock that shows the same. */
export type Moment = { wall: number; zone: string };
export type Attendee = {
  type: 'required' | 'optional' | 'resource';
  emailAddress: EmailAddress;
  status: ResponseStatus;
  proposedNewTime?: { start: Moment; end: Moment };
};

/** What an occurrence may have of its own. */
export type EventContent = {
  subject: string;
  body: Body;
  start: Moment;
  end: Moment;
  isAllDay: boolean;
  importance: 'low' | 'normal' | 'high';
  sensitivity: 'normal' | 'personal' | 'private' | 'confidential';
  showAs: 'unknown' | 'free' | 'tentative' | 'busy' | 'oof' | 'workingElsewhere';
  categories: string[];
  locations: Json[];
  attendees: Attendee[];
  isReminderOn: boolean;
  reminderMinutesBeforeStart: number;
  responseStatus: ResponseStatus;
  isCancelled: boolean;
};

export type EventItem = EventContent & {
  seq: number;
  version: number;
  /** The calendar's count when it last changed: what delta goes by. */
  changedAt: number;
  calendarId: string;
  created: number;
  modified: number;
  iCalUId: string;
  transactionId: string | null;
  organizer: EmailAddress;
  isOrganizer: boolean;
  isDraft: boolean;
  allowNewTimeProposals: boolean;
  responseRequested: boolean;
  hideAttendees: boolean;
  isOnlineMeeting: boolean;
  onlineMeetingProvider: string;
  joinUrl: string | null;
  recurrence: Recurrence | null;
  /** By the day (since 1970) the pattern gives; a changed occurrence stays known by it. */
  exceptions: Map<number, Partial<EventContent>>;
  cancelledDays: number[];
  attachments: Attachment[];
  extended: ExtendedProperty[];
};

export type CalendarInfo = { id: string; name: string; color: string; isDefault: boolean; version: number };

export type CalendarState = {
  /** Made when first asked for; the first one is the default. */
  calendars: Map<string, CalendarInfo>;
  events: Map<number, EventItem>;
  byUid: Map<string, number>;
  byTransaction: Map<string, number>;
  /** Counts every change. */
  clock: number;
  /** Former states of events that were deleted or moved, so that delta can name what is gone. */
  former: { at: number; event: EventItem }[];
  /** Delta tokens older than this are gone. */
  forgotten: number;
};

export const emptyCalendar = (): CalendarState => ({
  calendars: new Map(),
  events: new Map(),
  byUid: new Map(),
  byTransaction: new Map(),
  clock: 0,
  former: [],
  forgotten: 0,
});
