import { isDeepStrictEqual } from 'node:util';
import { readBody } from './body/read-body.ts';
import { WireEvent } from './event-shapes.ts';
import { showRecurrence } from './recurrence.ts';
import { fromService } from './times.ts';

type Part = WireEvent & Partial<Record<string, unknown>>;

// The service writes bodies anew, as HTML or with other markup, and keeps what they say.
const wordsOf = ({ body }: WireEvent): string =>
  readBody(body ?? {}, { format: 'text', maxChars: Number.POSITIVE_INFINITY, keepQuoted: true })
    .text.replace(/\s+/g, ' ')
    .trim();

const peopleOf = ({ attendees }: WireEvent) =>
  attendees.map(({ emailAddress, type }) => `${emailAddress?.address} ${type ?? 'required'}`.toLowerCase()).sort();

const recurrenceOf = (given: unknown) => {
  const { pattern = {}, range = {} } = (showRecurrence(given) ?? {}) as Record<string, Record<string, unknown>>;
  const days = pattern['daysOfWeek'];
  const rule: Record<string, unknown> = { ...pattern, ...range, pattern: pattern['type'], range: range['type'] };
  return Array.isArray(days) ? { ...rule, daysOfWeek: days.map(String).sort() } : rule;
};

/** The service fills in what was not said. */
const sameRecurrence = (asked: unknown, has: unknown): boolean => {
  const [wanted, now] = [recurrenceOf(asked), recurrenceOf(has)];
  if (asked === null) return (has ?? null) === null;
  return Object.entries(wanted).every(([name, value]) => isDeepStrictEqual(value, now[name]));
};

const sameTime = (field: 'start' | 'end', asked: WireEvent, now: WireEvent): boolean =>
  now.isAllDay
    ? asked[field].dateTime.slice(0, 10) === now[field].dateTime.slice(0, 10)
    : fromService(asked[field]) === fromService(now[field]);

const same = (field: string, asked: Part, now: Part): boolean => {
  switch (field) {
    case 'start':
    case 'end':
      return sameTime(field, asked, now);
    case 'subject':
      return (asked.subject ?? '').trim() === (now.subject ?? '').trim();
    case 'body':
      return wordsOf(asked) === wordsOf(now);
    case 'location':
      return (asked.location?.displayName ?? '').trim() === (now.location?.displayName ?? '').trim();
    case 'attendees':
      return isDeepStrictEqual(peopleOf(asked), peopleOf(now));
    case 'categories':
      return isDeepStrictEqual([...(asked.categories ?? [])].sort(), [...(now.categories ?? [])].sort());
    case 'recurrence':
      return sameRecurrence(asked.recurrence, now.recurrence);
    default:
      return asked[field] === now[field];
  }
};

/** Whether an event has all that a change asked for, as far as the service gives it back unchanged. */
export const holds = (now: WireEvent, wanted: unknown): boolean => {
  const { start, end } = now;
  const asked = WireEvent.parse({ id: now.id, start, end, ...(wanted as object) });
  return Object.keys(wanted as object).every((field) => same(field, asked, now));
};
