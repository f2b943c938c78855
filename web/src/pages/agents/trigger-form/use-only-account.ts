import { useRead } from '../../../data/use-read.ts';

/** The account that goes without saying: the only one that is connected. */
export const useOnlyAccount = (integration: string): string | undefined => {
  const { data } = useRead('GET /v1/accounts', { query: { integration, limit: 100 } });
  const ready = (data?.items ?? []).filter(({ state }) => state === 'connected');
  return ready.length === 1 ? ready[0]?.id : undefined;
};
