import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../../../data/api.ts';
import { problemsOf } from '../../../forms/problems.ts';

export const filterField = 'config.searchFilter';
const restMs = 400;

/** A text once nobody has typed for a moment. */
const useRested = (text: string): string => {
  const [rested, setRested] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs);
    return () => clearTimeout(timer);
  }, [text]);
  return rested;
};

type Settings = { type: string; accountId: string; text: string };

type Checked = { message?: string; hints: readonly string[] };

const check = async ({ type, accountId, text }: Settings, signal: AbortSignal): Promise<Checked> => {
  const body = { type, accountId, config: { searchFilter: text }, limit: 0 };
  try {
    const { hints = [] } = await api.call('POST /v1/triggers/preview', { body, signal });
    return { hints };
  } catch (error) {
    const message = problemsOf(error).find(({ field }) => field === filterField)?.message;
    if (message === undefined) throw error;
    return { message, hints: [] };
  }
};

/** What is wrong with a filter, or may be meant otherwise, while it is being typed. What was told stays until the next answer, so that nothing flickers. */
export const useFilterCheck = ({ type, accountId, text }: Settings): (Checked & { text: string }) | undefined => {
  const rested = useRested(text);
  const { data } = useQuery({
    queryKey: ['filter check', type, accountId, rested],
    queryFn: async ({ signal }) => ({
      text: rested,
      ...(await check({ type, accountId, text: rested }, signal)),
    }),
    enabled: accountId !== '' && rested.trim() !== '',
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    // It is asked again when it is saved.
    retry: false,
  });
  return text.trim() === '' ? undefined : data;
};
