import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Run } from '../../../../client/src/index.ts';
import { useRead } from '../../data/use-read.ts';

/** A run that goes on before one's eyes: followed live, or looked at every two seconds where that is not possible. */
export const useLiveRun = (id: string) => {
  const queries = useQueryClient();
  const query = useRead('GET /v1/runs/{id}', { params: { id } });
  const [isLost, setIsLost] = useState(false);
  const { refetch } = query;
  const isOpen = query.data !== undefined && query.data.finishedAt === null;

  useEffect(() => {
    if (!isOpen) return undefined;
    const key = ['GET /v1/runs/{id}', { params: { id } }];
    const source = new EventSource(`/v1/runs/${encodeURIComponent(id)}/stream`);
    const dataOf = (message: Event) => JSON.parse(String((message as MessageEvent).data)) as unknown;
    source.addEventListener('run', (message) => {
      setIsLost(false);
      queries.setQueryData(key, dataOf(message));
    });
    source.addEventListener('journal', (message) => {
      const entries = dataOf(message) as Run['journal'];
      queries.setQueryData<Run>(key, (run) => {
        if (run === undefined) return run;
        const last = run.journal.at(-1)?.seq ?? 0;
        return { ...run, journal: [...run.journal, ...entries.filter(({ seq }) => seq > last)] };
      });
    });
    source.addEventListener('end', () => {
      source.close();
      void refetch();
    });
    source.addEventListener('error', () => setIsLost(true));
    return () => source.close();
  }, [id, isOpen, queries, refetch]);

  useEffect(() => {
    if (!isOpen || !isLost) return undefined;
    const timer = setInterval(() => void refetch(), 2_000);
    return () => clearInterval(timer);
  }, [isOpen, isLost, refetch]);

  return query;
};
