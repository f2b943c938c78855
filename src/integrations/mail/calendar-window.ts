import { spanOf, type WireEvent } from './event-shapes.ts';
import type { Interval } from './intervals.ts';
import { addDays, dateOf } from './times.ts';
import type { Zone } from './zones.ts';

/** The service looks at no more (calendar: calendarView). */
const longest = 1_825 * 86_400_000;

/**
 * What the service is asked for, so that nothing of a range is missing. It counts an event of whole days by the clocks of
 * UTC (github.com/microsoftgraph/microsoft-graph-explorer-v4/issues/578), so the days of the range are asked for there, too.
 */
export const windowFor = ({ start, end }: Interval, zone: Zone): { startDateTime: string; endDateTime: string } => {
  const first = Math.min(start, Date.parse(dateOf({ instant: start, zone })));
  const after = Math.max(end, Date.parse(addDays(dateOf({ instant: end - 1, zone }), 1)));
  const [from, to] = after - first > longest ? [start, end] : [first, after];
  return { startDateTime: new Date(from).toISOString(), endDateTime: new Date(to).toISOString() };
};

/** Whether an event, as it is seen in the zone, takes place within a range; one without a length, too. */
export const takesPlaceIn = (event: WireEvent, range: Interval, zone: Zone): boolean => {
  const { start, end } = spanOf(event, zone);
  return start < range.end && (end > range.start || (start === end && start >= range.start));
};
