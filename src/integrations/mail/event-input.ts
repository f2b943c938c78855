import { z } from 'zod';
import { collectMistakes, Fault } from '#kit';
import { AddressText, readAddressee } from './addressee.ts';
import type { Zones } from './calendars.ts';
import { RecurrenceInput, toRecurrence } from './recurrence.ts';
import {
  addDays,
  type Begin,
  beginAt,
  type DateTimeTimeZone,
  dayWritten,
  fromService,
  instantOf,
  needsZone,
  readTime,
  TimeInput,
  toService,
  wallOf,
  ZoneInput,
} from './times.ts';
import { findZone, type Zone, zoneNamed } from './zones.ts';

const kind = z.enum(['required', 'optional', 'resource']);
// The service reads any letter case, and its own examples begin with a capital.
const serviceKind = z.enum([...kind.options, 'Required', 'Optional', 'Resource']);
const name = z.string().max(300).optional();

const address = AddressText(320);

const AttendeeInput = z.union([
  AddressText(500),
  // As events are told, and as the service tells them: what attendees answered is theirs, and stays.
  z.strictObject({ address, name, type: kind.optional(), response: z.string().optional() }),
  z.strictObject({
    emailAddress: z.strictObject({ address, name }),
    type: serviceKind.optional(),
    status: z.unknown().optional(),
  }),
]);
type AttendeeInput = z.output<typeof AttendeeInput>;

const BodyInput = z.union([
  z.string().max(500_000),
  z.strictObject({
    content: z.string().max(500_000),
    contentType: z.enum(['text', 'html', 'Text', 'HTML']).optional(),
  }),
]);

const LocationInput = z.union([z.string().max(500), z.strictObject({ displayName: z.string().max(500) })]);

/** What can be said of an event, in the service's nested shape or a flat one; creating and changing share it. */
export const eventFields = {
  subject: z.string().max(1_000).describe('Title.'),
  body: BodyInput.describe('Description: text, or {contentType, content}.'),
  bodyFormat: z
    .enum(['text', 'html'])
    .default('text')
    .describe('What the body is written in, where it does not say so itself.'),
  start: TimeInput,
  end: TimeInput.describe('The end, written like the start. Of an all-day event, a date is its last day.'),
  timeZone: ZoneInput,
  isAllDay: z.boolean().describe('Whole days: start and end are dates. Assumed when both are dates.'),
  location: LocationInput.describe('Place: text, or {displayName}.'),
  attendees: z
    .array(AttendeeInput)
    .max(500)
    .describe(
      'Who is invited: addresses, with a name or without, {address, name, type}, or {emailAddress, type}. They are mailed at once.',
    ),
  recurrence: RecurrenceInput.describe(
    'How it repeats: {pattern, range}, or an iCalendar rule such as FREQ=WEEKLY;BYDAY=MO;COUNT=10.',
  ),
  isOnlineMeeting: z.boolean().describe('Whether a link to meet online is made (work accounts).'),
  showAs: z.enum(['free', 'tentative', 'busy', 'oof', 'workingElsewhere']).describe('How the time is shown to others.'),
  sensitivity: z.enum(['normal', 'personal', 'private', 'confidential']).describe('Who may see the details.'),
  importance: z.enum(['low', 'normal', 'high']).describe('Importance.'),
  reminderMinutes: z
    .int()
    .min(0)
    .max(40_320)
    .nullable()
    .describe('Minutes before the start to remind; null for never.'),
  categories: z.array(z.string().min(1).max(255)).max(50).describe('Labels, by name.'),
  responseRequested: z.boolean().describe('Whether attendees are asked to answer.'),
  allowNewTimeProposals: z.boolean().describe('Whether attendees may propose another time.'),
  hideAttendees: z.boolean().describe('Whether attendees see only themselves.'),
};

/** The service cannot be told to invite silently. */
export const SendInvites = z
  .boolean()
  .optional()
  .describe('The service always sends invitations, at once; false is refused when somebody is invited.');

export const refuseSilence = ({
  sendInvites,
  attendees,
}: {
  sendInvites?: boolean | undefined;
  attendees?: readonly unknown[] | null | undefined;
}): void => {
  if (sendInvites !== false || (attendees?.length ?? 0) === 0) return;
  const message =
    'the service mails everybody invited at once and cannot hold that back; leave the attendees out to tell nobody.';
  refuse('sendInvites', message);
};

export type EventWish = {
  [Name in Exclude<keyof typeof eventFields, 'bodyFormat'>]?: z.output<(typeof eventFields)[Name]> | null | undefined;
} & { bodyFormat: 'text' | 'html' };

const toAttendees = (given: readonly AttendeeInput[]) => {
  const people = new Map<string, { emailAddress: { address: string; name?: string }; type: string }>();
  for (const one of given) {
    const flat = typeof one === 'string' ? { address: one } : 'emailAddress' in one ? one.emailAddress : one;
    const type = (typeof one === 'string' ? undefined : one.type?.toLowerCase()) ?? 'required';
    const read = readAddressee(flat.address) ?? flat;
    const name = 'name' in flat ? flat.name : read.name;
    const emailAddress = { address: read.address, ...(name === undefined ? {} : { name }) };
    const key = read.address.toLowerCase();
    if (!people.has(key)) people.set(key, { emailAddress, type });
  }
  return [...people.values()];
};

