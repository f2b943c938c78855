import { GraphError, invalidBody, invalidProperty } from '../graph-error.ts';
import type { Body, ExtendedProperty, Json } from '../mailbox.ts';
import { propertyOf } from '../odata/model.ts';
import {
  isObject,
  pick,
  readAddress,
  readEnum,
  readFlag,
  readInteger,
  readList,
  readObject,
  readText,
  readTexts,
} from '../values.ts';
import type { Attendee, EventContent, Moment } from './state.ts';
import { readDateTime, wallOf, zoneNamed } from './zones.ts';

/** What a POST or PATCH of an event asks for; absent means not mentioned. */
export type EventChanges = Partial<Omit<EventContent, 'attendees' | 'responseStatus' | 'isCancelled'>> & {
  attendees?: Attendee[];
  transactionId?: string | null;
  responseRequested?: boolean;
  allowNewTimeProposals?: boolean;
  hideAttendees?: boolean;
  isDraft?: boolean;
  isOnlineMeeting?: boolean;
  onlineMeetingProvider?: string;
  /** As sent; null ends the series. */
  recurrence?: Json | null;
  extended?: ExtendedProperty[];
  attachments?: unknown[];
};

export const importances = ['low', 'normal', 'high'] as const;
const sensitivities = ['normal', 'personal', 'private', 'confidential'] as const;
const freeBusy = ['unknown', 'free', 'tentative', 'busy', 'oof', 'workingElsewhere'] as const;
const attendeeTypes = ['required', 'optional', 'resource'] as const;
const providers = ['unknown', 'skypeForBusiness', 'skypeForConsumer', 'teamsForBusiness'] as const;
export const noAnswer = { response: 'none', time: '0001-01-01T00:00:00Z' } as const;

/** A dateTimeTimeZone. With an offset of its own the instant counts, shown on the clock of the zone. */
export const readMoment = (value: unknown, name: string): Moment => {
  const object = readObject(value, name);
  const text = readText(pick(object, 'dateTime'), `${name}/dateTime`);
  const zone = zoneNamed(readText(pick(object, 'timeZone') ?? '', `${name}/timeZone`));
  const read = readDateTime(text);
  if (read === undefined)
    throw invalidProperty(`The value '${text.slice(0, 50)}' of '${name}/dateTime' is not a date and time.`);
  return { wall: read.offset ? wallOf(read.ms, zone) : read.ms, zone: zone.name };
};

const readBody = (value: unknown): Body => {
  const object = readObject(value, 'body');
  return {
    contentType: readEnum(pick(object, 'contentType') ?? 'text', 'body/contentType', ['html', 'text']),
    content: readText(pick(object, 'content') ?? '', 'body/content'),
  };
};

export const validAddress = (address: string): boolean => /^[^\s@]+@[^\s@]+\.[^\s@.]+$/.test(address);

const readAttendee = (value: unknown): Attendee => {
  const emailAddress = readAddress(value, 'attendees');
  if (!validAddress(emailAddress.address)) {
    throw new GraphError(400, 'ErrorInvalidRecipients', 'At least one recipient is not valid.');
  }
  const type = isObject(value) ? (pick(value, 'type') ?? 'required') : 'required';
  return { type: readEnum(type, 'attendees/type', attendeeTypes), emailAddress, status: { ...noAnswer } };
};

const locationShape = { displayName: '', locationType: 'default', uniqueId: '', uniqueIdType: 'private' };
const readLocation = (value: unknown): Json => {
  const given = readObject(value, 'location');
  const displayName = readText(pick(given, 'displayName') ?? '', 'location/displayName');
  const known = Object.entries(given).filter(([name, inner]) => propertyOf('location', name) && inner !== null);
  const named = Object.fromEntries(known.map(([name, inner]) => [propertyOf('location', name)?.name ?? name, inner]));
  return { ...locationShape, uniqueId: displayName, ...named, displayName };
};

const readExtended = (value: unknown): ExtendedProperty[] =>
  readList(value, 'singleValueExtendedProperties').map((entry) => {
    const object = readObject(entry, 'singleValueExtendedProperties');
    return { id: readText(pick(object, 'id'), 'id'), value: readText(pick(object, 'value'), 'value') };
  });

type Reader = (value: unknown, changes: EventChanges, given: Json) => void;
const readers: Record<string, Reader> = {
  subject: (v, to) => (to.subject = v === null ? '' : readText(v, 'subject')),
  body: (v, to) => (to.body = readBody(v)),
  start: (v, to) => (to.start = readMoment(v, 'start')),
  end: (v, to) => (to.end = readMoment(v, 'end')),
  isAllDay: (v, to) => (to.isAllDay = readFlag(v, 'isAllDay')),
  importance: (v, to) => (to.importance = readEnum(v, 'importance', importances)),
  sensitivity: (v, to) => (to.sensitivity = readEnum(v, 'sensitivity', sensitivities)),
  showAs: (v, to) => (to.showAs = readEnum(v, 'showAs', freeBusy)),
  categories: (v, to) => (to.categories = readTexts(v, 'categories')),
  // `location` wins over `locations`, and replaces them.
  location: (v, to) =>
    (to.locations = v === null ? [] : [readLocation(v)].filter(({ displayName }) => displayName !== '')),
  locations: (v, to, given) => {
    if (pick(given, 'location') === undefined) to.locations = readList(v, 'locations').map(readLocation);
  },
  attendees: (v, to) => (to.attendees = readList(v, 'attendees').map(readAttendee)),
  isReminderOn: (v, to) => (to.isReminderOn = readFlag(v, 'isReminderOn')),
  reminderMinutesBeforeStart: (v, to) => (to.reminderMinutesBeforeStart = readInteger(v, 'reminderMinutesBeforeStart')),
  transactionId: (v, to) => (to.transactionId = v === null ? null : readText(v, 'transactionId')),
  responseRequested: (v, to) => (to.responseRequested = readFlag(v, 'responseRequested')),
  allowNewTimeProposals: (v, to) => (to.allowNewTimeProposals = readFlag(v, 'allowNewTimeProposals')),
  hideAttendees: (v, to) => (to.hideAttendees = readFlag(v, 'hideAttendees')),
  isDraft: (v, to) => (to.isDraft = readFlag(v, 'isDraft')),
  isOnlineMeeting: (v, to) => (to.isOnlineMeeting = readFlag(v, 'isOnlineMeeting')),
  onlineMeetingProvider: (v, to) => (to.onlineMeetingProvider = readEnum(v, 'onlineMeetingProvider', providers)),
  recurrence: (v, to) => (to.recurrence = v === null ? null : readObject(v, 'recurrence')),
  singleValueExtendedProperties: (v, to) => (to.extended = readExtended(v)),
  attachments: (v, to) => (to.attachments = readList(v, 'attachments')),
};

/** Reads a body in any letter case. Read-only properties are let pass and ignored, as the service does. */
export const readEvent = (given: Json): EventChanges => {
  const changes: EventChanges = {};
  for (const [written, value] of Object.entries(given)) {
    if (written.includes('@')) continue;
    const property = propertyOf('event', written);
    if (property === undefined) {
      throw invalidBody(
        `The property '${written}' does not exist on type 'microsoft.graph.event'. Make sure to only use property names that are defined by the type.`,
      );
    }
    if (value === null && !nullable.has(property.name)) continue;
    readers[property.name]?.(value, changes, given);
  }
  return changes;
};

const nullable = new Set(['subject', 'location', 'recurrence', 'transactionId']);
