import { useRouterState } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

const wondersMs = 150;

/** A page that takes long to arrive is announced: until then the one before it stays as it was. */
export const UnderWay = () => {
  const isLoading = useRouterState({ select: ({ isLoading }) => isLoading });
  const [isLong, setIsLong] = useState(false);
  useEffect(() => {
    if (!isLoading) return;
    const timer = setTimeout(() => setIsLong(true), wondersMs);
    return () => {
      clearTimeout(timer);
      setIsLong(false);
    };
  }, [isLoading]);
  return (
    <div role="status" aria-label="The way to the next page">
      {isLong && (
        <div className="under-way fixed inset-x-0 top-0 z-50">
          <span className="sr-only">The page is being loaded …</span>
        </div>
      )}
    </div>
  );
};
