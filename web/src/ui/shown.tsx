import type { ReactNode } from 'react';
import { Gone, GoneMeanwhile, isGone } from './gone.tsx';
import { Loading, Problem } from './states.tsx';

type Query<Data> = { data: Data | undefined; error: unknown; isPending: boolean; refetch: () => unknown };

/** Refused for what was asked, or for who asked: the same question gets the same answer. */
const isFinal = (error: unknown): boolean => [400, 403].includes((error as { status?: number }).status ?? 0);

/** Data when it is there; before, what is waited for; on failure, why and where to go from here. */
export const Shown = <Data,>(props: {
  of: Query<Data>;
  loading: string;
  rows?: number;
  children: (data: Data) => ReactNode;
}) => {
  const { of: query, loading, rows, children } = props;
  const { data, error } = query;
  if (data !== undefined)
    return (
      <>
        {isGone(error) && <GoneMeanwhile />}
        {children(data)}
      </>
    );
  if (isGone(error)) return <Gone message={(error as Error).message} />;
  if (error !== null && error !== undefined)
    return <Problem error={error} {...(isFinal(error) ? {} : { retry: () => void query.refetch() })} />;
  return <Loading what={loading} {...(rows === undefined ? {} : { rows })} />;
};
