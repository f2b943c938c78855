import { useEffect, useState } from 'react';

const longestTimerMs = 86_400_000;

/** Whether a moment has passed, kept true while the page is open. */
export const usePast = (at: string): boolean => {
  const [past, setPast] = useState(() => Date.parse(at) <= Date.now());
  useEffect(() => {
    const left = Date.parse(at) - Date.now();
    setPast(left <= 0);
    if (left <= 0 || left > longestTimerMs) return undefined;
    const timer = setTimeout(() => setPast(true), left);
    return () => clearTimeout(timer);
  }, [at]);
  return past;
};
