import { useEffect, useState } from 'react';
import { serverNow } from '../../data/server-time.ts';

/** Browsers wait no longer than some weeks, and not exactly while a machine sleeps: a day at a time. */
const longestTimerMs = 86_400_000;

/** Whether a moment has passed, kept true while the page is open. */
export const usePast = (at: string): boolean => {
  const [past, setPast] = useState(() => Date.parse(at) <= serverNow());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = () => {
      const left = Date.parse(at) - serverNow();
      setPast(left <= 0);
      if (left > 0) timer = setTimeout(look, Math.min(left, longestTimerMs));
    };
    look();
    return () => clearTimeout(timer);
  }, [at]);
  return past;
};
