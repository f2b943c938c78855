import { useEffect, useReducer } from 'react';
import { serverNow } from '../data/server-time.ts';

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const full = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

/** A moment as the clock on the reader's wall tells it. */
export const exactTime = (at: string): string => full.format(new Date(at));

const inWords = (at: Date, now: number): string => {
  const seconds = Math.round((at.getTime() - now) / 1_000);
  if (Math.abs(seconds) < 5) return 'just now';
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  // What was asked for seven days is said to end in seven days, not in six.
  return relative.format(seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size), unit);
};

/** How long ago or ahead, kept true while the page is open; the exact time on hover or, where there is room, before it. */
export const Time = ({ at, exact = false }: { at: string; exact?: boolean }) => {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(draw, 15_000);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(at);
  const words = inWords(date, serverNow());
  return (
    <time dateTime={at} title={full.format(date)} className={exact ? '' : 'inline-block min-w-fit'}>
      {exact ? `${full.format(date)} (${words})` : words}
    </time>
  );
};
