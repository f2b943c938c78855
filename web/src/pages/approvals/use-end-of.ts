import { useEffect } from 'react';
import type { Run } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';

/** A run, looked at again until it has ended. */
export const useEndOf = (id: string): Run | undefined => {
  const { data, refetch } = useRead('GET /v1/runs/{id}', { params: { id } });
  const isOpen = data !== undefined && data.finishedAt === null;
  useEffect(() => {
    if (!isOpen) return undefined;
    const timer = setInterval(() => void refetch(), 1_500);
    return () => clearInterval(timer);
  }, [isOpen, refetch]);
  return data;
};
