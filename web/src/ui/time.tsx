import { useEffect, useState } from 'react';

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

const inWords = (at: Date, now: number): string => {
  const seconds = Math.round((at.getTime() - now) / 1_000);
  if (Math.abs(seconds) < 5) return 'just now';
  const [unit, size] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', 1];
  // What was asked for seven days is said to end in seven days, not in six.
  return relative.format(seconds > 0 ? Math.round(seconds / size) : Math.trunc(seconds / size), unit);
};

/** How long ago or ahead, kept true while the page is open; the exact time on hover. */
export const Time = ({ at }: { at: string }) => {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 15_000);
    return () => clearInterval(timer);
  }, []);
  const date = new Date(at);
  return (
    <time dateTime={at} title={full.format(date)} className="whitespace-nowrap">
      {inWords(date, Math.max(now, Date.now()))}
    </time>
  );
};

/** 850 ms, 12.3 s, 4 min 10 s. */
export const duration = (ms: number): string => {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
};
