import { z } from 'zod';
import { readBody, readPreview } from './body/read-body.ts';
import { showRecurrence } from './recurrence.ts';
import { addDays, type DateTimeTimeZone, fromService, instantOf, showTime, Time } from './times.ts';
import { ToldTime, toldFlag, toldText, toldTexts } from './told.ts';
import type { Zone } from './zones.ts';

const WireAddress = z.object({ name: z.string().nullish(), address: z.string().nullish() });

/** An event as the service answers it; what is missing was not asked for. */
export const WireEvent = z.object({
  id: z.string(),
  '@odata.etag': z.string().optional(),
  subject: z.string().nullish(),
  bodyPreview: z.string().nullish(),
  body: z.object({ contentType: toldText, content: toldText }).nullish(),
  start: ToldTime,
  end: ToldTime,
  originalStartTimeZone: z.string().nullish(),
  isAllDay: toldFlag,
  isCancelled: toldFlag,
  isOrganizer: toldFlag,
  type: z
    .enum(['singleInstance', 'occurrence', 'exception', 'seriesMaster'])
    .nullish()
    .transform((type) => type ?? 'singleInstance'),
  seriesMasterId: z.string().nullish(),
  showAs: z.string().nullish(),
  sensitivity: z.string().nullish(),
  importance: z.string().nullish(),
  categories: toldTexts.optional(),
  isReminderOn: z.boolean().nullish(),
  reminderMinutesBeforeStart: z.number().nullish(),
  location: z.object({ displayName: z.string().nullish() }).nullish(),
  attendees: z
    .array(
      z.object({
        type: z.string().nullish(),
        emailAddress: WireAddress.nullish(),
        status: z.object({ response: z.string().nullish() }).nullish(),
      }),
    )
    .default([]),
  organizer: z.object({ emailAddress: WireAddress.nullish() }).nullish(),
  responseStatus: z.object({ response: z.string().nullish(), time: z.string().nullish() }).nullish(),
  responseRequested: z.boolean().nullish(),
  allowNewTimeProposals: z.boolean().nullish(),
  hideAttendees: z.boolean().nullish(),
  isOnlineMeeting: z.boolean().nullish(),
  onlineMeeting: z.object({ joinUrl: z.string().nullish() }).nullish(),
  // Of meetings that are not the service's own, such as Skype.
  onlineMeetingUrl: z.string().nullish(),
  webLink: z.string().nullish(),
  recurrence: z.unknown().optional(),
  lastModifiedDateTime: z.string().nullish(),
});
export type WireEvent = z.output<typeof WireEvent>;

const Person = z.object({ name: z.string().optional(), address: z.string() });
const Attendee = Person.extend({ type: z.string(), response: z.string().optional() });

/** An event as steps show it: times in both forms, small enough for a model. */
export const Event = z.object({
  id: z.string(),
  subject: z.string(),
  start: Time,
  end: Time.describe('The end itself: of an all-day event, the midnight after its last day.'),
  isAllDay: z.boolean(),
  firstDay: z.string().optional().describe('First date of an all-day event.'),
  lastDay: z.string().optional().describe('Last date of an all-day event, included.'),
  location: z.string().optional(),
  organizer: Person.optional(),
  isOrganizer: z.boolean(),
  attendees: z.array(Attendee),
  responseStatus: z.string().optional().describe('What the owner of the mailbox answered.'),
  showAs: z.string().optional(),
  isCancelled: z.boolean(),
  isRecurring: z.boolean(),
  seriesId: z.string().optional().describe('The series that this is an occurrence of.'),
  joinUrl: z.string().optional(),
  webLink: z.string().optional(),
  etag: z.string().optional(),
  preview: z.string().optional(),
  body: z.string().optional(),
  bodyTruncated: z.boolean().optional(),
  bodyLength: z.number().optional(),
  sensitivity: z.string().optional(),
  importance: z.string().optional(),
  categories: z.array(z.string()).optional(),
  reminderMinutes: z.number().nullish(),
  responseRequested: z.boolean().optional(),
  allowNewTimeProposals: z.boolean().optional(),
  hideAttendees: z.boolean().optional(),
  recurrence: z.unknown().optional(),
});
export type Event = z.output<typeof Event>;

