import type { Run } from '../../../../client/src/index.ts';
import { useLookAgain } from '../../data/use-look-again.ts';
import { useRead } from '../../data/use-read.ts';

/** A run, looked at again until it has ended. */
export const useEndOf = (id: string): Run | undefined => {
  const { data, refetch } = useRead('GET /v1/runs/{id}', { params: { id } });
  useLookAgain(refetch, data !== undefined && data.finishedAt === null);
  return data;
};
