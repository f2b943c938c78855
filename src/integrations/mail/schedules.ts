import { z } from 'zod';
import { Fault, path, type StepContext, wrong } from '#kit';
import { takesPlaceIn, windowFor } from './calendar-window.ts';
import { collect } from './collect.ts';
import { HoursZone, zoneOfHours } from './custom-zone.ts';
import { spanOf, WireEvent } from './event-shapes.ts';
import type { Interval } from './intervals.ts';
import { fromService, instantOf, toService, utcZone, wallOf } from './times.ts';
import { ToldTime } from './told.ts';
import { below } from './wire.ts';
import type { Zone } from './zones.ts';

export type Busy = Interval & { status: string; subject?: string | undefined };

const Hours = z.object({
  daysOfWeek: z.array(z.string()).default([]),
  startTime: z.string(),
  endTime: z.string(),
  timeZone: HoursZone.nullish(),
});
export type Hours = z.output<typeof Hours>;

/** One person's time. `error`: why it could not be looked at. */
export type Schedule = {
  person: string;
  busy: Busy[];
  availabilityView?: string | undefined;
  hours?: Hours | undefined;
  error?: string | undefined;
};

/** How a stretch of time is told; of what is not told it is not known. */
const FreeBusy = z
  .string()
  .nullish()
  .transform((status) => status ?? 'unknown');

/** What does not keep anybody from a meeting. What is not known to be free is none of it. */
export const isFree = ({ status }: Pick<Busy, 'status'>): boolean => status === 'free' || status === 'workingElsewhere';

const Answer = z.object({
  value: z.array(
    z.object({
      scheduleId: z.string(),
      availabilityView: z.string().nullish(),
      scheduleItems: z
        .array(z.object({ status: FreeBusy, start: ToldTime, end: ToldTime, subject: z.string().nullish() }))
        .nullish(),
      // Hours of which a part is missing are none.
      workingHours: Hours.nullish().catch(undefined),
      error: z.object({ message: z.string().nullish(), responseCode: z.string().nullish() }).nullish(),
    }),
  ),
});

const dayMs = 86_400_000;
/** The service looks at less than 62 days (calendar: getSchedule). */
export const longestSpan = 62 * dayMs - 60_000;

const asked = (span: Interval, people: readonly string[], availabilityViewInterval: number) => ({
  schedules: people,
  startTime: toService({ instant: span.start, zone: utcZone }),
  endTime: toService({ instant: span.end, zone: utcZone }),
  availabilityViewInterval,
});

const given = (text: string | null | undefined): string | undefined => text || undefined;

// One sign for each slot; what is free, or worked elsewhere, is not told.
const signs: Readonly<Record<string, string>> = { 1: 'tentative', 2: 'busy', 3: 'oof' };

/** Whose single items are not told is taken at the word of the whole. */
const fromView = (view: string, { start, end }: Interval, minutes: number): Busy[] =>
  view.split('').flatMap((sign, at) => {
    const from = start + at * minutes * 60_000;
    const status = signs[sign];
    return status === undefined ? [] : [{ status, start: from, end: Math.min(from + minutes * 60_000, end) }];
  });

const fromFreeBusy = async (
  { upstream }: Pick<StepContext, 'upstream'>,
  people: readonly string[],
  span: Interval,
  interval: number,
): Promise<Schedule[]> => {
  const body = asked(span, people, interval);
  const { value } = Answer.parse(await upstream.post(path`/me/calendar/getSchedule`, { body }));
  return value.map(({ scheduleId, availabilityView, scheduleItems, workingHours, error }) => ({
    person: scheduleId,
    busy:
      scheduleItems?.map(({ status, start, end, subject }) => ({
        status,
        start: fromService(start),
        end: fromService(end),
        subject: given(subject),
      })) ?? fromView(availabilityView ?? '', span, interval),
    availabilityView: given(availabilityView),
    hours: workingHours ?? undefined,
    // The service answers 200 with an error for each person it could not look up.
    ...(error ? { error: error.message ?? `code ${error.responseCode ?? 'unknown'}` } : {}),
  }));
};

const ownHours = async ({ upstream }: Pick<StepContext, 'upstream'>): Promise<Hours | undefined> => {
  try {
    return Hours.safeParse(await upstream.get(path`/me/mailboxSettings/workingHours`)).data;
  } catch (error) {
    if (error instanceof Fault && error.code === 'upstream_rejected') return undefined;
    throw error;
  }
};