type Address = z.output<typeof WireAddress>;

const person = (given: Address | null | undefined): z.output<typeof Person> | undefined => {
  const { name, address } = given ?? {};
  if (!address) return undefined;
  return name && name !== address ? { name, address } : { address };
};

const dateOf = ({ dateTime }: DateTimeTimeZone): string => dateTime.slice(0, 10);

/** When an event takes place. All-day events are dates, and begin when the day does in the zone they are seen in. */
export const spanOf = ({ start, end, isAllDay }: WireEvent, zone: Zone): { start: number; end: number } => {
  const at = (time: DateTimeTimeZone) => (isAllDay ? instantOf(Date.parse(dateOf(time)), zone) : fromService(time));
  return { start: at(start), end: at(end) };
};

const timesOf = (event: WireEvent, zone: Zone): Pick<Event, 'start' | 'end' | 'firstDay' | 'lastDay'> => {
  const { start, end } = spanOf(event, zone);
  const times = { start: showTime(start, zone), end: showTime(end, zone) };
  if (!event.isAllDay) return times;
  return { ...times, firstDay: dateOf(event.start), lastDay: addDays(dateOf(event.end), -1) };
};

const longestBody = 5_000;

/** The body as a person would see it; what is hidden from people is hidden from agents. */
const bodyOf = ({ body }: WireEvent): Partial<Event> => {
  if (!body) return {};
  const { text, length, truncated } = readBody(body, { format: 'text', maxChars: longestBody, keepQuoted: true });
  return { body: text, bodyTruncated: truncated, bodyLength: length };
};

const given = <T>(value: T | null | undefined | ''): T | undefined =>
  value === null || value === '' ? undefined : value;

/** An event for the caller, on the clock of a zone. */
export const showEvent = (wire: WireEvent, zone: Zone): Event => ({
  id: wire.id,
  subject: wire.subject ?? '',
  ...timesOf(wire, zone),
  isAllDay: wire.isAllDay,
  location: given(wire.location?.displayName),
  organizer: person(wire.organizer?.emailAddress),
  isOrganizer: wire.isOrganizer,
  attendees: wire.attendees.flatMap(({ type, emailAddress, status }) => {
    const who = person(emailAddress);
    return who === undefined ? [] : [{ ...who, type: type ?? 'required', response: given(status?.response) }];
  }),
  responseStatus: given(wire.responseStatus?.response),
  showAs: given(wire.showAs),
  isCancelled: wire.isCancelled,
  isRecurring: wire.type !== 'singleInstance',
  seriesId: given(wire.seriesMasterId),
  joinUrl: given(wire.onlineMeeting?.joinUrl) ?? given(wire.onlineMeetingUrl),
  webLink: given(wire.webLink),
  etag: wire['@odata.etag'],
  preview: given(readPreview(wire.bodyPreview)),
  ...bodyOf(wire),
  sensitivity: given(wire.sensitivity),
  importance: given(wire.importance),
  categories: given(wire.categories),
  reminderMinutes: wire.isReminderOn === false ? null : given(wire.reminderMinutesBeforeStart),
  responseRequested: given(wire.responseRequested),
  allowNewTimeProposals: given(wire.allowNewTimeProposals),
  hideAttendees: given(wire.hideAttendees),
  recurrence: showRecurrence(wire.recurrence),
});

const inFull =
  /^(body|sensitivity|importance|categories|reminderMinutes|recurrence|responseRequested|allowNewTimeProposals|hideAttendees)/;

/** What the service is asked for: all of it where the view or one of the fields needs that. */
export const selectFor = (view: 'summary' | 'full', fields: readonly string[] | undefined): string =>
  view === 'full' || fields?.some((name) => inFull.test(name)) ? fullFields : summaryFields;

const summaryFields =
  'id,subject,bodyPreview,start,end,isAllDay,isCancelled,isOrganizer,type,seriesMasterId,showAs,location,attendees,organizer,responseStatus,onlineMeeting,onlineMeetingUrl,webLink';
const fullFields = `${summaryFields},body,sensitivity,importance,categories,isReminderOn,reminderMinutesBeforeStart,isOnlineMeeting,recurrence,responseRequested,allowNewTimeProposals,hideAttendees`;
