import { createHash } from 'node:crypto';
import { z } from 'zod';
import { counted, defineStep, path, wrong } from '#kit';
import { addressIn } from '../addressee.ts';
import { takesPlaceIn, windowFor } from '../calendar-window.ts';
import { CalendarInput, calendarPath, under, zonesOf } from '../calendars.ts';
import { Cursor, collect, fieldsOf, Limit, listEnd, mentions, only } from '../collect.ts';
import { Event, selectFor, showEvent, WireEvent } from '../event-shapes.ts';
import { Mailbox } from '../shapes.ts';
import { readTime, TimeInput, ZoneInput } from '../times.ts';

const maxPages = 10;
const addressOf = ({ emailAddress }: { emailAddress?: WireEvent['attendees'][number]['emailAddress'] }) =>
  emailAddress?.address?.toLowerCase();

export const listEvents = defineStep({
  name: 'list_events',
  title: 'List Events',
  group: 'Calendar',
  purpose: 'List events within a date range, each occurrence of a recurring event on its own.',
  effect: 'read',
  scopes: [['Calendars.ReadBasic', 'Calendars.Read', 'Calendars.ReadWrite']],
  input: z.object({
    start: TimeInput,
    end: TimeInput.describe('End of the range, written like the start; a date ends before that day.'),
    timeZone: ZoneInput,
    calendar: CalendarInput,
    query: z.string().trim().min(1).max(200).optional().describe('Words found in title, place, preview or people.'),
    attendee: z.string().trim().min(1).max(320).optional().describe('Only events with this person: address or name.'),
    includeCancelled: z.boolean().default(false).describe('Also events that were cancelled.'),
    expandRecurring: z
      .boolean()
      .default(true)
      .describe('false shows a series once, by its first occurrence in the range, under the id of the series.'),
    view: z.enum(['summary', 'full']).default('summary').describe('full adds body, reminder, labels and more.'),
    fields: fieldsOf(Event, ' of each event'),
    limit: Limit,
    cursor: Cursor,
    mailbox: Mailbox,
  }),
  output: z.object({ items: z.array(Event.partial()), ...listEnd }),
  summary: ({ items, nextCursor }) => counted(items.length, ['event', 'events'], nextCursor !== undefined),
  run: async (input, context) => {
    const { mailbox, calendar, query, attendee, includeCancelled, expandRecurring, view, fields, limit, cursor } =
      input;
    const zones = await zonesOf(context, input.timeZone, [input.start, input.end]);
    const [from, to] = [readTime('start', input.start, zones), readTime('end', input.end, zones)];
    if (to.instant <= from.instant) {
      const whole = to.dateOnly ? ' A date ends before that day: for one day, give the next as the end.' : '';
      throw wrong('end', `The end must be after the start.${whole}`);
    }
    const range = { start: from.instant, end: to.instant };
    const filtered = query !== undefined || attendee !== undefined || !expandRecurring;
    const person = attendee === undefined ? undefined : addressIn(attendee).toLowerCase();
    const fits = (event: WireEvent): boolean => {
      if ((event.isCancelled && !includeCancelled) || !takesPlaceIn(event, range, zones.home)) return false;
      const people = [event.organizer ?? {}, ...event.attendees];
      const names = people.flatMap(({ emailAddress }) => [emailAddress?.name, emailAddress?.address]);
      const invited =
        person === undefined || people.some((one) => addressOf(one) === person) || mentions(person, names);
      const texts = [event.subject, event.location?.displayName, event.bodyPreview, ...names];
      return invited && (query === undefined || mentions(query, texts));
    };
    const source = {
      path: under(await calendarPath(context, mailbox, calendar), path`/calendarView`),
      query: {
        ...windowFor(range, zones.home),
        $orderby: 'start/dateTime',
        // Of the days that are asked for beside the range, much is left out.
        $top: filtered ? 100 : Math.max(limit, 50),
        $select: selectFor(view, fields),
      },
    };
    const { items, ...end } = await collect(context.upstream, [source], {
      limit,
      cursor,
      maxPages,
      keep: (entry, seen) => {
        const event = WireEvent.parse(entry);
        if (!fits(event)) return undefined;
        const series = event.seriesMasterId ?? undefined;
        if (expandRecurring || series === undefined) return event;
        const short = createHash('sha256').update(series).digest('base64url').slice(0, 12);
        if (seen.has(short)) return undefined;
        seen.add(short);
        // An occurrence that was changed has an etag of its own.
        const own = event.type === 'exception' ? { '@odata.etag': undefined } : {};
        return { ...event, ...own, id: series, seriesMasterId: undefined };
      },
    });
    if (end.truncated && items.length < limit) {
      context.warn(`Looked through ${maxPages} pages of the range; go on with nextCursor or narrow the range.`);
    }
    return { items: items.map((event) => only(showEvent(event, zones.home), fields)), ...end };
  },
});
