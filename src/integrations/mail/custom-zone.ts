import { z } from 'zod';
import { windowsZones } from '#kit';
import { findZone, offsetAt, type Zone } from './zones.ts';

const Change = z.object({ time: z.string(), dayOccurrence: z.number(), dayOfWeek: z.string(), month: z.number() });

/** The zone of working hours: one by its name, or one that is told by its rules (resource: customTimeZone). */
export const HoursZone = z.object({
  name: z.string(),
  // What is not told in full has no rules.
  bias: z.number().optional().catch(undefined),
  standardOffset: Change.optional().catch(undefined),
  daylightOffset: Change.extend({ daylightBias: z.number() }).optional().catch(undefined),
});
export type HoursZone = z.output<typeof HoursZone>;

const [minuteMs, dayMs] = [60_000, 86_400_000];
const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

/** What clocks show when they change: on the first to fourth such weekday of a month, or (5) the last. */
const wallOf = ({ time, dayOccurrence, dayOfWeek, month }: z.output<typeof Change>, year: number): number => {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  const weekday = weekdays.indexOf(dayOfWeek.toLowerCase());
  const last = dayOccurrence > 4;
  const from = Date.UTC(year, last ? month : month - 1, 1) - (last ? 7 * dayMs : 0);
  const days = (weekday - new Date(from).getUTCDay() + 7) % 7;
  const ofDay = Math.ceil(hours * 3_600 + minutes * 60 + seconds) * 1_000;
  return from + (days + (last ? 0 : 7 * (dayOccurrence - 1))) * dayMs + ofDay;
};

/** Instants of a year, and how far clocks are ahead of UTC at each. */
const courseOf = ({ bias = 0, standardOffset, daylightOffset }: HoursZone, year: number): [number, number][] => {
  const usual = -bias * minuteMs;
  if (!standardOffset?.month || !daylightOffset?.month) {
    return Array.from({ length: 12 }, (_, month) => [Date.UTC(year, month), usual]);
  }
  const summer = usual - daylightOffset.daylightBias * minuteMs;
  const [forward, back] = [wallOf(daylightOffset, year) - usual, wallOf(standardOffset, year) - summer];
  return [
    [forward - 1_000, usual],
    [forward, summer],
    [back - 1_000, summer],
    [back, usual],
  ];
};

/** A zone whose clocks go by these rules in a year; `undefined` where there is none. */
export const zoneOfHours = (given: HoursZone | null | undefined, year: number): Zone | undefined => {
  const named = findZone(given?.name ?? '');
  if (named !== undefined || !given || given.bias === undefined) return named;
  const course = courseOf(given, year);
  const alike = windowsZones.find(({ iana }) => course.every(([at, ahead]) => offsetAt(iana, at) === ahead));
  return alike && findZone(alike.windows);
};
