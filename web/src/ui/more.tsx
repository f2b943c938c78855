import { useEffect, useRef } from 'react';

type List = {
  data: unknown;
  hasNextPage: boolean;
  isFetching: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: (manner: { cancelRefetch: boolean }) => Promise<unknown>;
};

/** The end of a list that has more: loads when it comes into view, or on request. */
export const More = ({ list }: { list: List }) => {
  const place = useRef<HTMLButtonElement>(null);
  const { data, hasNextPage, isFetching, isFetchingNextPage, fetchNextPage } = list;
  useEffect(() => {
    const button = place.current;
    // Each page is watched anew: an end that never left the view would not be told of again. What is being read is not broken off.
    if (button === null || data === undefined || !hasNextPage || isFetching) return undefined;
    const observer = new IntersectionObserver(
      (entries) => entries.at(-1)?.isIntersecting && void fetchNextPage({ cancelRefetch: false }),
      { rootMargin: '400px' },
    );
    observer.observe(button);
    return () => observer.disconnect();
  }, [data, hasNextPage, isFetching, fetchNextPage]);
  if (!hasNextPage) return null;
  return (
    <button
      ref={place}
      type="button"
      className="button button-quiet justify-self-center"
      aria-busy={isFetchingNextPage}
      onClick={() => void fetchNextPage({ cancelRefetch: false })}
    >
      {isFetchingNextPage ? 'Loading more …' : 'Show more'}
    </button>
  );
};
