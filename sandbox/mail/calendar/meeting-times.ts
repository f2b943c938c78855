import { invalidProperty } from '../graph-error.ts';
import type { EmailAddress, Json, Mailbox } from '../mailbox.ts';
import { type GraphRequest, jsonBody } from '../route.ts';
import { isObject, pick, readAddress, readFlag, readInteger, readList, readObject, readText } from '../values.ts';
import { instantOfMoment } from './instances.ts';
import { readMoment } from './read-event.ts';
import { weekdays } from './recurrence.ts';
import { viewZone } from './render.ts';
import { availability, busyBetween, colleague, workOnly } from './schedule.ts';
import { toDateTimeTimeZone, wallOf, zoneNamed } from './zones.ts';

type Slot = { start: number; end: number };
type Question = {
  attendees: { emailAddress: EmailAddress; type: unknown }[];
  slots: Slot[];
  length: number;
  most: number;
  percentage: number;
  organizerOptional: boolean;
  reasons: boolean;
  anyHour: boolean;
};

const half = 30 * 60_000;
const week = 7 * 86_400_000;

const readDuration = (value: unknown): number => {
  const text = readText(value ?? 'PT30M', 'meetingDuration');
  const [, days = 0, hours = 0, minutes = 0] =
    /^P(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,5})M)?(?:[\d.]+S)?)?$/i.exec(text) ?? [];
  const length = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000;
  if (length <= 0) throw invalidProperty('meetingDuration is not a duration of at least a minute.');
  return length;
};

const readSlots = (constraint: Json, now: number): Slot[] => {
  const given = pick(constraint, 'timeSlots') ?? pick(constraint, 'timeslots');
  if (given === undefined || given === null) return [{ start: now, end: now + week }];
  return readList(given, 'timeSlots')
    .map((entry) => readObject(entry, 'timeSlots'))
    .map((slot) => ({
      start: instantOfMoment(readMoment(pick(slot, 'start'), 'start'), false),
      end: instantOfMoment(readMoment(pick(slot, 'end'), 'end'), false),
    }));
};

const readQuestion = (body: Json, now: number): Question => {
  const given = pick(body, 'timeConstraint');
  const constraint = isObject(given) ? given : {};
  const domain = readText(pick(constraint, 'activityDomain') ?? 'work', 'activityDomain').toLowerCase();
  const most = readInteger(pick(body, 'maxCandidates') ?? 20, 'maxCandidates');
  const attendees = readList(pick(body, 'attendees') ?? [], 'attendees');
  if (attendees.length > 100) throw invalidProperty('There are too many attendees.');
  const percentage = Number(pick(body, 'minimumAttendeePercentage') ?? 50);
  if (Number.isNaN(percentage)) throw invalidProperty('minimumAttendeePercentage is not a number.');
  return {
    attendees: attendees.map((entry) => ({
      emailAddress: readAddress(entry, 'attendees'),
      type: isObject(entry) ? (pick(entry, 'type') ?? 'required') : 'required',
    })),
    slots: readSlots(constraint, now).slice(0, 20),
    length: readDuration(pick(body, 'meetingDuration')),
    most: Math.min(Math.max(most, 1), 100),
    percentage,
    organizerOptional: readFlag(pick(body, 'isOrganizerOptional') ?? false, 'isOrganizerOptional'),
    reasons: readFlag(pick(body, 'returnSuggestionReasons') ?? false, 'returnSuggestionReasons'),
    anyHour: domain === 'unrestricted' || domain === 'personal',
  };
};

/** Whether a meeting lies inside the working hours of the mailbox. */
const atWork = ({ settings }: Mailbox, { start, end }: Slot): boolean => {
  const { daysOfWeek, startTime, endTime, timeZone } = settings.workingHours;
  const zone = zoneNamed(timeZone.name);
  const [from, to] = [new Date(wallOf(start, zone)), new Date(wallOf(end, zone))];
  const clock = (date: Date): string => date.toISOString().slice(11, 19);
  const sameDay = from.toISOString().slice(0, 10) === to.toISOString().slice(0, 10);
  const weekday = weekdays[from.getUTCDay()] ?? 'sunday';
  return (
    sameDay && daysOfWeek.includes(weekday) && clock(from) >= startTime.slice(0, 8) && clock(to) <= endTime.slice(0, 8)
  );
};

const names = ['free', 'tentative', 'busy', 'oof'] as const;

/** Suggests times when enough of those asked are free, best first. */
export const findMeetingTimes = (request: GraphRequest): Json => {
  workOnly(request);
  const { world, mailbox, session } = request;
  const question = readQuestion(jsonBody(request), world.now());
  const span = question.slots.reduce(
    (all, { start, end }) => ({ start: Math.min(all.start, start), end: Math.max(all.end, end) }),
    {
      start: Infinity,
      end: -Infinity,
    },
  );
  if (!(span.end > span.start) || span.end - span.start > 62 * 86_400_000) {
    throw invalidProperty('The time slots must be in order and within 62 days.');
  }
  const own = busyBetween(mailbox, span.start, span.end);
  const others = question.attendees.map(({ emailAddress, type }) => {
    const box = colleague(world, session.person, emailAddress.address);
    return { attendee: { type, emailAddress }, busy: box && busyBetween(box, span.start, span.end) };
  });
  const zone = viewZone(request.prefer);
  let organizerBusy = 0;
  const found: { confidence: number; slot: Slot; suggestion: Json }[] = [];
  for (const slot of candidates(question)) {
    if (!question.anyHour && !atWork(mailbox, slot)) continue;
    const organizer = availability(own, slot.start, slot.end);
    if (organizer > 0 && !question.organizerOptional) {
      organizerBusy++;
      continue;
    }
    const answers = others.map(({ attendee, busy }) => ({
      attendee,
      level: busy && availability(busy, slot.start, slot.end),
    }));
    // A person whose calendar cannot be seen counts as half there.
    const scores: number[] = answers.map(({ level }) => (level === undefined ? 49 : level === 0 ? 100 : 0));
    const confidence = scores.length === 0 ? 100 : scores.reduce((sum, score) => sum + score, 0) / scores.length;
    if (confidence < question.percentage) continue;
    const attendeeAvailability = answers.map(({ attendee, level }) => ({
      availability: level === undefined ? 'unknown' : names[level],
      attendee: { emailAddress: { address: attendee.emailAddress.address }, type: attendee.type },
    }));
    const suggestion = {
      confidence,
      organizerAvailability: names[organizer],
      ...(question.reasons && {
        suggestionReason: 'Suggested because it is one of the nearest times when all attendees are available.',
      }),
      meetingTimeSlot: { start: toDateTimeTimeZone(slot.start, zone), end: toDateTimeTimeZone(slot.end, zone) },
      attendeeAvailability,
      locations: [],
    };
    found.push({ confidence, slot, suggestion });
  }
  found.sort((a, b) => b.confidence - a.confidence || a.slot.start - b.slot.start);
  const nobody = organizerBusy > 0 && !question.organizerOptional ? 'OrganizerUnavailable' : 'AttendeesUnavailable';
  return {
    '@odata.context': `${request.base}/$metadata#microsoft.graph.meetingTimeSuggestionsResult`,
    emptySuggestionsReason: found.length > 0 ? '' : nobody,
    meetingTimeSuggestions: found
      .slice(0, question.most)
      .map(({ suggestion }, at) => ({ ...suggestion, order: at + 1 })),
  };
};

function* candidates({ slots, length }: Question): Generator<Slot> {
  for (const { start, end } of slots) {
    for (let at = Math.ceil(start / half) * half; at + length <= end; at += half) yield { start: at, end: at + length };
  }
}
