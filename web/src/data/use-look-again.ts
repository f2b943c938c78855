import { useEffect } from 'react';

const everyMs = 1_500;

/** Looks again while something is awaited that nobody tells of. A look that takes long is waited for, not begun anew. */
export const useLookAgain = (refetch: (how: { cancelRefetch: false }) => unknown, isAwaited: boolean): void => {
  useEffect(() => {
    if (!isAwaited) return undefined;
    const timer = setInterval(() => void refetch({ cancelRefetch: false }), everyMs);
    return () => clearInterval(timer);
  }, [refetch, isAwaited]);
};
