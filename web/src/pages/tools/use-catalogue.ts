import { useQueries } from '@tanstack/react-query';
import type { Step } from '../../../../client/src/index.ts';
import { api } from '../../data/api.ts';

/** The steps of a tool with their schemas, by id. */
export const useStepDetails = (ids: readonly string[]) => {
  const wanted = [...new Set(ids)];
  return useQueries({
    queries: wanted.map((id) => ({
      queryKey: ['GET /v1/steps/{id}', { params: { id } }],
      queryFn: ({ signal }: { signal: AbortSignal }) => api.call('GET /v1/steps/{id}', { params: { id }, signal }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (answers) => ({
      steps: new Map(answers.flatMap(({ data }): [string, Step][] => (data === undefined ? [] : [[data.id, data]]))),
      errors: new Map(answers.map(({ error }, at) => [wanted[at] ?? '', error])),
      retry: (id: string) => void answers[wanted.indexOf(id)]?.refetch(),
    }),
  });
};