const maxPages = 20;

/** The own calendar, read as free/busy. */
const fromCalendar = async (
  context: Pick<StepContext, 'upstream' | 'warn'>,
  person: string,
  mailbox: string | undefined,
  span: Interval,
  zone: Zone,
): Promise<Schedule> => {
  const source = {
    path: below(mailbox, path`/calendarView`),
    query: {
      ...windowFor(span, zone),
      $select: 'id,subject,start,end,showAs,isAllDay,isCancelled',
      $top: 200,
    },
  };
  const { items, truncated } = await collect(context.upstream, [source], {
    limit: 200 * maxPages,
    maxPages,
    keep: (entry): Busy | undefined => {
      const event = WireEvent.parse(entry);
      if (event.isCancelled || !takesPlaceIn(event, span, zone)) return undefined;
      return { status: event.showAs ?? 'busy', ...spanOf(event, zone), subject: given(event.subject) };
    },
  });
  if (truncated) context.warn('The calendar holds more than could be looked at; ask for a shorter time.');
  return { person, busy: items, hours: mailbox === undefined ? await ownHours(context) : undefined };
};

const notOffered = (error: unknown): boolean => {
  const upstream = error instanceof Fault ? error.details?.['upstream'] : undefined;
  return typeof upstream === 'object' && upstream !== null && 'status' in upstream && upstream.status === 403;
};

/**
 * When people are busy. Free/busy does not exist for personal accounts: there the own calendar is read instead, and
 * nobody else's time is known.
 */
export const schedulesOf = async (
  context: StepContext,
  options: { people: readonly string[]; mailbox: string | undefined; span: Interval; interval: number; zone: Zone },
): Promise<Schedule[]> => {
  const { people, mailbox, span, interval, zone } = options;
  if (span.end <= span.start)
    throw wrong('end', 'The end must be after the start; a date is the beginning of that day.');
  if (span.end - span.start > longestSpan) throw wrong('end', 'Less than 62 days can be looked at.');
  const { identity } = context.account;
  if (identity.kind !== 'personal') {
    try {
      return await fromFreeBusy(context, people, span, interval);
    } catch (error) {
      // Where it is not known to be a work account, the refusal tells.
      if (identity.kind === 'work' || !notOffered(error)) throw error;
    }
  }
  const self = (mailbox ?? identity.address ?? '').toLowerCase();
  const others = people.some((person) => person.toLowerCase() !== self) ? '; others could not be checked' : '';
  context.warn(`Free/busy is not offered for personal accounts, so your own calendar was read${others}.`);
  return Promise.all(
    people.map(async (person) =>
      person.toLowerCase() === self
        ? fromCalendar(context, person, mailbox, span, zone)
        : { person, busy: [], error: 'Only your own calendar can be looked at from a personal account.' },
    ),
  );
};

/** Whom a call is about if it names nobody. */
export const selfOf = ({ account }: Pick<StepContext, 'account'>, mailbox: string | undefined): string => {
  const self = mailbox ?? account.identity.address;
  if (self !== undefined) return self;
  throw new Fault('invalid_input', 'The address of this account is not known; name the people to look at.');
};

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const timeOfDay = (text: string): number => {
  const [hours = 0, minutes = 0] = text.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
};

/** When somebody works within a span. `undefined`: their hours are in a zone that nobody else knows. */
export const workingTimes = (hours: Hours, span: Interval): Interval[] | undefined => {
  const zone = zoneOfHours(hours.timeZone, new Date(span.start).getUTCFullYear());
  if (zone === undefined) return undefined;
  const [from, to] = [timeOfDay(hours.startTime), timeOfDay(hours.endTime)];
  const firstDay = Math.floor((wallOf(span.start, zone) - dayMs) / dayMs) * dayMs;
  const times: Interval[] = [];
  for (let day = firstDay; day <= wallOf(span.end, zone); day += dayMs) {
    if (!hours.daysOfWeek.includes(weekdays[new Date(day).getUTCDay()] ?? '')) continue;
    const end = to > from ? to : to + dayMs;
    times.push({ start: instantOf(day + from, zone), end: instantOf(day + end, zone) });
  }
  return times;
};
