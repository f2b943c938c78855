/** A stretch of time, in milliseconds; the end is not part of it. */
export type Interval = { start: number; end: number };

export const overlap = (a: Interval, b: Interval): boolean => a.start < b.end && a.end > b.start;

/** The same time in as few stretches as possible, in order. */
export const merged = (intervals: readonly Interval[]): Interval[] => {
  const result: Interval[] = [];
  for (const { start, end } of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else if (end > start) result.push({ start, end });
  }
  return result;
};

/** What of a span lies outside the intervals. */
export const gaps = (span: Interval, intervals: readonly Interval[]): Interval[] => {
  const result: Interval[] = [];
  let at = span.start;
  for (const { start, end } of merged(intervals)) {
    if (start > at) result.push({ start: at, end: Math.min(start, span.end) });
    at = Math.max(at, end);
    if (at >= span.end) return result.filter((gap) => gap.end > gap.start);
  }
  if (at < span.end) result.push({ start: at, end: span.end });
  return result.filter((gap) => gap.end > gap.start);
};
