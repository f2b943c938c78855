import { useEffect } from 'react';
import { useRead } from '../../data/use-read.ts';

/** Whether the sandbox stands in for the services, and where its pages are. */
export const useSandbox = () => useRead('GET /v1/sandbox').data;

const everyMs = 1_500;

/** Looks again while something is awaited that nobody tells of. */
export const useLookAgain = (refetch: () => unknown, isAwaited: boolean): void => {
  useEffect(() => {
    if (!isAwaited) return undefined;
    const timer = setInterval(() => void refetch(), everyMs);
    return () => clearInterval(timer);
  }, [refetch, isAwaited]);
};