export type Body = { contentType: 'text' | 'html'; content: string };

export const toBody = (given: z.output<typeof BodyInput> | null, format: 'text' | 'html'): Body => {
  if (given === null) return { contentType: 'text', content: '' };
  if (typeof given === 'string') return { contentType: format, content: given };
  const contentType = (given.contentType ?? format).toLowerCase() === 'html' ? 'html' : 'text';
  return { contentType, content: given.content };
};

const refuse = (field: string, message: string): never => {
  throw new Fault('invalid_input', `${field}: ${message}`, {
    details: { fields: [{ field, message }] },
  });
};

const zoneIn = (field: string, time: TimeInput, { asked, home }: Zones): string =>
  (typeof time === 'string' || time.timeZone === undefined
    ? (asked ?? home)
    : zoneNamed(time.timeZone, `${field}.timeZone`)
  ).windows;

/** What is wrong with the one does not hide what is wrong with the other. */
const both = <A, B>(one: () => A, other: () => B): [A, B] => {
  const mistakes = collectMistakes();
  const [first, second] = [mistakes.from(one), mistakes.from(other)];
  if (first === undefined || second === undefined) throw mistakes.told();
  return [first, second];
};

/** Midnight of the first day and midnight after the last one, in one zone. */
const wholeDays = (
  start: TimeInput,
  end: TimeInput | undefined,
  zones: Zones,
): { start: DateTimeTimeZone; end: DateTimeTimeZone } => {
  const day = () => dayWritten('start', start);
  const [first, last] = end === undefined ? [day(), day()] : both(day, () => dayWritten('end', end));
  const after = last.dateOnly ? addDays(last.date, 1) : last.date;
  if (after <= first.date) refuse('end', 'the last day must not be before the first.');
  const timeZone = zoneIn('start', start, zones);
  return {
    start: { dateTime: `${first.date}T00:00:00`, timeZone },
    end: { dateTime: `${after}T00:00:00`, timeZone },
  };
};

export type Span = { start: DateTimeTimeZone; end: DateTimeTimeZone; isAllDay: boolean; begin: Begin };

/** When an event begins. Whole days are dates, whatever the zone. */
export const beginOf = ({ start, isAllDay }: { start: DateTimeTimeZone; isAllDay: boolean }, zone: Zone): Begin =>
  isAllDay
    ? { date: start.dateTime.slice(0, 10), time: '00:00:00', zone }
    : beginAt({ instant: fromService(start), zone });

const isDate = (time: TimeInput): boolean =>
  /^\d{4}-\d\d-\d\d$/.test((typeof time === 'string' ? time : time.dateTime).trim());

/** When an event takes place, as the service takes it. */
export const toSpan = (
  start: TimeInput,
  end: TimeInput | undefined,
  isAllDay: boolean | undefined,
  zones: Zones,
): Span => {
  const dates = isDate(start) && (end === undefined || isDate(end));
  if (isAllDay ?? dates) {
    const days = wholeDays(start, end, zones);
    return {
      ...days,
      isAllDay: true,
      begin: beginOf({ start: days.start, isAllDay: true }, zones.asked ?? zones.home),
    };
  }
  const [from, to] = both(
    () => readTime('start', start, zones),
    () =>
      end === undefined ? refuse('end', 'is needed unless the event lasts whole days.') : readTime('end', end, zones),
  );
  if (to.instant < from.instant) refuse('end', 'is before the start.');
  return { start: toService(from), end: toService(to), isAllDay: false, begin: beginAt(from) };
};

/** An event as it is, by whose clocks it was made. */
type Placed = {
  start: DateTimeTimeZone;
  end: DateTimeTimeZone;
  isAllDay: boolean;
  originalStartTimeZone?: string | null | undefined;
};

const dayMs = 86_400_000;

/** The zone that an event was made in; one that nobody else knows is none. */
export const ownZoneOf = ({ originalStartTimeZone }: Placed): Zone | undefined => findZone(originalStartTimeZone ?? '');

/** A time that says by its offset alone when it is. */
const namesNoZone = (time: TimeInput, { asked }: Zones): boolean =>
  asked === undefined && (typeof time === 'string' || time.timeZone === undefined) && !needsZone(time);

/**
 * When something ends that begins anew and lasts as long as before by the clocks of its zone, which may change meanwhile: a
 * night shift ends at six in any night.
 */
const endAfter = (begin: number, zone: Zone, before: Pick<Placed, 'start' | 'end'>, own = zone): number => {
  const [from, to] = [fromService(before.start), fromService(before.end)];
  const end = instantOf(wallOf(begin, zone) + wallOf(to, own) - wallOf(from, own), zone);
  // Where clocks go back meanwhile, an end may be shown before its beginning.
  return end > begin ? end : begin + to - from;
};

