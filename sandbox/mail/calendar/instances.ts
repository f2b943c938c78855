import { itemNotFound } from '../graph-error.ts';
import { immutableId, readId, restId } from '../ids.ts';
import type { Mailbox } from '../mailbox.ts';
import { dayOf, occurrenceDays } from './occurrence-days.ts';
import type { EventContent, EventItem, Moment } from './state.ts';
import { instantOf, zoneOf } from './zones.ts';

/** An event as it stands in the calendar: a single one, a series, or one occurrence (`day` is what the pattern gave). */
export type Instance = { event: EventItem; day: number | undefined; content: EventContent; start: number; end: number };

const dayMs = 86_400_000;
// Keeps the day of an occurrence positive inside its id; 1601 is the earliest date of a calendar.
const dayZero = -dayOf('1600-01-01');

/** All-day events are the same dates everywhere. */
export const instantOfMoment = ({ wall, zone }: Moment, isAllDay: boolean): number =>
  isAllDay ? wall : instantOf(wall, zoneOf(zone));

const instance = (event: EventItem, day: number | undefined, content: EventContent): Instance => ({
  event,
  day,
  content,
  start: instantOfMoment(content.start, content.isAllDay),
  end: instantOfMoment(content.end, content.isAllDay),
});

export const wholeEvent = (event: EventItem): Instance => instance(event, undefined, event);

/** The occurrence of a day: wall clock times stay, whatever summer time does, unless it was changed on its own. */
export const occurrenceOn = (event: EventItem, day: number): Instance => {
  const shift = day * dayMs - Math.floor(event.start.wall / dayMs) * dayMs;
  const regular: EventContent = {
    ...event,
    start: { ...event.start, wall: event.start.wall + shift },
    end: { ...event.end, wall: event.end.wall + shift },
  };
  return instance(event, day, { ...regular, ...event.exceptions.get(day) });
};

/** The days of a series that were not cancelled. */
export const liveDays = (event: EventItem, from: number, to: number): number[] => {
  if (event.recurrence === null) return [];
  const cancelled = new Set(event.cancelledDays);
  return occurrenceDays(event.recurrence, from, to).filter((day) => !cancelled.has(day));
};

const overlaps = ({ start, end }: Instance, from: number, to: number): boolean =>
  start < to && (end > from || (start === end && start >= from));

/** What of an event falls into a time window: occurrences, never the series itself. */
export const instancesWithin = (event: EventItem, from: number, to: number): Instance[] => {
  if (event.recurrence === null) return [wholeEvent(event)].filter((one) => overlaps(one, from, to));
  const length = event.end.wall - event.start.wall;
  const first = Math.floor((from - length) / dayMs) - 2;
  const last = Math.ceil(to / dayMs) + 2;
  const moved = [...event.exceptions.keys()].filter((day) => day < first || day > last);
  const days = [...liveDays(event, first, last), ...moved.filter((day) => !event.cancelledDays.includes(day))];
  return days.map((day) => occurrenceOn(event, day)).filter((one) => overlaps(one, from, to));
};

export const byStart = (a: Instance, b: Instance): number => a.start - b.start || a.event.seq - b.event.seq;

export const instanceId = (
  mailbox: Mailbox,
  { event, day }: Pick<Instance, 'event' | 'day'>,
  immutable = false,
): string => {
  if (day !== undefined) return restId(mailbox, { seq: event.seq, generation: day + dayZero });
  return immutable ? immutableId(mailbox, event) : restId(mailbox, { seq: event.seq, generation: 0 });
};

/** The event, series or occurrence with that id. */
export const findInstance = (mailbox: Mailbox, id: string): Instance => {
  const { tag, seq, generation } = readId(id);
  const event = tag === mailbox.tag ? mailbox.calendar.events.get(seq) : undefined;
  if (event === undefined) throw itemNotFound();
  if (generation === 0) return wholeEvent(event);
  const day = generation - dayZero;
  if (liveDays(event, day, day).length === 0) throw itemNotFound();
  return occurrenceOn(event, day);
};
