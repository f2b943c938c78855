import { useEffect, useRef } from 'react';

type List = {
  data: unknown;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
};

/** The end of a list that has more: loads when it comes into view, or on request. */
export const More = ({ list }: { list: List }) => {
  const place = useRef<HTMLButtonElement>(null);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    const button = place.current;
    // Each page is watched anew: an end that never left the view would not be told of again.
    if (button === null || data === undefined || !hasNextPage || isFetchingNextPage) return undefined;
    const observer = new IntersectionObserver((entries) => entries.at(-1)?.isIntersecting && void fetchNextPage(), {
      rootMargin: '400px',
    });
    observer.observe(button);
    return () => observer.disconnect();
  }, [data, hasNextPage, isFetchingNextPage, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <button
      ref={place}
      type="button"
      className="button button-quiet justify-self-center"
      aria-busy={isFetchingNextPage}
      onClick={() => void fetchNextPage()}
    >
      {isFetchingNextPage ? 'Loading more …' : 'Show more'}
    </button>
  );
};