const spanBetween = (from: number, to: number, zone: Zone): Span => {
  if (to < from) refuse('end', 'is before the start.');
  const [start, end] = [toService({ instant: from, zone }), toService({ instant: to, zone })];
  return { start, end, isAllDay: false, begin: beginAt({ instant: from, zone }) };
};

/** A new span for an event that has one: where only the start is given, the length stays. */
export const movedSpan = (
  now: Placed,
  wanted: { start?: TimeInput | undefined; end?: TimeInput | undefined; isAllDay?: boolean | undefined },
  zones: Zones,
): Span => {
  const given = [wanted.start, wanted.end].filter((time) => time !== undefined);
  const isAllDay = wanted.isAllDay ?? (now.isAllDay || (given.length === 2 && given.every(isDate)));
  if (isAllDay !== now.isAllDay && (wanted.start === undefined || wanted.end === undefined)) {
    return refuse('isAllDay', 'changing between whole days and times of day needs both start and end.');
  }
  if (isAllDay) {
    const day = (which: 'start' | 'end') => now[which].dateTime.slice(0, 10);
    const first = wanted.start === undefined ? day('start') : dayWritten('start', wanted.start).date;
    const length = Math.round((Date.parse(day('end')) - Date.parse(day('start'))) / dayMs);
    const kept = wanted.start === undefined ? addDays(day('end'), -1) : addDays(first, length - 1);
    return toSpan(wanted.start ?? first, wanted.end ?? kept, true, zones);
  }
  for (const which of ['start', 'end'] as const) {
    const time = wanted[which];
    if (time === undefined || !isDate(time) || wanted.isAllDay === false) continue;
    refuse(which, 'is a day without a time; write both, such as 2026-11-02T09:00:00, or give start and end as dates.');
  }
  // By the clocks of another zone, a series would come at another hour as soon as those change.
  const own = ownZoneOf(now) ?? zones.asked ?? zones.home;
  const from = wanted.start === undefined ? fromService(now.start) : readTime('start', wanted.start, zones);
  const zone = typeof from === 'number' || namesNoZone(wanted.start ?? '', zones) ? own : from.zone;
  const begin = typeof from === 'number' ? from : from.instant;
  const until = wanted.start === undefined ? fromService(now.end) : endAfter(begin, zone, now, own);
  return spanBetween(begin, wanted.end === undefined ? until : readTime('end', wanted.end, zones).instant, zone);
};

/** A series moves as far as the one of its occurrences that was named: what came before that one stays in it. */
export const movedSeries = (moved: Span, occurrence: Placed, series: Placed): Span => {
  const { zone } = moved.begin;
  const [was, first] = [beginOf(occurrence, zone), beginOf(series, zone)];
  const stays = moved.begin.date === was.date && moved.begin.time === was.time;
  const days = (Date.parse(moved.begin.date) - Date.parse(was.date)) / dayMs;
  const begin = { date: addDays(first.date, days), time: stays ? first.time : moved.begin.time, zone };
  const wall = Date.parse(`${begin.date}T${begin.time}Z`);
  if (moved.isAllDay) {
    const length = Date.parse(moved.end.dateTime) - Date.parse(moved.start.dateTime);
    const at = (time: number) => ({
      dateTime: new Date(time).toISOString().slice(0, 19),
      timeZone: moved.start.timeZone,
    });
    return { start: at(wall), end: at(wall + length), isAllDay: true, begin };
  }
  const from = instantOf(wall, zone);
  return spanBetween(from, endAfter(from, zone, moved), zone);
};

/** All that is said of an event besides its times, as the service takes it. Absent leaves, null clears. */
export const toWire = (wish: EventWish, begin: Begin): Record<string, unknown> => {
  const { subject, body, bodyFormat, location, attendees, recurrence, reminderMinutes } = wish;
  const wire: Record<string, unknown> = {};
  if (subject !== undefined) wire['subject'] = subject ?? '';
  if (body !== undefined) wire['body'] = toBody(body, bodyFormat);
  if (location !== undefined) {
    wire['location'] = { displayName: (typeof location === 'string' ? location : location?.displayName) ?? '' };
  }
  if (attendees !== undefined) wire['attendees'] = toAttendees(attendees ?? []);
  if (recurrence !== undefined) wire['recurrence'] = recurrence && toRecurrence(recurrence, begin);
  if (reminderMinutes !== undefined) {
    wire['isReminderOn'] = reminderMinutes !== null;
    if (reminderMinutes !== null) wire['reminderMinutesBeforeStart'] = reminderMinutes;
  }
  if (wish.categories !== undefined) wire['categories'] = wish.categories ?? [];
  if (wish.isOnlineMeeting === true) wire['isOnlineMeeting'] = true;
  const usual = {
    showAs: 'busy',
    sensitivity: 'normal',
    importance: 'normal',
    responseRequested: true,
    allowNewTimeProposals: true,
    hideAttendees: false,
  };
  for (const [field, normal] of Object.entries(usual)) {
    const value = wish[field as keyof typeof usual];
    if (value !== undefined) wire[field] = value ?? normal;
  }
  return wire;
};
