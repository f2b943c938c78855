import { z } from 'zod';
import { defineStep, listed } from '#kit';
import { AddressText, addressIn } from '../addressee.ts';
import { zonesOf } from '../calendars.ts';
import { gaps, type Interval, merged, overlap } from '../intervals.ts';
import { type Busy, isFree, longestSpan, type Schedule, schedulesOf, selfOf, workingTimes } from '../schedules.ts';
import { Mailbox } from '../shapes.ts';
import { readTime, showTime, Time, TimeInput, ZoneInput } from '../times.ts';

const Slot = z.object({ start: Time, end: Time });
const minuteMs = 60_000;
// How far ahead a free slot is looked for.
const horizon = 14 * 86_400_000;

const Output = z.object({
  available: z.boolean().describe('Whether everybody who could be checked is free.'),
  conflicts: z.array(Slot.extend({ person: z.string(), status: z.string(), subject: z.string().optional() })),
  unknown: z.array(z.object({ person: z.string(), reason: z.string() })).describe('Who could not be checked.'),
  nextFree: Slot.nullable().describe('The first time of this length, from the start on, when everybody is free.'),
});

const told = ({ available, conflicts, unknown }: z.output<typeof Output>): string => {
  const busy = [...new Set(conflicts.map(({ person }) => person))];
  const unclear = unknown.map(({ person }) => person);
  const answer = available ? 'Everybody who could be checked is free' : `Not free: ${listed(busy)}`;
  if (unclear.length === 0) return `${answer}.`;
  return busy.length === 0 && !available
    ? `Could not check ${listed(unclear)}.`
    : `${answer}; could not check ${listed(unclear)}.`;
};

export const checkAvailability = defineStep({
  name: 'check_availability',
  title: 'Check Availability',
  group: 'Calendar',
  purpose: 'Check whether people are free at a given time, and when they are next.',
  effect: 'read',
  scopes: [['Calendars.ReadBasic', 'Calendars.Read', 'Calendars.ReadWrite']],
  input: z.object({
    start: TimeInput,
    end: TimeInput.describe('End of the time to check, written like the start.'),
    timeZone: ZoneInput,
    attendees: z
      .array(AddressText(500))
      .min(1)
      .max(20)
      .optional()
      .describe('Addresses of up to 20 people; yourself if left out.'),
    treatTentativeAsBusy: z.boolean().default(true).describe('Whether tentative events count as conflicts.'),
    respectWorkingHours: z
      .boolean()
      .default(false)
      .describe("Whether time outside people's working hours counts as busy."),
    mailbox: Mailbox,
  }),
  output: Output,
  summary: told,
  run: async (input, context) => {
    const zones = await zonesOf(context, input.timeZone, [input.start, input.end]);
    const wanted: Interval = {
      start: readTime('start', input.start, zones).instant,
      end: readTime('end', input.end, zones).instant,
    };
    const span = { start: wanted.start, end: Math.min(wanted.end + horizon, wanted.start + longestSpan) };
    if (wanted.end <= wanted.start || wanted.end > span.end) span.end = wanted.end;
    const people = input.attendees?.map(addressIn) ?? [selfOf(context, input.mailbox)];
    const all = await schedulesOf(context, { people, mailbox: input.mailbox, span, interval: 30, zone: zones.home });
    const known = all.filter(({ error }) => error === undefined);
    const keeps = (one: Busy) => !isFree(one) && (input.treatTentativeAsBusy || one.status !== 'tentative');
    const taken = known.flatMap((schedule) => [
      ...schedule.busy.filter(keeps).map((busy) => ({ person: schedule.person, ...busy })),
      ...(input.respectWorkingHours ? offHours(schedule, span, context.warn) : []),
    ]);
    const conflicts = taken.filter((one) => overlap(one, wanted));
    const unknown = all.flatMap(({ person, error }) => (error === undefined ? [] : [{ person, reason: error }]));
    if (unknown.length > 0 && known.length > 0) {
      context.warn(
        `Could not check ${unknown.map(({ person }) => person).join(', ')}; the answer is about the others.`,
      );
    }
    const slot = ({ start, end }: Interval) => ({ start: showTime(start, zones.home), end: showTime(end, zones.home) });
    const next = known.length === 0 ? undefined : firstFree(wanted, span, taken, context.now.getTime());
    return {
      available: known.length > 0 && conflicts.length === 0,
      conflicts: conflicts
        .toSorted((a, b) => a.start - b.start)
        .map(({ person, status, subject, ...time }) => ({ person, ...slot(time), status, subject })),
      unknown,
      nextFree: next === undefined ? null : slot(next),
    };
  },
});

type Taken = Interval & { person: string; status: string; subject?: string | undefined };

const offHours = ({ person, hours }: Schedule, span: Interval, warn: (text: string) => void): Taken[] => {
  const works = hours && workingTimes(hours, span);
  if (works !== undefined) return gaps(span, works).map((gap) => ({ ...gap, person, status: 'outsideWorkingHours' }));
  warn(`The working hours of ${person} are not known, so any hour counts.`);
  return [];
};

/** The first stretch as long as the wanted one that nobody has taken; never in the past unless that was asked for. */
const firstFree = (wanted: Interval, span: Interval, taken: readonly Interval[], now: number): Interval | undefined => {
  const length = wanted.end - wanted.start;
  if (!taken.some((one) => overlap(one, wanted))) return wanted;
  // Nobody meets at a second.
  const soonest = Math.ceil(now / minuteMs) * minuteMs;
  const begin = Math.max(span.start, Math.min(soonest, span.end));
  const free = gaps({ start: begin, end: span.end }, merged(taken)).find(({ start, end }) => end - start >= length);
  return free && { start: free.start, end: free.start + length };
};
