export type Bucket = 'hour' | 'day';

const hourMs = 3_600_000;
const dayMs = 86_400_000;

const clockOf = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

/** Whether it is a name of a time zone, such as Europe/Berlin. */
export const isTimeZone = (name: string): boolean => {
  try {
    return clockOf(name) !== undefined;
  } catch {
    return false;
  }
};

/** How far the clocks of the zone are ahead of UTC then. */
const aheadAt = (time: number, clock: Intl.DateTimeFormat): number => {
  const parts = Object.fromEntries(clock.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(time / 1_000) * 1_000;
};

/** The first instant of a day. Where the clocks skip midnight, it is the one at which they do. */
const beginOf = (midnight: number, clock: Intl.DateTimeFormat): number => {
  const [first] = [midnight - dayMs, midnight + dayMs]
    .map((near) => midnight - aheadAt(near, clock))
    .filter((instant) => instant + aheadAt(instant, clock) === midnight)
    .toSorted((a, b) => a - b);
  return first ?? midnight - aheadAt(midnight - dayMs, clock);
};

/** When each hour or day of the last days began, by the clocks of the zone; the last is the present one. */
export const spanStarts = (wanted: { now: Date; days: number; bucket: Bucket; timeZone: string }): Date[] => {
  const { now, days, bucket, timeZone } = wanted;
  const clock = clockOf(timeZone);
  const ahead = aheadAt(now.getTime(), clock);
  const local = now.getTime() + ahead;
  if (bucket === 'hour') {
    const last = Math.floor(local / hourMs) * hourMs - ahead;
    return Array.from({ length: days * 24 }, (_, at) => new Date(last - (days * 24 - 1 - at) * hourMs));
  }
  const today = Math.floor(local / dayMs) * dayMs;
  return Array.from({ length: days }, (_, at) => new Date(beginOf(today - (days - 1 - at) * dayMs, clock)));
};
